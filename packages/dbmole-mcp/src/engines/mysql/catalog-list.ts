import type { DatabaseSummary, Page, TableFilter, TableSummary } from '../../catalog.ts';
import type { CatalogRun } from '../../engine.ts';
import { formatLike } from '../../like-pattern.ts';
import { type CatalogContext, questionMarks, readContext, schemaCondition } from './catalog-context.ts';
import { formatIdentifier } from './identifiers.ts';

type Row = readonly (string | null)[];

/** No sizes: adding them up would open every table of the server. */
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

/** First the names of the page, then what is known of these: everything else in this view makes the engine open the table. */
export async function listTables(run: CatalogRun, filter: TableFilter): Promise<TableSummary[]> {
  const context = await readContext(run);
  const page = await readPage(run, context, filter);
  const facts = new Map<string, TableSummary>();
  for (const [schema, tables] of bySchema(page)) {
    for (const row of await run(factsOf(tables), [schema, ...tables])) {
      facts.set(keyOf(row[0], row[1]), summaryOf(context, row));
    }
  }
  return page.map(([schema, table]) => facts.get(keyOf(schema, table))).filter((summary) => summary !== undefined);
}

async function readPage(run: CatalogRun, context: CatalogContext, filter: TableFilter): Promise<readonly Row[]> {
  const { schema, pattern, limit, offset } = filter;
  const where = schemaCondition('table_schema', context, schema);
  const name = pattern?.includes('.') ? "concat(table_schema, '.', table_name)" : 'table_name';
  const like = pattern === undefined ? [] : [formatLike(pattern).toLowerCase()];
  const sql = `select table_schema, table_name from information_schema.${context.names}
    where ${where.sql}${pattern === undefined ? '' : ` and lower(${name}) like ?`}
    order by table_schema, table_name limit ? offset ?`;
  return await run(sql, [...where.params, ...like, limit + 1, offset]);
}

export function bySchema(names: readonly Row[]): Map<string, string[]> {
  const schemas = new Map<string, string[]>();
  for (const [schema, table] of names) {
    if (schema && table) schemas.set(schema, [...(schemas.get(schema) ?? []), table]);
  }
  return schemas;
}

export const tableFacts = `table_type, table_rows, data_length + index_length, left(table_comment, 201), create_options`;

function factsOf(tables: readonly string[]): string {
  return `select table_schema, table_name, ${tableFacts} from information_schema.tables
    where table_schema = ? and table_name in (${questionMarks(tables)})`;
}

export function summaryOf({ labelOf }: CatalogContext, row: Row): TableSummary {
  const [schema, table, type, rows, bytes, comment, options] = row;
  return {
    name: labelOf(schema, table),
    kind: kindOf(type ?? '', options ?? ''),
    rows: numberOf(rows),
    bytes: numberOf(bytes),
    // Of a view this column only says that it is one, unless it is broken.
    comment: comment === 'VIEW' || comment === '' ? undefined : (comment ?? undefined),
    rights: undefined,
  };
}

function kindOf(type: string, options: string): string {
  if (type !== 'BASE TABLE') return type.toLowerCase();
  return /\bpartitioned\b/i.test(options) ? 'partitioned table' : 'table';
}

function numberOf(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Number(text);
}

/** Exact: the engine may or may not tell upper case from lower case in names of tables. */
export function keyOf(schema: string | null | undefined, table: string | null | undefined): string {
  return JSON.stringify([schema, table]);
}

export async function tableNames(run: CatalogRun): Promise<string[]> {
  const context = await readContext(run);
  const where = schemaCondition('table_schema', context, undefined);
  const sql = `select table_schema, table_name from information_schema.${context.names} where ${where.sql} limit 20000`;
  return (await run(sql, where.params)).map(([schema, table]) => context.labelOf(schema, table));
}

export async function schemaNames(run: CatalogRun): Promise<string[]> {
  return (await run('select schema_name from information_schema.schemata limit 20000')).map(([name]) => name ?? '');
}
