import type { DescribeRequest, Description, TableDetails } from '../../catalog.ts';
import type { CatalogRun } from '../../engine.ts';
import { formatDefault, formatFilled, formatIndex, formatType, parseAction, parseKey } from './catalog-definitions.ts';
import { describeTables as sql } from './catalog-describe-sql.ts';
import { summaryOf } from './catalog-list.ts';
import { candidatesOf } from './table-candidates.ts';

type Row = readonly (string | null)[];
type RowsOf = (what: string) => Row[];

export async function describeTables(run: CatalogRun, { names, schema, definitions }: DescribeRequest): Promise<Description> {
  const wanted = names.flatMap((name, ord) => candidatesOf(name, ord, schema));
  const rows = await run(sql, [JSON.stringify(wanted), definitions]);
  const tables = names.map((asked, ord) => tableOf(asked, groupRows(rows.filter((row) => row[1] === String(ord)))));
  return {
    tables: tables.filter((table) => table !== undefined),
    types: groupRows(rows)('type').map(([name, definition]) => ({ name: formatType(name ?? ''), definition: definition ?? '' })),
    missing: names.filter((_, ord) => tables[ord] === undefined),
  };
}

/** What follows the three cells that say what a row is. */
function groupRows(rows: readonly Row[]): RowsOf {
  const groups = new Map<string | null, Row[]>();
  for (const [what = null, , , ...cells] of rows) {
    const group = groups.get(what);
    if (group === undefined) groups.set(what, [cells]);
    else group.push(cells);
  }
  return (what) => groups.get(what) ?? [];
}

function tableOf(asked: string, rowsOf: RowsOf): TableDetails | undefined {
  const [table] = rowsOf('table');
  if (table === undefined) return undefined;
  return {
    asked,
    ...summaryOf(table),
    definition: table[6] ?? undefined,
    alsoIn: rowsOf('also').map(([label]) => label ?? ''),
    columns: rowsOf('column').map(columnOf),
    ...constraintsOf(rowsOf('constraint')),
    referencedBy: referencedBy(rowsOf('incoming')),
    indexes: rowsOf('index').map(([name, definition, method, valid]) => ({
      name: name ?? '',
      definition: formatIndex({ name: name ?? '', definition: definition ?? '', method: method ?? '', valid: valid === 'true' }),
    })),
    ...childrenOf(rowsOf),
  };
}

/** Tables that inherit without being partitions hold rows and perhaps columns of their own; only partitions have bounds. */
function childrenOf(rowsOf: RowsOf): Pick<TableDetails, 'partitions' | 'notes'> {
  const rows = rowsOf('partition');
  const notes = rowsOf('note').map(([note]) => note ?? '');
  const total = Number(rows[0]?.[2] ?? 0);
  if (total === 0 || rows[0]?.[1] !== null) {
    return { partitions: { shown: rows.map(([name, bound]) => `${name} ${bound}`), total }, notes };
  }
  const names = rows.map(([name]) => name).join(', ');
  const more = total > rows.length ? ` and ${total - rows.length} more` : '';
  return { partitions: { shown: [], total: 0 }, notes: [...notes, `inherited by ${names}${more}`] };
}

function columnOf([name, type, notNull, expression, identity, generated, text]: Row): TableDetails['columns'][number] {
  return {
    name: name ?? '',
    type: formatType(type ?? ''),
    nullable: notNull !== 'true',
    default: generated === '' ? formatDefault(expression ?? undefined, type ?? '') : undefined,
    filled: formatFilled({ identity: identity ?? '', generated: generated ?? '', expression: expression ?? '' }),
    comment: text ?? undefined,
  };
}

function constraintsOf(rows: readonly Row[]): Pick<TableDetails, 'keys' | 'references' | 'checks'> {
  const constraints = rows.map(constraintOf);
  return {
    keys: constraints.map(({ key }) => key).filter((key) => key !== undefined),
    references: constraints.map(({ reference }) => reference).filter((reference) => reference !== undefined),
    checks: constraints.map(({ check }) => check).filter((check) => check !== undefined),
  };
}

interface Constraint {
  key?: TableDetails['keys'][number];
  reference?: TableDetails['references'][number];
  check?: TableDetails['checks'][number];
}

function constraintOf([type, json, text, target, targets]: Row): Constraint {
  const columns = namesOf(json);
  const definition = text ?? '';
  if (type === 'f')
    return { reference: { columns, table: target ?? '', targets: namesOf(targets), action: parseAction(definition) } };
  const word = type === 'p' || type === 'u' ? parseKey(definition) : undefined;
  if (word !== undefined) return { key: { word, columns } };
  return { check: { column: type === 'c' && columns.length === 1 ? columns[0] : undefined, definition } };
}

function referencedBy(rows: readonly Row[]): TableDetails['referencedBy'] {
  const shown = rows.map(([table, columns, targets, definition]) => ({
    table: table ?? '',
    columns: namesOf(columns),
    targets: namesOf(targets),
    action: parseAction(definition ?? ''),
  }));
  return { shown, total: Number(rows[0]?.[4] ?? 0) };
}

function namesOf(json: string | null | undefined): string[] {
  const names: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(names) ? names.map(String) : [];
}
