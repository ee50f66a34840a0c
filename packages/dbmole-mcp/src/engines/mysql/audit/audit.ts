import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import { type Capabilities, formatCounted, formatNames, passwordPlaceholder } from '../../../audit/capabilities.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';
import { type Grant, type Grants, parseGrants } from './grants.ts';
import { listPowers } from './list-powers.ts';

const accountSql = 'SELECT CURRENT_USER(), DATABASE(), @@secure_file_priv, @@local_infile';

/** SHOW GRANTS and not information_schema, which leaves out what comes by a role. */
export async function audit(run: CatalogRun): Promise<Capabilities> {
  const { maria } = await readContext(run);
  const [rows, own, native, roles] = await Promise.all([
    askIfAllowed(run, accountSql),
    readGrants(run, 'SHOW GRANTS'),
    readNative(run, maria),
    maria ? readRolesOfMaria(run) : undefined,
  ]);
  const [account, database, files, localInfile] = rows?.[0] ?? [];
  const { grants, unseen } = own === undefined ? { grants: [], unseen: [] } : await withRoles(run, own, roles);
  const powers = [
    ...listPowers(grants, files),
    ...(unseen.length > 0
      ? [`take ${formatCounted(unseen.length, ['role', 'roles'], unseen)}, whose rights it may not see`]
      : []),
    ...(native && native.length > 0 ? [`run native functions of the server (${formatNames(native)}), as every account can`] : []),
  ];
  return {
    powers,
    complete: own !== undefined,
    notes: [
      ...(own === undefined ? ['The server did not report what this account may do.'] : []),
      ...(native === undefined ? ['It may not see whether the server has native functions, which every account can call.'] : []),
      ...(powers.length > 0 && localInfile === '1'
        ? ['The server takes files of its clients (local_infile); this client never sends one.']
        : []),
    ],
    reader: formatReader(await listDatabases(run, database), account ?? ''),
    shared: [],
  };
}

async function readGrants(run: CatalogRun, sql: string): Promise<Grants | undefined> {
  const rows = await askIfAllowed(run, sql);
  return rows && parseGrants(rows.map(([line]) => line ?? ''));
}

interface WithRoles {
  grants: readonly Grant[];
  /** Roles that can be taken, and not looked into. */
  unseen: readonly string[];
}

/** A role that is not active can be made so at any time. */
async function withRoles(run: CatalogRun, own: Grants, roles: RolesOfMaria | undefined): Promise<WithRoles> {
  if (roles !== undefined) return await withRolesOfMaria(run, own, roles);
  if (own.roles.length === 0) return { grants: own.grants, unseen: [] };
  const all = await readGrants(run, `SHOW GRANTS FOR CURRENT_USER() USING ${own.roles.join(', ')}`);
  return { grants: all?.grants ?? own.grants, unseen: all === undefined ? own.roles : [] };
}

interface RolesOfMaria {
  /** The names of those whose grants are listed with the account's own. */
  active: ReadonlySet<string>;
  everyone: readonly Grant[];
}

async function readRolesOfMaria(run: CatalogRun): Promise<RolesOfMaria> {
  const [active, everyone] = await Promise.all([
    askIfAllowed(run, 'SELECT ROLE_NAME FROM information_schema.ENABLED_ROLES'),
    readGrants(run, 'SHOW GRANTS FOR PUBLIC'),
  ]);
  const names = (active ?? []).map(([name]) => `\`${(name ?? '').replaceAll('`', '``')}\``);
  return { active: new Set(names), everyone: everyone?.grants ?? [] };
}

async function withRolesOfMaria(run: CatalogRun, own: Grants, { active, everyone }: RolesOfMaria): Promise<WithRoles> {
  const inactive = own.roles.filter((role) => !active.has(role));
  const found = await Promise.all(inactive.map((role) => readGrants(run, `SHOW GRANTS FOR ${role}`)));
  return {
    grants: [...own.grants, ...everyone, ...found.flatMap((all) => all?.grants ?? [])],
    unseen: inactive.filter((_, i) => found[i] === undefined),
  };
}

/** Undefined where the account may not see them. */
async function readNative(run: CatalogRun, maria: boolean): Promise<string[] | undefined> {
  const sql = maria
    ? 'SELECT name FROM mysql.func LIMIT 4'
    : 'SELECT UDF_NAME FROM performance_schema.user_defined_functions WHERE UDF_LIBRARY IS NOT NULL LIMIT 4';
  return (await askIfAllowed(run, sql))?.map(([name]) => name ?? '');
}

const maxDatabases = 3;

/** The database of the connection; if it has none, the first ones that the account sees. */
async function listDatabases(run: CatalogRun, database: string | null | undefined): Promise<string[]> {
  if (database) return [database];
  const rows = await askIfAllowed(
    run,
    `SELECT schema_name FROM information_schema.schemata
      WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo') ORDER BY 1 LIMIT ${maxDatabases}`,
  );
  return (rows ?? []).map(([name]) => name ?? '');
}

/** The hosts from which the account may log in. */
function formatReader(databases: readonly string[], account: string): string[] {
  const host = account.slice(account.lastIndexOf('@') + 1) || '%';
  const reader = `mole_reader@'${host.replaceAll("'", "''")}'`;
  return [
    `CREATE USER ${reader} IDENTIFIED BY '${passwordPlaceholder}';`,
    ...databases.map((name) => `GRANT SELECT, SHOW VIEW ON ${formatPattern(name)}.* TO ${reader};`),
  ];
}

/** A name of a database is a pattern in a GRANT. */
function formatPattern(database: string): string {
  return `\`${database.replaceAll('`', '``').replace(/[_%\\]/g, '\\$&')}\``;
}
