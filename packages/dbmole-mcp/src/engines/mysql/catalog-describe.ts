import type { DescribeRequest, Description, TableDetails } from '../../catalog.ts';
import type { CatalogRun } from '../../engine.ts';
import { parseNameParts } from '../../name-parts.ts';
import { formatParenthesised } from '../../parenthesised.ts';
import { columnsOf, jsonCheck, rightsOf } from './catalog-columns.ts';
import { type CatalogContext, readContext } from './catalog-context.ts';
import { formatDescribe } from './catalog-describe-sql.ts';
import { indexesOf } from './catalog-indexes.ts';
import { bySchema, keyOf, summaryOf } from './catalog-list.ts';
import { referencedBy, referencesOf } from './catalog-references.ts';
import { formatExpression, formatIdentifier } from './identifiers.ts';

type Row = readonly (string | null)[];

/** The cells of one table, by what they are about. */
export type RowsOf = (what: string) => readonly Row[];

interface Wanted {
  asked: string;
  schema: string | undefined;
  table: string;
}

export async function describeTables(run: CatalogRun, request: DescribeRequest): Promise<Description> {
  const context = await readContext(run);
  const wanted = request.names.map((asked) => wantedOf(context, asked, request.schema));
  const found = new Map<string, Group>();
  for (const [schema, tables] of bySchema(wanted.map(({ schema = null, table }) => [schema, table]))) {
    await readTables(run, { context, schema, tables, definitions: request.definitions, into: found });
  }
  const tables = wanted.map((name) => describe(context, name, groupOf(context, found, name)));
  return {
    tables: tables.filter((table) => table !== undefined),
    types: [],
    missing: request.names.filter((_, index) => tables[index] === undefined),
  };
}

function wantedOf({ maria, database }: CatalogContext, asked: string, inSchema: string | undefined): Wanted {
  const parts = parseNameParts(asked);
  const schema = parts.at(-2)?.text ?? inSchema ?? database;
  const table = parts.at(-1)?.text ?? '';
  if (!isServersOwn(schema)) return { asked, schema, table };
  // A statement may write these in any case, but what MySQL says about them is under their capitals only.
  return { asked, schema: schema?.toLowerCase(), table: maria ? table : table.toUpperCase() };
}

function isServersOwn(schema: string | undefined): boolean {
  return schema?.toLowerCase() === 'information_schema';
}

interface Group {
  schema: string;
  table: string;
  rows: Map<string, Row[]>;
}

interface Reading {
  context: CatalogContext;
  schema: string;
  tables: readonly string[];
  definitions: boolean;
  into: Map<string, Group>;
}

async function readTables(run: CatalogRun, { context, schema, tables, definitions, into }: Reading): Promise<void> {
  const incoming = !context.maria || (await countTables(run, schema)) <= mostSearched;
  const { sql, arms } = formatDescribe(tables, { maria: context.maria, definitions, incoming });
  const params = Array.from({ length: arms }, () => [schema, ...tables]).flat();
  const all = [...(await run(sql, params))].sort((a, b) => Number(a[3]) - Number(b[3]));
  for (const [what, inSchema, table, , ...cells] of all) {
    const key = keyOf(inSchema, table);
    const group = into.get(key) ?? { schema: inSchema ?? '', table: table ?? '', rows: new Map<string, Row[]>() };
    into.set(key, group);
    const rows = group.rows.get(what ?? '');
    if (rows === undefined) group.rows.set(what ?? '', [cells]);
    else rows.push(cells);
  }
  if (incoming) return;
  for (const { rows } of into.values()) rows.set('not searched', [[String(mostSearched)]]);
}

/** MariaDB opens every table to find those that refer to one. */
const mostSearched = 2_000;

async function countTables(run: CatalogRun, schema: string): Promise<number> {
  const [row] = await run('select count(*) from information_schema.tables where table_schema = ?', [schema]);
  return Number(row?.[0]);
}

/** Depending on how it was set up, the engine tells upper case from lower case or it does not, and answers in its own. */
function groupOf({ foldsCase }: CatalogContext, found: ReadonlyMap<string, Group>, { schema, table }: Wanted): Group | undefined {
  const exact = found.get(keyOf(schema, table));
  if (exact !== undefined || !(foldsCase || isServersOwn(schema))) return exact;
  const same = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase();
  return [...found.values()].find((group) => same(group.schema, schema) && same(group.table, table));
}

function describe(context: CatalogContext, { asked }: Wanted, group: Group | undefined): TableDetails | undefined {
  const rowsOf: RowsOf = (what) => group?.rows.get(what) ?? [];
  const [facts] = rowsOf('table');
  if (group === undefined || facts === undefined) return undefined;
  const names = { labelOf: context.labelOf, schema: group.schema };
  return {
    asked,
    ...summaryOf(context, [group.schema, group.table, ...facts]),
    rights: rightsOf(rowsOf),
    alsoIn: [],
    columns: columnsOf(rowsOf, context),
    ...indexesOf(rowsOf),
    references: referencesOf(rowsOf, names),
    referencedBy: referencedBy(rowsOf, names),
    checks: checksOf(rowsOf),
    notes: notesOf(rowsOf),
    partitions: {
      shown: rowsOf('partition').map(([name, values]) => [formatIdentifier(name ?? ''), values ?? ''].join(' ').trim()),
      total: Number(rowsOf('partitions')[0]?.[0] ?? 0),
    },
    definition: rowsOf('view')[0]?.[0] || undefined,
  };
}

/** MariaDB adds one to every JSON column, which says no more than that it is one. */
function checksOf(rowsOf: RowsOf): TableDetails['checks'] {
  const columns = rowsOf('column').map(([name]) => name ?? '');
  const own = rowsOf('check').filter(([, clause]) => !columns.some((name) => clause === jsonCheck(name)));
  return own.map(([, clause, suffix]) => {
    const expression = formatExpression(clause ?? '');
    const names = [...(clause ?? '').matchAll(/`((?:[^`]|``)*)`/g)].map(([, name = '']) => name.replaceAll('``', '`'));
    const used = [...new Set(names.filter((name) => columns.includes(name)))];
    return {
      column: used.length === 1 ? formatIdentifier(used[0] ?? '') : undefined,
      definition: `CHECK ${formatParenthesised(expression)}${suffix ?? ''}`,
    };
  });
}

function notesOf(rowsOf: RowsOf): string[] {
  const [partition] = rowsOf('partition');
  const triggers = rowsOf('trigger').map(([name, timing, event]) => `${formatIdentifier(name ?? '')} ${timing} ${event}`);
  return [
    ...(partition === undefined ? [] : [formatPartitioning(partition)]),
    ...(triggers.length === 0 ? [] : [`triggers: ${triggers.join(', ')}`]),
    // The engine then gives an empty one.
    ...(rowsOf('view')[0]?.[0] === '' ? ['its statement is shown to accounts with the right SHOW VIEW'] : []),
    ...rowsOf('not searched').map(([most]) => `references from other tables: not searched, more than ${most} tables`),
  ];
}

function formatPartitioning([, , method, expression, subMethod, subExpression]: Row): string {
  const by = `PARTITION BY ${method} (${formatExpression(expression ?? '')})`;
  return subMethod === null || subMethod === undefined
    ? by
    : `${by} SUBPARTITION BY ${subMethod} (${formatExpression(subExpression ?? '')})`;
}
