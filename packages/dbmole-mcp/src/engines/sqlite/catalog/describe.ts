import type {
  ColumnDetails,
  DescribeRequest,
  Description,
  IndexDetails,
  KeyDetails,
  ReferenceDetails,
  TableDetails,
} from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { type CreateText, readCreateText } from './create-text.ts';
import { isElsewhere } from './list.ts';
import {
  formatKind,
  type Reference,
  type Relation,
  readPrimaryKeys,
  readReferences,
  readRelations,
  toKey,
} from './schema-facts.ts';
import { readSizes, type TableSize } from './sizes.ts';

interface Facts {
  relations: readonly Relation[];
  references: readonly Reference[];
  keys: ReadonlyMap<string, readonly string[]>;
}

export async function describeTables(run: CatalogRun, { names, schema, parts }: DescribeRequest): Promise<Description> {
  const [relations, references, keys] = await Promise.all([readRelations(run), readReferences(run), readPrimaryKeys(run)]);
  const wanted = names.map((asked) => ({ asked, relation: findRelation(relations, asked, schema) }));
  const tables = wanted.flatMap(({ relation }) => (relation === undefined || relation.type === 'view' ? [] : relation.name));
  const sizes = await readSizes(run, tables);
  const described = wanted.map(({ asked, relation }) =>
    relation === undefined
      ? undefined
      : describe(run, relation, { asked, facts: { relations, references, keys }, size: sizes.get(toKey(relation.name)), parts }),
  );
  return {
    tables: (await Promise.all(described)).filter((table) => table !== undefined),
    types: [],
    missing: wanted.flatMap(({ asked, relation }) => (relation === undefined ? asked : [])),
  };
}

export function findRelation(relations: readonly Relation[], asked: string, schema?: string): Relation | undefined {
  const parts = parseNameParts(asked);
  const place = parts.at(-2)?.text ?? schema;
  const name = toKey(parts.at(-1)?.text);
  return isElsewhere(place) ? undefined : relations.find((one) => toKey(one.name) === name);
}

interface Describing {
  asked: string;
  facts: Facts;
  size: TableSize | undefined;
  parts: DescribeRequest['parts'];
}

async function describe(run: CatalogRun, relation: Relation, { asked, facts, size, parts }: Describing): Promise<TableDetails> {
  const { name, type, sql } = relation;
  const text = type === 'table' ? readCreateText(sql) : readCreateText(undefined);
  const [columns, indexes, triggers] = await Promise.all([
    run('select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(?) order by cid', [name]),
    run(indexesSql, [name]),
    run("select name, sql from sqlite_schema where type = 'trigger' and lower(tbl_name) = lower(?) order by name limit 200", [
      name,
    ]),
  ]);
  const shown = columns.filter(([, , , , , hidden]) => hidden !== '1');
  const wantsText = type === 'view' || type === 'virtual' || parts?.includes('definition');
  return {
    asked,
    ...{ name: formatIdentifier(name), kind: formatKind(relation), rows: size?.rows, bytes: size?.bytes },
    ...{ comment: undefined, rights: undefined, alsoIn: [], policies: [], partitions: { shown: [], total: 0 } },
    columns: shown.map((row) => toColumn(row, { text, relation })),
    ...toIndexes(indexes, facts.keys.get(toKey(name)) ?? []),
    references: facts.references.filter(({ from }) => toKey(from) === toKey(name)).map((one) => toReference(one, facts)),
    referencedBy: listReferencing(name, facts),
    checks: text.checks.map(({ name: check, column, expression }) => ({
      name: check === '' ? '' : formatIdentifier(check),
      column: column === undefined ? undefined : formatIdentifier(column),
      definition: `CHECK ${expression}`,
    })),
    triggers: triggers.map(([trigger, body]) => ({ name: formatIdentifier(trigger ?? ''), definition: readTrigger(body ?? '') })),
    notes: listNotes(relation),
    definition: wantsText ? readDefinition(relation) : undefined,
  };
}

type Row = readonly (string | null)[];

const filledWords: Readonly<Record<string, string>> = { 2: 'generated virtual', 3: 'generated stored' };

function toColumn(row: Row, { text, relation }: { text: CreateText; relation: Relation }): ColumnDetails {
  const [name, type, notNull, fallback, key, hidden] = row;
  const generated = filledWords[hidden ?? ''];
  const expression = text.generated.get((name ?? '').toLowerCase());
  const isCounted = text.autoincrement === (name ?? '').toLowerCase();
  const isRowid = key !== '0' && type?.toUpperCase() === 'INTEGER' && !relation.hasNoRowid;
  return {
    name: formatIdentifier(name ?? ''),
    type: type === null || type === undefined || type === '' ? 'any' : type,
    nullable: notNull !== '1' && !isRowid && !(relation.hasNoRowid && key !== '0'),
    default: fallback ?? undefined,
    filled: generated === undefined ? (isCounted ? 'autoincrement' : undefined) : `${generated} ${expression ?? ''}`.trim(),
    comment: undefined,
  };
}

