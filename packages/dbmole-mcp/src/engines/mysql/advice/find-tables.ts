import type { TableName } from '../../../advice/statement-shape.ts';
import type { ColumnFacts, IndexFacts, TableFacts } from '../../../advice/table-facts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { type CatalogContext, readContext } from '../catalog/context.ts';
import { formatIdentifier } from '../values/identifiers.ts';

const maxTables = 50;
/** Bytes of a key that every row format has room for. */
const maxKeyLength = 768;

/** Types of which an index would need a length. */
const unindexed = new Set(['tinytext', 'text', 'mediumtext', 'longtext', 'tinyblob', 'blob', 'mediumblob', 'longblob', 'json']);

type Row = readonly (string | null)[];

/** Only a table of InnoDB tells how many rows it has without counting them, and only of an index how many values. */
export async function findTables(run: CatalogRun, names: readonly TableName[]): Promise<(TableFacts | undefined)[]> {
  const context = await readContext(run);
  const wanted = names
    .slice(0, maxTables)
    .map(({ schema, name }) => ({ schema: schema ?? context.database, name }))
    .filter(({ schema }) => schema !== undefined);
  if (wanted.length === 0) return names.map(() => undefined);
  // MariaDB opens only the tables that are named one by one.
  const params = wanted.flatMap(({ schema, name }) => [schema ?? '', name]);
  const where = wanted.map(() => '(table_schema = ? and table_name = ?)').join(' or ');
  const expression = context.maria ? 'null' : 'expression';
  const [tables, columns, parts] = await Promise.all([
    run(
      `select table_schema, table_name, table_rows, data_length, create_options like '%partitioned%'
      from information_schema.tables where table_type = 'BASE TABLE' and (${where})`,
      params,
    ),
    run(
      `select table_schema, table_name, column_name, data_type, character_octet_length, column_type, collation_name,
        is_nullable = 'YES'
      from information_schema.columns where ${where} limit 10000`,
      params,
    ),
    run(
      `select table_schema, table_name, index_name, non_unique, index_type, column_name, sub_part, collation, cardinality, ${expression}
      from information_schema.statistics where ${where} order by table_schema, table_name, index_name, seq_in_index limit 5000`,
      params,
    ),
  ]);
  return names.map(({ schema = context.database, name }) => {
    const isOf = (row: Row) => isSame(row[0], schema, context) && isSame(row[1], name, context);
    const table = tables.find(isOf);
    return table === undefined
      ? undefined
      : readTable(table, { columns: columns.filter(isOf), parts: parts.filter(isOf) }, context);
  });
}

function isSame(one: string | null | undefined, other: string | undefined, { foldsCase }: CatalogContext): boolean {
  return foldsCase ? one?.toLowerCase() === other?.toLowerCase() : one === other;
}

interface Parts {
  columns: readonly Row[];
  parts: readonly Row[];
}

function readTable(
  [schema, name, rows, bytes, isPartitioned]: Row,
  { columns, parts }: Parts,
  context: CatalogContext,
): TableFacts {
  const indexes = new Map<string, Row[]>();
  for (const part of parts) indexes.set(part[2] ?? '', [...(indexes.get(part[2] ?? '') ?? []), part]);
  const firsts = [...indexes.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  return {
    id: `${schema}.${name}`,
    label: context.formatLabel(schema, name),
    rows: Number(rows ?? 0),
    bytes: Number(bytes ?? 0),
    // The server shows who holds a metadata lock only if it was told to.
    isLocked: false,
    isPartitioned: isPartitioned === '1',
    columns: new Map(columns.map((row) => [(row[2] ?? '').toLowerCase(), readColumn(row, firsts)])),
    indexes: [...indexes].map(([label, own]) => readIndex(label, own)),
  };
}

function readColumn([, , name, type, octets, definition, collation, isNullable]: Row, firsts: readonly Row[]): ColumnFacts {
  const length = Number(octets ?? 8);
  const counted = firsts.find((row) => row[5] === name)?.[8];
  const known = counted === null || counted === undefined || counted === '0' ? undefined : Number(counted);
  return {
    label: formatIdentifier(name ?? ''),
    type: definition ?? '',
    collation: collation ?? undefined,
    isNullable: isNullable === '1',
    distinct: known ?? countValues(definition ?? ''),
    sample: undefined,
    width: Math.min(length, 64),
    kind: unindexed.has(type ?? '') || length > maxKeyLength * 4 ? 'other' : 'plain',
    prefixClass: '',
  };
}

/** Only a few types say how many values they have at most. */
function countValues(definition: string): number | undefined {
  if (/^(?:tinyint|bit)\(1\)/i.test(definition)) return 2;
  return /^enum\(/i.test(definition) ? (definition.match(/'(?:[^']|'')*'/g)?.length ?? 1) : undefined;
}

function readIndex(label: string, parts: readonly Row[]): IndexFacts {
  const keys = parts.map(([, , , , , column, length, collation, , expression]) => {
    const key = column === null || column === undefined ? `(${expression ?? ''})` : formatIdentifier(column);
    return `${key}${length === null ? '' : `(${length})`}${collation === 'D' ? ' DESC' : ''}`;
  });
  const [first] = parts;
  return { label, keys, included: [], unique: first?.[3] === '0', isOrdered: first?.[4] === 'BTREE' };
}
