import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { DescribeRequest, Description, TableDetails } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import { maxComment } from '../../../catalog/parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatParenthesised } from '../../../statement/parenthesised.ts';
import { formatExpression, formatIdentifier } from '../values/identifiers.ts';
import { bySchema, type CatalogContext, readContext, toKey } from './context.ts';
import { jsonCheck, type RowsOf, readColumns, readReferences, readRights, referencedBy, toIndexes } from './definitions.ts';
import { formatDescribe } from './describe-sql.ts';
import { summarize } from './list.ts';
import { addMissingRules } from './rules.ts';
import { countTables, maxSearched } from './state.ts';
import { readIndexUses, toIndexUses } from './stats.ts';

type Row = readonly (string | null)[];

interface Wanted {
  asked: string;
  schema: string | undefined;
  table: string;
}

export async function describeTables(run: CatalogRun, request: DescribeRequest): Promise<Description> {
  const context = await readContext(run);
  const wanted = request.names.map((asked) => listWanted(context, asked, request.schema));
  const found = new Map<string, Group>();
  for (const [schema, tables] of bySchema(wanted.map(({ schema = null, table }) => [schema, table]))) {
    await readTables(run, { context, schema, tables, parts: request.parts, into: found });
  }
  await addMissingRules(run, found.values());
  const details = wanted.map((name) => describe(context, name, readGroup(context, found, name)));
  const tables = request.parts?.includes('definition')
    ? await Promise.all(details.map((one) => addStatement(run, one)))
    : details;
  return {
    tables: tables.filter((table) => table !== undefined),
    types: [],
    missing: request.names.filter((_, index) => tables[index] === undefined),
  };
}

function listWanted({ maria, database }: CatalogContext, asked: string, inSchema: string | undefined): Wanted {
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
  parts: DescribeRequest['parts'];
  into: Map<string, Group>;
}

async function readTables(run: CatalogRun, { context, schema, tables, parts, into }: Reading): Promise<void> {
  const incoming = !context.maria || (await countTables(run, context, schema)) <= maxSearched;
  const { sql, arms } = formatDescribe(tables, { maria: context.maria, comment: maxComment(parts), incoming });
  const params = Array.from({ length: arms }, () => [schema, ...tables]).flat();
  const [rows, uses] = await Promise.all([
    run(sql, params),
    parts?.includes('indexes') ? readIndexUses(run, schema, tables) : [],
  ]);
  const all = [...rows, ...uses].sort((a, b) => Number(a[3]) - Number(b[3]));
  for (const [what, inSchema, table, , ...cells] of all) {
    const key = toKey(inSchema, table);
    const group = into.get(key) ?? { schema: inSchema ?? '', table: table ?? '', rows: new Map<string, Row[]>() };
    into.set(key, group);
    const rows = group.rows.get(what ?? '');
    if (rows === undefined) group.rows.set(what ?? '', [cells]);
    else rows.push(cells);
  }
  if (incoming) return;
  for (const { rows } of into.values()) rows.set('not searched', [[String(maxSearched)]]);
}

/** The engine may compare names without case, and then answers with its own spelling. */
function readGroup(
  { foldsCase }: CatalogContext,
  found: ReadonlyMap<string, Group>,
  { schema, table }: Wanted,
): Group | undefined {
  const exact = found.get(toKey(schema, table));
  if (exact !== undefined || !(foldsCase || isServersOwn(schema))) return exact;
  const same = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase();
  return [...found.values()].find((group) => same(group.schema, schema) && same(group.table, table));
}

function describe(context: CatalogContext, { asked }: Wanted, group: Group | undefined): TableDetails | undefined {
  const buildRows: RowsOf = (what) => group?.rows.get(what) ?? [];
  const [facts] = buildRows('table');
  if (group === undefined || facts === undefined) return undefined;
  const names = { formatLabel: context.formatLabel, schema: group.schema };
  return {
    asked,
    ...summarize(context, [group.schema, group.table, ...facts]),
    rights: readRights(buildRows),
    alsoIn: [],
    columns: readColumns(buildRows, context),
    ...toIndexes(buildRows, toIndexUses(buildRows)),
    policies: [],
    triggers: buildRows('trigger').map(([name, timing, event, statement]) => ({
      name: formatIdentifier(name ?? ''),
      definition: `${timing} ${event} FOR EACH ROW ${statement}`,
    })),
    references: readReferences(buildRows, names),
    referencedBy: referencedBy(buildRows, names),
    checks: readChecks(buildRows),
    notes: listNotes(buildRows),
    partitions: {
      shown: buildRows('partition').map(([name, values]) => [formatIdentifier(name ?? ''), values ?? ''].join(' ').trim()),
      total: Number(buildRows('partitions')[0]?.[0] ?? 0),
    },
    definition: buildRows('view')[0]?.[0] || undefined,
  };
}

/** The statement of a view is known already, as the engine keeps it. */
async function addStatement(run: CatalogRun, table: TableDetails | undefined): Promise<TableDetails | undefined> {
  if (table === undefined || /view$/.test(table.kind)) return table;
  const rows = await askIfAllowed(run, `show create table ${table.name}`);
  return { ...table, definition: rows?.[0]?.[1] ?? undefined };
}

/** MariaDB adds a check to every JSON column that says nothing else. */
function readChecks(buildRows: RowsOf): TableDetails['checks'] {
  const columns = buildRows('column').map(([name]) => name ?? '');
  const own = buildRows('check').filter(([, clause]) => !columns.some((name) => clause === jsonCheck(name)));
  return own.map(([name, clause, suffix]) => {
    const expression = formatExpression(clause ?? '');
    const names = [...(clause ?? '').matchAll(/`((?:[^`]|``)*)`/g)].map(([, name = '']) => name.replaceAll('``', '`'));
    const used = [...new Set(names.filter((name) => columns.includes(name)))];
    return {
      name: formatIdentifier(name ?? ''),
      column: used.length === 1 ? formatIdentifier(used[0] ?? '') : undefined,
      definition: `CHECK ${formatParenthesised(expression)}${suffix ?? ''}`,
    };
  });
}

function listNotes(buildRows: RowsOf): string[] {
  const [partition] = buildRows('partition');
  return [
    ...(partition === undefined ? [] : [formatPartitioning(partition)]),
    // The engine shows an empty statement to such accounts.
    ...(buildRows('view')[0]?.[0] === '' ? ['its statement is shown to accounts with the right SHOW VIEW'] : []),
    ...buildRows('not searched').map(([most]) => `references from other tables: not searched, more than ${most} tables`),
  ];
}

function formatPartitioning([, , method, expression, subMethod, subExpression]: Row): string {
  const by = `PARTITION BY ${method} (${formatExpression(expression ?? '')})`;
  return subMethod === null || subMethod === undefined
    ? by
    : `${by} SUBPARTITION BY ${subMethod} (${formatExpression(subExpression ?? '')})`;
}