const indexesSql = `select l.name, l."unique", l.origin, l.partial, i.name, i."desc", s.sql
from pragma_index_list(?) l join pragma_index_xinfo(l.name) i left join sqlite_schema s on s.type = 'index' and s.name = l.name
where i.key = 1 order by l.origin desc, l.name, i.seqno limit 20000`;

interface Index {
  name: string;
  isUnique: boolean;
  origin: string;
  columns: string[];
  sql: string | null;
}

function toIndexes(rows: readonly Row[], key: readonly string[]): { keys: KeyDetails[]; indexes: IndexDetails[] } {
  const found = new Map<string, Index>();
  for (const [name, unique, origin, , column, isDescending, sql] of rows) {
    const index = found.get(name ?? '') ?? {
      ...{ name: name ?? '', isUnique: unique === '1', origin: origin ?? '', columns: [], sql: sql ?? null },
    };
    found.set(index.name, index);
    const label = column === null || column === undefined ? '(expression)' : formatIdentifier(column);
    index.columns.push(isDescending === '1' ? `${label} DESC` : label);
  }
  const all = [...found.values()];
  const primary = key.length === 0 ? [] : [{ name: '', word: 'PK', columns: key.map(formatIdentifier) }];
  const unique = all.filter(({ origin }) => origin === 'u').map(({ columns }) => ({ name: '', word: 'UNIQUE', columns }));
  return { keys: [...primary, ...unique], indexes: all.map(toIndex) };
}

function toIndex({ name, isUnique, origin, columns, sql }: Index): IndexDetails {
  // The text has expressions and the condition of a partial index.
  const start = sql === null || name.includes('(') ? -1 : sql.indexOf('(');
  const written = start === -1 ? undefined : sql?.slice(start);
  const definition = written?.replace(/\s+/g, ' ') ?? `(${columns.join(', ')})`;
  return {
    name: formatIdentifier(name),
    definition: isUnique ? `UNIQUE ${definition}` : definition,
    isKey: origin !== 'c',
    bytes: undefined,
    uses: undefined,
  };
}

export function toReference(
  { id, columns, table, onUpdate, onDelete, ...reference }: Reference,
  facts: Pick<Facts, 'keys'>,
): ReferenceDetails {
  const targets = reference.targets.length > 0 ? reference.targets : (facts.keys.get(toKey(table)) ?? []);
  const format = (word: string, rule: string) => (rule === 'NO ACTION' ? '' : `ON ${word} ${rule}`);
  return {
    name: '',
    columns: columns.map(formatIdentifier),
    table: formatIdentifier(table),
    targets: targets.map(formatIdentifier),
    action: [format('DELETE', onDelete), format('UPDATE', onUpdate)].filter((action) => action !== '').join(' '),
  };
}

const maxReferencing = 100;

function listReferencing(name: string, facts: Facts): TableDetails['referencedBy'] {
  const found = facts.references.filter(({ table }) => toKey(table) === toKey(name));
  const shown = found.slice(0, maxReferencing).map((one) => ({ ...toReference(one, facts), table: formatIdentifier(one.from) }));
  return { shown, total: found.length };
}

/** What follows the name: `AFTER INSERT ON orders …`. */
function readTrigger(sql: string): string {
  return sql.replace(
    /^create\s+(?:temp(?:orary)?\s+)?trigger\s+(?:if\s+not\s+exists\s+)?(?:"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|\S+)\s*/i,
    '',
  );
}

function listNotes({ type, isStrict, hasNoRowid, sql }: Relation): string[] {
  return [
    ...(isStrict ? ['STRICT: values have the types of their columns'] : []),
    ...(hasNoRowid && type === 'table' ? ['WITHOUT ROWID'] : []),
    ...(type === 'shadow' ? ['kept by a virtual table; change that one instead'] : []),
    ...(type === 'virtual' && sql !== null
      ? [
          `USING ${
            findAfter(sql, /\busing\s/i)
              ?.trim()
              .replace(/\s+/g, ' ') ?? ''
          }`,
        ]
      : []),
  ];
}

function readDefinition({ type, sql }: Relation): string | undefined {
  if (sql === null || type === 'virtual') return undefined;
  return type === 'view' ? (findAfter(sql, /\bas\b/i)?.trimStart() ?? sql) : sql;
}

/** The rest of a text behind the first match. The text is of a file that others may have written. */
function findAfter(sql: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(sql);
  return found === null ? undefined : sql.slice(found.index + found[0].length);
}
