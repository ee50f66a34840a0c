import type { CatalogRun } from '../../../engine.ts';
import { detectFlavour } from '../flavour.ts';
import { formatIdentifier } from '../values/identifiers.ts';

/** What the statements over information_schema depend on: MariaDB has other columns there and other plans for reading them. */
export interface CatalogContext {
  maria: boolean;
  database: string | undefined;
  /** The server compares table names without case. */
  foldsCase: boolean;
  /** The view of information_schema that lists table names fastest. */
  names: 'tables' | 'tables_extensions';
  /** The number of tables per schema at the last count; the key undefined means all listed schemas. */
  counts: Map<string | undefined, number>;
  /** Formats a table name as a statement of this session must write it. */
  formatLabel(schema: string | null | undefined, table: string | null | undefined): string;
}

/** The context changes only when the server is upgraded. */
const contextAgeMs = 60_000;

interface KnownContext {
  context: CatalogContext;
  until: number;
}

const known = new WeakMap<object, KnownContext>();

export async function readContext(run: CatalogRun): Promise<CatalogContext> {
  const { database } = run;
  if (database === undefined) return await askContext(run);
  const last = known.get(database);
  if (last !== undefined && last.until > performance.now()) return last.context;
  const context = await askContext(run);
  known.set(database, { context, until: performance.now() + contextAgeMs });
  return context;
}

async function askContext(run: CatalogRun): Promise<CatalogContext> {
  const [row = []] = await run('select version(), database(), @@lower_case_table_names');
  const database = row[1] ?? undefined;
  const { product, version } = detectFlavour(row[0] ?? '');
  const maria = product === 'MariaDB';
  return {
    maria,
    database,
    foldsCase: row[2] !== '0',
    names: !maria && hasExtensions(version) ? 'tables_extensions' : 'tables',
    counts: new Map(),
    formatLabel(schema, table) {
      const name = formatIdentifier(table ?? '');
      return schema === database ? name : `${formatIdentifier(schema ?? '')}.${name}`;
    },
  };
}

/**
 * MySQL has a second view with the same tables since 8.0.21. It joins half as much, and the engine joins everything for every name
 * before it sorts the names and keeps one page.
 */
function hasExtensions(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  return major > 8 || (major === 8 && (minor > 0 || patch >= 21));
}

export const systemSchemas = `('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo')`;

interface SchemaCondition {
  sql: string;
  params: readonly string[];
}

/** The requested schema, else that of the session, else all but those of the server. MariaDB reads every schema unless it is a constant. */
export function schemaCondition(column: string, { database }: CatalogContext, schema: string | undefined): SchemaCondition {
  const wanted = schema ?? database;
  if (wanted === undefined) return { sql: `${column} not in ${systemSchemas}`, params: [] };
  return { sql: `${column} = ?`, params: [wanted] };
}

export function questionMarks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

export function bySchema(names: readonly (readonly (string | null)[])[]): Map<string, string[]> {
  const schemas = new Map<string, string[]>();
  for (const [schema, table] of names) {
    if (schema && table) schemas.set(schema, [...(schemas.get(schema) ?? []), table]);
  }
  return schemas;
}

/** The key keeps the case: whether the engine compares table names with case depends on its setup. */
export function toKey(schema: string | null | undefined, table: string | null | undefined): string {
  return JSON.stringify([schema, table]);
}
