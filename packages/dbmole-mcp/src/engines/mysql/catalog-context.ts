import type { CatalogRun } from '../../engine.ts';
import { flavourOf } from './flavour.ts';
import { formatIdentifier } from './identifiers.ts';

/** What the statements over information_schema depend on: MariaDB has other columns there, and other plans for reading it. */
export interface CatalogContext {
  maria: boolean;
  database: string | undefined;
  /** The server does not tell upper from lower case in names of tables. */
  foldsCase: boolean;
  /** The view that gives names of tables at the lowest price. */
  names: 'tables' | 'tables_extensions';
  /** A name of a table as one has to write it in this session. */
  labelOf(schema: string | null | undefined, table: string | null | undefined): string;
}

export async function readContext(run: CatalogRun): Promise<CatalogContext> {
  const [row = []] = await run('select version(), database(), @@lower_case_table_names');
  const database = row[1] ?? undefined;
  const { product, version } = flavourOf(row[0] ?? '');
  const maria = product === 'MariaDB';
  return {
    maria,
    database,
    foldsCase: row[2] !== '0',
    names: !maria && hasExtensions(version) ? 'tables_extensions' : 'tables',
    labelOf(schema, table) {
      const name = formatIdentifier(table ?? '');
      return schema === database ? name : `${formatIdentifier(schema ?? '')}.${name}`;
    },
  };
}

/**
 * MySQL has a second view with the same tables since 8.0.21. It joins half as much, and the engine joins it all for every name there
 * is before it sorts them and keeps those of one page.
 */
function hasExtensions(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  return major > 8 || (major === 8 && (minor > 0 || patch >= 21));
}

const systemSchemas = `('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo')`;

export interface SchemaCondition {
  sql: string;
  params: readonly string[];
}

/** The schema that was asked for, else the session's; without one, all but the server's own. A constant, or MariaDB reads all. */
export function schemaCondition(column: string, { database }: CatalogContext, schema: string | undefined): SchemaCondition {
  const wanted = schema ?? database;
  if (wanted === undefined) return { sql: `${column} not in ${systemSchemas}`, params: [] };
  return { sql: `${column} = ?`, params: [wanted] };
}

export function questionMarks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
