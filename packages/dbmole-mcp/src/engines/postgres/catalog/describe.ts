import type { DescribeRequest, Description, PolicyDetails, TableDetails } from '../../../catalog/catalog.ts';
import { maxComment } from '../../../catalog/parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatParenthesised } from '../../../statement/parenthesised.ts';
import { formatDefault, formatFilled, formatIndex, formatTrigger, formatType, parseAction, parseKey } from './definitions.ts';
import { describeTables as sql } from './describe-sql.ts';
import { listCandidates } from './fragments.ts';
import { listNames, readNumber, summarize } from './list.ts';

type Row = readonly (string | null)[];
type RowsOf = (what: string) => Row[];

export async function describeTables(run: CatalogRun, { names, schema, parts }: DescribeRequest): Promise<Description> {
  const wanted = names.flatMap((name, ord) => listCandidates(name, ord, schema));
  const rows = await run(sql, [JSON.stringify(wanted), maxComment(parts)]);
  const tables = names.map((asked, ord) => readTable(asked, groupRows(rows.filter((row) => row[1] === String(ord)))));
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

function readTable(asked: string, buildRows: RowsOf): TableDetails | undefined {
  const [table] = buildRows('table');
  if (table === undefined) return undefined;
  return {
    asked,
    ...summarize(table),
    definition: table[6] ?? undefined,
    alsoIn: buildRows('also').map(([label]) => label ?? ''),
    columns: buildRows('column').map(readColumn),
    ...readConstraints(buildRows('constraint')),
    referencedBy: referencedBy(buildRows('incoming')),
    indexes: buildRows('index').map(readIndex),
    policies: buildRows('policy').map(readPolicy),
    triggers: buildRows('trigger').map(([name, definition, enabled]) => ({
      name: name ?? '',
      definition: formatTrigger({ name: name ?? '', definition: definition ?? '', enabled: enabled ?? '' }),
    })),
    ...listChildren(buildRows),
  };
}

function readIndex([label, definition, method, valid, isKey, bytes, uses]: Row): TableDetails['indexes'][number] {
  const name = label ?? '';
  return {
    name,
    definition: formatIndex({ name, definition: definition ?? '', method: method ?? '', valid: valid === 'true' }),
    isKey: isKey === 'true',
    bytes: readNumber(bytes),
    uses: readNumber(uses),
  };
}

const commands: Readonly<Record<string, string>> = { r: 'SELECT', a: 'INSERT', w: 'UPDATE', d: 'DELETE', '*': 'ALL' };

function readPolicy([name, command, permissive, roles, using, check]: Row): PolicyDetails {
  const words = [
    permissive === 'true' ? '' : 'RESTRICTIVE',
    `FOR ${commands[command ?? ''] ?? command} TO ${roles}`,
    using === null || using === undefined ? '' : `USING ${formatParenthesised(using)}`,
    check === null || check === undefined ? '' : `WITH CHECK ${formatParenthesised(check)}`,
  ];
  return { name: name ?? '', definition: words.filter((word) => word !== '').join(' ') };
}

/** Tables that inherit without being partitions hold rows and perhaps columns of their own; only partitions have bounds. */
function listChildren(buildRows: RowsOf): Pick<TableDetails, 'partitions' | 'notes'> {
  const rows = buildRows('partition');
  const notes = buildRows('note').map(([note]) => note ?? '');
  const total = Number(rows[0]?.[2] ?? 0);
  if (total === 0 || rows[0]?.[1] !== null) {
    return { partitions: { shown: rows.map(([name, bound]) => `${name} ${bound}`), total }, notes };
  }
  const names = rows.map(([name]) => name).join(', ');
  const more = total > rows.length ? ` and ${total - rows.length} more` : '';
  return { partitions: { shown: [], total: 0 }, notes: [...notes, `inherited by ${names}${more}`] };
}

function readColumn([name, type, notNull, expression, identity, generated, text]: Row): TableDetails['columns'][number] {
  return {
    name: name ?? '',
    type: formatType(type ?? ''),
    nullable: notNull !== 'true',
    default: generated === '' ? formatDefault(expression ?? undefined, type ?? '') : undefined,
    filled: formatFilled({ identity: identity ?? '', generated: generated ?? '', expression: expression ?? '' }),
    comment: text ?? undefined,
  };
}

function readConstraints(rows: readonly Row[]): Pick<TableDetails, 'keys' | 'references' | 'checks'> {
  const constraints = rows.map(readConstraint);
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

function readConstraint([type, json, text, target, targets, label]: Row): Constraint {
  const name = label ?? '';
  const columns = listNames(json);
  const definition = text ?? '';
  if (type === 'f')
    return { reference: { name, columns, table: target ?? '', targets: listNames(targets), action: parseAction(definition) } };
  const word = type === 'p' || type === 'u' ? parseKey(definition) : undefined;
  if (word !== undefined) return { key: { name, word, columns } };
  return { check: { name, column: type === 'c' && columns.length === 1 ? columns[0] : undefined, definition } };
}

function referencedBy(rows: readonly Row[]): TableDetails['referencedBy'] {
  const shown = rows.map(([table, columns, targets, definition, , name]) => ({
    name: name ?? '',
    table: table ?? '',
    columns: listNames(columns),
    targets: listNames(targets),
    action: parseAction(definition ?? ''),
  }));
  return { shown, total: Number(rows[0]?.[4] ?? 0) };
}

/** More would not help to find a slip. */
const maxNames = 20_000;

const functions = `
select distinct pg_catalog.quote_ident(p.proname) from pg_catalog.pg_proc p
where pg_catalog.pg_function_is_visible(p.oid) limit ${maxNames}`;

export async function functionNames(run: CatalogRun): Promise<string[]> {
  return (await run(functions)).map(([name]) => name ?? '');
}
