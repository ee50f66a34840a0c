import type { DescribeRequest, Description, OtherObject, TableDetails } from '../../../catalog/catalog.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatDefault, formatFilled, formatIndex, formatType, parseAction, parseKey } from './definitions.ts';
import { describeTables as sql } from './describe-sql.ts';
import { formatLabel, listCandidates } from './fragments.ts';
import { listNames, summarize } from './list.ts';

type Row = readonly (string | null)[];
type RowsOf = (what: string) => Row[];

export async function describeTables(run: CatalogRun, { names, schema, definitions }: DescribeRequest): Promise<Description> {
  const wanted = names.flatMap((name, ord) => listCandidates(name, ord, schema));
  const rows = await run(sql, [JSON.stringify(wanted), definitions]);
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
    indexes: buildRows('index').map(([name, definition, method, valid]) => ({
      name: name ?? '',
      definition: formatIndex({ name: name ?? '', definition: definition ?? '', method: method ?? '', valid: valid === 'true' }),
    })),
    ...listChildren(buildRows),
  };
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

/** Objects of the wanted names that are looked up at most. */
const maxOthers = 100;

const others = `
with wanted as (select * from pg_catalog.jsonb_to_recordset($1::jsonb) as w(ord int, rank int, nsp text, rel text))
select w.ord::text, x.kind, x.shown from wanted w join lateral (
  select case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end as kind, n.nspname,
    case when p.prokind <> 'a' then 'select pg_get_functiondef(' || pg_catalog.quote_literal(p.oid::pg_catalog.regprocedure::text) || '::regprocedure)'
      end as shown
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.proname = w.rel
  union all
  select case c.relkind when 'S' then 'sequence' when 'c' then 'composite type' else 'index' end, n.nspname,
    case c.relkind when 'S' then 'select * from ' || ${formatLabel('c', 'n')}
      when 'c' then null else 'select pg_get_indexdef(' || pg_catalog.quote_literal(${formatLabel('c', 'n')}) || '::regclass)' end
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relname = w.rel and c.relkind in ('S', 'i', 'I', 'c')
  union all
  select case t.typtype when 'e' then 'enum type' else 'domain' end, n.nspname, null
  from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
  where t.typname = w.rel and t.typtype in ('e', 'd')) x on w.nsp is null or x.nspname = w.nsp
order by w.ord, w.rank limit ${maxOthers}`;

export async function findOthers(
  run: CatalogRun,
  { names, schema }: Pick<DescribeRequest, 'names' | 'schema'>,
): Promise<OtherObject[]> {
  const wanted = names.flatMap((name, ord) => listCandidates(name, ord, schema));
  const rows = await run(others, [JSON.stringify(wanted)]);
  return rows.map(([ord, kind, shownBy]) => ({
    asked: names[Number(ord)] ?? '',
    kind: kind ?? '',
    shownBy: shownBy ?? undefined,
  }));
}

/** More would not help to find a slip. */
const maxNames = 20_000;

const functions = `
select distinct pg_catalog.quote_ident(p.proname) from pg_catalog.pg_proc p
where pg_catalog.pg_function_is_visible(p.oid) limit ${maxNames}`;

export async function functionNames(run: CatalogRun): Promise<string[]> {
  return (await run(functions)).map(([name]) => name ?? '');
}
