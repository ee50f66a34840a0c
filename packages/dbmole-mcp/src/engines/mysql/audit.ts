import { askIfAllowed } from '../../audit/ask.ts';
import { type Capabilities, passwordPlaceholder } from '../../audit/capabilities.ts';
import { formatCounted, formatNames } from '../../audit/names.ts';
import type { CatalogRun } from '../../engine.ts';
import { powersOf } from './audit-powers.ts';
import { flavourOf } from './flavour.ts';
import { type Grant, type Grants, parseGrants } from './grants.ts';

/** SHOW GRANTS and not information_schema, which leaves out what comes by a role. */
export async function audit(run: CatalogRun): Promise<Capabilities> {
  const [row = []] =
    (await askIfAllowed(run, 'SELECT CURRENT_USER(), VERSION(), DATABASE(), @@secure_file_priv, @@local_infile')) ?? [];
  const [account, version, database, files, localInfile] = row;
  const maria = flavourOf(version ?? '').product === 'MariaDB';
  const own = await readGrants(run, 'SHOW GRANTS');
  const { grants, unseen } = own === undefined ? { grants: [], unseen: [] } : await withRoles(run, own, maria);
  const native = await readNative(run, maria);
  const powers = [
    ...powersOf(grants, files),
    ...(unseen.length > 0
      ? [`take ${formatCounted(unseen.length, ['role', 'roles'], unseen)}, whose rights it may not see`]
      : []),
    ...(native && native.length > 0 ? [`run native functions of the server (${formatNames(native)}), as every account can`] : []),
  ];
  return {
    powers,
    complete: own !== undefined,
    notes: [
      ...(own === undefined ? ['The server did not say what this account may do.'] : []),
      ...(native === undefined ? ['It may not see whether the server has native functions, which every account can call.'] : []),
      ...(powers.length > 0 && localInfile === '1'
        ? ['The server takes files of its clients (local_infile); this client never sends one.']
        : []),
    ],
    reader: formatReader(await databasesOf(run, database), account ?? ''),
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
async function withRoles(run: CatalogRun, own: Grants, maria: boolean): Promise<WithRoles> {
  if (maria) return await withRolesOfMaria(run, own);
  if (own.roles.length === 0) return { grants: own.grants, unseen: [] };
  const all = await readGrants(run, `SHOW GRANTS FOR CURRENT_USER() USING ${own.roles.join(', ')}`);
  return { grants: all?.grants ?? own.grants, unseen: all === undefined ? own.roles : [] };
}

/** It tells of those that are active with the account's own. */
async function withRolesOfMaria(run: CatalogRun, own: Grants): Promise<WithRoles> {
  const active = (await askIfAllowed(run, 'SELECT ROLE_NAME FROM information_schema.ENABLED_ROLES')) ?? [];
  const enabled = new Set(active.map(([name]) => `\`${(name ?? '').replaceAll('`', '``')}\``));
  const grants = [...own.grants, ...((await readGrants(run, 'SHOW GRANTS FOR PUBLIC'))?.grants ?? [])];
  const unseen: string[] = [];
  for (const role of own.roles) {
    if (enabled.has(role)) continue;
    const found = await readGrants(run, `SHOW GRANTS FOR ${role}`);
    if (found === undefined) unseen.push(role);
    else grants.push(...found.grants);
  }
  return { grants, unseen };
}

/** Undefined where the account may not see them. */
async function readNative(run: CatalogRun, maria: boolean): Promise<string[] | undefined> {
  const sql = maria
    ? 'SELECT name FROM mysql.func LIMIT 4'
    : 'SELECT UDF_NAME FROM performance_schema.user_defined_functions WHERE UDF_LIBRARY IS NOT NULL LIMIT 4';
  return (await askIfAllowed(run, sql))?.map(([name]) => name ?? '');
}

const mostDatabases = 3;

/** Of a connection without one, the first that the account sees. */
async function databasesOf(run: CatalogRun, database: string | null | undefined): Promise<string[]> {
  if (database) return [database];
  const rows = await askIfAllowed(
    run,
    `SELECT schema_name FROM information_schema.schemata
      WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo') ORDER BY 1 LIMIT ${mostDatabases}`,
  );
  return (rows ?? []).map(([name]) => name ?? '');
}

/** From where the account itself may log in. */
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
