import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import { type Capabilities, formatCounted, formatNames, passwordPlaceholder } from '../../../audit/capabilities.ts';
import type { CatalogRun } from '../../../engine.ts';
import { accountSql, functionsSql, relationsSql } from './audit-sql.ts';

type Row = readonly (string | null)[];

/** A part of the audit. */
interface Findings {
  powers: string[];
  open: OpenToAll;
}

/** Three statements over pg_catalog, whatever the number of tables. */
export async function audit(run: CatalogRun): Promise<Capabilities> {
  const ask = (sql: string) => askIfAllowed(run, sql);
  const [account, relations, functions] = await Promise.all([accountSql, relationsSql, functionsSql].map(ask));
  const [row = []] = account ?? [];
  const isSuper = row[0] === 'true';
  const found = [
    ...(account === undefined ? [] : [findInAccount(row)]),
    ...(relations === undefined ? [] : [findInRelations(relations[0] ?? [], isSuper)]),
    ...(functions === undefined ? [] : [findInFunctions(functions, isSuper)]),
  ];
  const open: OpenToAll = Object.assign({}, ...found.map((findings) => findings.open));
  const hidden = formatHidden({ account, relations, functions });
  return {
    complete: hidden === undefined,
    powers: [...found.flatMap(({ powers }) => powers), ...sayIf(row[9] === 'true' && !isSuper, 'create temporary tables')],
    notes: [
      ...(hidden === undefined ? [] : [hidden]),
      ...(open.tooMany === undefined ? [] : [open.tooMany]),
      ...(row[5] === 'true' ? ['The server is a standby: nothing can be written on it.'] : []),
    ],
    ...(account === undefined ? { reader: [], shared: [] } : formatReader(open)),
  };
}

const parts: Readonly<Record<string, string>> = {
  account: 'what kind of role this is',
  relations: 'which tables it may write to',
  functions: 'which functions it may run',
};

function formatHidden(answers: Readonly<Record<string, unknown>>): string | undefined {
  const hidden = Object.keys(parts).filter((part) => answers[part] === undefined);
  return hidden.length === 0 ? undefined : `The server did not report ${hidden.map((part) => parts[part]).join(', and ')}.`;
}

/** Attributes of a role besides superuser, in the order of the row. */
const attributes = [
  'create and change other roles',
  'create databases',
  'copy the whole server by replication',
  'see and change rows that row level security keeps from others',
] as const;

/** Roles of the server itself that do more than read. */
const predefined: Readonly<Record<string, string>> = {
  pg_execute_server_program: 'run programs on the server',
  pg_write_server_files: 'write files of the server',
  pg_read_server_files: 'read files of the server',
  pg_write_all_data: 'write to all tables of all databases',
  pg_maintain: 'maintain and lock all tables',
  pg_signal_backend: "end other people's sessions",
  pg_signal_autovacuum_worker: 'end autovacuum workers',
  pg_create_subscription: 'create subscriptions',
  pg_checkpoint: 'force checkpoints',
};

/** They only read, or mean what is found elsewhere. */
const harmless = /^pg_(?:read_all_(?:data|settings|stats)|monitor|stat_scan_tables|database_owner|use_reserved_connections)$/;

function findInAccount(row: Row): Findings {
  const [isSuper, , , , , , database = '', owned, creates, , openCreate, openTemporary, members, servers, wrappers, readers] =
    row;
  const open: OpenToAll = {
    database: database ?? '',
    takenNames: listNames(readers),
    rights: [...(openCreate === 'true' ? ['CREATE'] : []), ...(openTemporary === 'true' ? ['TEMPORARY'] : [])],
  };
  if (isSuper === 'true') return { powers: ['do anything on the whole server, as it is a superuser'], open };
  const roles = listNames(members);
  const others = roles.filter((name) => predefined[name] === undefined && !harmless.test(name));
  return {
    powers: [
      ...Object.keys(predefined)
        .filter((name) => roles.includes(name))
        .map((name) => `${predefined[name]} (${name})`),
      ...attributes.filter((_, at) => row[at + 1] === 'true'),
      ...sayIf(others.length > 0, `act as ${formatCounted(others.length, ['other role', 'other roles'], others)}`),
      ...sayIf(owned === 'true', `alter and drop database ${database}, which it owns`),
      ...sayIf(owned !== 'true' && creates === 'true', `create schemas in database ${database}`),
      ...sayIf(listNames(wrappers).length > 0, `define foreign servers (${formatNames(listNames(wrappers))})`),
      ...sayIf(listNames(servers).length > 0, `log in to foreign servers (${formatNames(listNames(servers))})`),
    ],
    open,
  };
}

/** A superuser needs no details; what every role may do matters anyway. */
function findInRelations([written, names, owned, moved, sequences, makes, open, schemas]: Row, isSuper: boolean): Findings {
  const created = listNames(makes);
  const ownedWords = Number(owned) > 0 ? `, and alter and drop the ${owned} that it owns` : '';
  return {
    powers: [
      ...sayIf(
        Number(written) > 0,
        `write to ${formatCounted(Number(written), ['table', 'tables'], listNames(names))}${ownedWords}`,
      ),
      ...sayIf(
        created.length > 0 && !isSuper,
        `create tables in ${created.length === 1 ? 'schema' : 'schemas'} ${formatNames(created)}`,
      ),
      ...sayIf(
        Number(moved) > 0 && !isSuper,
        `advance ${formatCounted(Number(moved), ['sequence', 'sequences'], listNames(sequences))}`,
      ),
    ],
    open: { openSchemas: listNames(open), schemas: listNames(schemas) },
  };
}

/** The limit of a list of functions in a statement. */
const maxSignaturesLength = 300;

const kinds: Readonly<Record<string, (functions: string, whose: string) => string>> = {
  untrusted: (functions, whose) => `run ${functions} of an untrusted language (${whose})`,
  outward: (_functions, whose) => `reach out of the server with ${whose}`,
  definer: (functions, whose) => `run ${functions} with the rights of ${whose}`,
};

function findInFunctions(rows: readonly Row[], isSuper: boolean): Findings {
  const openRows = rows.filter((row) => Number(row[4]) > 0);
  const signatures = openRows.map((row) => row[5] ?? '').join(', ');
  const total = openRows.reduce((sum, row) => sum + Number(row[4]), 0);
  const tooMany = `Every role may call ${total} functions that do more than read.`;
  return {
    powers: rows.flatMap(([kind, count, names, whose]) => {
      const functions = formatCounted(Number(count), ['function', 'functions'], listNames(names));
      return sayIf(Number(count) > 0 && !isSuper, kinds[kind ?? '']?.(functions, formatNames(listNames(whose))) ?? '');
    }),
    open: signatures.length > maxSignaturesLength ? { tooMany } : { functions: signatures },
  };
}

function sayIf(condition: boolean, power: string): string[] {
  return condition ? [power] : [];
}

function listNames(json: string | null | undefined): string[] {
  const names: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(names) ? names.map(String) : [];
}

/** What a new role must be granted, and what it would have through PUBLIC. Names are quoted where they need it. */
interface OpenToAll {
  database?: string;
  /** Rights on the database. */
  rights?: readonly string[];
  /** Schemas in which PUBLIC may create objects. */
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
