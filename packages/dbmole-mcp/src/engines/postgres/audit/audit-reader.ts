import { type Capabilities, passwordPlaceholder } from '../../../audit/capabilities.ts';

/** What a new role has to be given, and what it would have because everybody has it. Names are quoted where they need it. */
export interface OpenToAll {
  database?: string;
  /** Rights on the database. */
  rights?: readonly string[];
  /** Schemas in which everybody may create. */
  openSchemas?: readonly string[];
  /** Functions with their arguments, as a list. */
  functions?: string;
  /** Said instead when there are too many of them. */
  tooMany?: string;
  /** Schemas that have tables. */
  schemas?: readonly string[];
  takenNames?: readonly string[];
}

/** The limit of names in one statement; with more schemas, a predefined role replaces them. */
const maxSchemasLength = 150;

type Statements = Pick<Capabilities, 'reader' | 'shared'>;

export function formatReader({ database = '', rights = [], openSchemas = [], functions = '', ...rest }: OpenToAll): Statements {
  const role = freeName(rest.takenNames ?? []);
  const everyone = 'FROM PUBLIC';
  const shared = [
    ...(rights.length > 0 ? [`REVOKE ${rights.join(', ')} ON DATABASE ${database} ${everyone};`] : []),
    ...(openSchemas.length > 0 ? [`REVOKE CREATE ON SCHEMA ${openSchemas.join(', ')} ${everyone};`] : []),
    ...(functions === '' ? [] : [`REVOKE EXECUTE ON FUNCTION ${functions} ${everyone};`]),
  ];
  const reader = [
    `CREATE ROLE ${role} LOGIN PASSWORD '${passwordPlaceholder}'; ALTER ROLE ${role} SET default_transaction_read_only = on;`,
    `GRANT CONNECT ON DATABASE ${database} TO ${role}; ${formatGrants(role, rest.schemas ?? [])}`,
  ];
  return { reader, shared };
}

function formatGrants(role: string, schemas: readonly string[]): string {
  const list = schemas.join(', ');
  // There since version 14. It reads the other databases too.
  if (list.length > maxSchemasLength) return `GRANT pg_read_all_data TO ${role};`;
  const granted = list === '' ? 'public' : list;
  return `GRANT USAGE ON SCHEMA ${granted} TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA ${granted} TO ${role};`;
}

function freeName(taken: readonly string[]): string {
  const name = 'mole_reader';
  for (let number = 2; ; number += 1) {
    const candidate = number === 2 && !taken.includes(name) ? name : `${name}_${number}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
