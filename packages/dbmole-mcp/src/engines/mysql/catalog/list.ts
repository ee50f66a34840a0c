import type {
  Bounded,
  DatabaseSummary,
  Page,
  RelationName,
  TableFilter,
  TableListing,
  TableSummary,
} from '../../../catalog/catalog.ts';
import { formatLike } from '../../../catalog/name-parts.ts';
import type { CatalogRun, Param } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { bySchema, type CatalogContext, questionMarks, readContext, schemaCondition, systemSchemas, toKey } from './context.ts';
import { formatConditions, readState, type TableStates } from './state.ts';

type Row = readonly (string | null)[];

/** Sizes are left out: adding them up would open every table of the server. */
const databases = `
select schema_name, schema_name <=> database() from information_schema.schemata
where schema_name not in ('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo') or schema_name <=> database()
order by 2 desc, 1 limit ? offset ?`;

export async function listDatabases(run: CatalogRun, { limit, offset }: Page): Promise<DatabaseSummary[]> {
  return (await run(databases, [limit + 1, offset])).map(([name, current]) => ({
    name: formatIdentifier(name ?? ''),
    current: current === '1',
    bytes: undefined,
    comment: undefined,
  }));
}

/** Opening this many tables takes less time than a round trip. */
const fewTables = 200;

/**
 * Reads the facts of one page only, because the engine opens a table for each column beyond the names. MySQL joins the page with the
 * facts. The others open the tables that are named as constants, so they are asked for the names first, unless there are few tables.
 */
export async function listTables(run: CatalogRun, filter: TableFilter): Promise<Bounded<TableListing>> {
  const context = await readContext(run);
  const schema = filter.schema ?? context.database;
  const few = schema !== undefined && (context.counts.get(schema) ?? fewTables + 1) <= fewTables ? schema : undefined;
  const isOneStep = context.names === 'tables_extensions' || few !== undefined;
  // The state of few tables is asked for beside their facts, before it is known which of them are shown.
  const [rows, stateOfAll] = await Promise.all([
    isOneStep ? readFacts(run, context, filter) : readStepwise(run, context, filter),
    few === undefined ? undefined : readState(run, context, new Map([[few, undefined]])),
  ]);
  if (isWhole(filter)) {
    context.counts.set(schema, rows.length > filter.limit ? Number.POSITIVE_INFINITY : rows.length);
  }
  const state = stateOfAll ?? (await readState(run, context, bySchema(rows)));
  return { shown: rows.map((row) => readListing(context, row, state)), total: Number(rows[0]?.at(-1) ?? 0) };
}

function isWhole({ pattern, kind, without, offset }: TableFilter): boolean {
  return pattern === undefined && kind === undefined && without === undefined && offset === 0;
}

function readListing(context: CatalogContext, row: Row, state: TableStates): TableListing {
  const isTable = row[2]?.includes('VIEW') === false;
  const { primaryKey, references, referencedBy } = state.of(row[0], row[1]);
  return {
    ...summarize(context, row),
    primaryKey: isTable ? primaryKey.map(formatIdentifier) : undefined,
    rowSecurity: undefined,
    references,
    referencedBy,
  };
}

async function readFacts(run: CatalogRun, context: CatalogContext, filter: TableFilter): Promise<readonly Row[]> {
  const isJoin = context.names === 'tables_extensions';
  const { sql, params } = readPage(context, filter, isJoin ? pageColumns : `${factColumns}, ${total}`);
  if (!isJoin) return await run(sql, params);
  const join = `select ${factColumns}, total from (${sql}) page join information_schema.tables using (table_schema, table_name)
    order by table_schema, table_name limit ?`;
  return await run(join, [...params, filter.limit + 1]);
}

async function readStepwise(run: CatalogRun, context: CatalogContext, filter: TableFilter): Promise<readonly Row[]> {
  const { sql, params } = readPage(context, filter, pageColumns);
  const page = await run(sql, params);
  const facts = new Map<string, Row>();
  for (const [schema, tables] of bySchema(page)) {
    for (const row of await run(collectFacts(tables), [schema, ...tables])) facts.set(toKey(row[0], row[1]), row);
  }
  return page.flatMap(([schema, table, count = null]) => {
    const row = facts.get(toKey(schema, table));
    return row === undefined ? [] : [[...row, count]];
  });
}

/** The number of tables on all pages. */
const total = 'count(*) over () as total';
const names = 'table_schema, table_name';
const pageColumns = `${names}, ${total}`;

function readPage(context: CatalogContext, filter: TableFilter, columns: string): { sql: string; params: Param[] } {
  const { schema, pattern, limit, offset } = filter;
  const where = schemaCondition('table_schema', context, schema);
  const name = pattern?.includes('.') ? "concat(table_schema, '.', table_name)" : 'table_name';
  const like = pattern === undefined ? [] : [formatLike(pattern).toLowerCase()];
  const conditions = formatConditions(context, filter);
  // The faster view has nothing but names.
  const source = conditions.sql === '' ? context.names : 'tables';
  const sql = `select ${columns} from information_schema.${source}
    where ${where.sql}${pattern === undefined ? '' : ` and lower(${name}) like ?`}${conditions.sql}
    order by table_schema, table_name limit ? offset ?`;
  return { sql, params: [...where.params, ...like, ...conditions.params, limit + 1, offset] };
}

export const tableFacts = `table_type, table_rows, data_length + index_length, left(table_comment, 201), create_options`;

const factColumns = `${names}, ${tableFacts}`;

function collectFacts(tables: readonly string[]): string {
  return `select ${factColumns} from information_schema.tables
    where table_schema = ? and table_name in (${questionMarks(tables)})`;
}

export function summarize({ formatLabel }: CatalogContext, row: Row): TableSummary {
  const [schema, table, type, rows, bytes, comment, options] = row;
  return {
    name: formatLabel(schema, table),
    kind: findKind(type ?? '', options ?? ''),
    rows: readNumber(rows),
    bytes: readNumber(bytes),
    // The comment of a view is the word VIEW, unless the view is broken.
    comment: comment === 'VIEW' || comment === '' ? undefined : (comment ?? undefined),
    rights: undefined,
  };
}

function findKind(type: string, options: string): string {
  if (type !== 'BASE TABLE') return type.toLowerCase();
  return /\bpartitioned\b/i.test(options) ? 'partitioned table' : 'table';
}

function readNumber(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Number(text);
}

export async function relations(run: CatalogRun): Promise<RelationName[]> {
  const context = await readContext(run);
  const sql = `select table_schema, table_name from information_schema.${context.names}
    where table_schema not in ${systemSchemas} limit 20000`;
  return (await run(sql)).map(([schema, table]) => ({
    schema: schema ?? '',
    name: table ?? '',
    label: context.formatLabel(schema, table),
  }));
}

export async function tableNames(run: CatalogRun): Promise<string[]> {
  const context = await readContext(run);
  const where = schemaCondition('table_schema', context, undefined);
  const sql = `select table_schema, table_name from information_schema.${context.names} where ${where.sql} limit 20000`;
  return (await run(sql, where.params)).map(([schema, table]) => context.formatLabel(schema, table));
}

export async function schemaNames(run: CatalogRun): Promise<string[]> {
  return (await run('select schema_name from information_schema.schemata limit 20000')).map(([name]) => name ?? '');
}
