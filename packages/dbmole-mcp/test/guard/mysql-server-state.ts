import type { Connection } from 'mysql2/promise';
import { accounts, type Flavour, lockName } from './mysql-fixture.ts';
import { formatFiles, type Site } from './mysql-site.ts';

/** Everything of a server that a statement could change, by name, as text. */
export type ServerState = Readonly<Record<string, string>>;

interface StateOptions {
  readonly flavour: Flavour;
  readonly site: Site;
  /** A session that statements might end. */
  readonly victim: number;
}

const ours = "('information_schema', 'performance_schema', 'sys')";

/** The server itself changes these as time goes by. */
const restless =
  "'^(timestamp|gtid_.*|last_.*|rand_seed.*|innodb_thread_sleep_delay|ft_boolean.*|general_log_file|slow_query_log_file|uptime)$'";

const everywhere: Readonly<Record<string, string>> = {
  rows: 'CHECKSUM TABLE guard.t, guard.child, guard.tm, guard.log_of_t, guard.sales, guard.docs, guard.`update`, guard2.far',
  tables: `SELECT table_schema, table_name, table_type, engine, row_format, table_collation, create_options, table_comment,
    create_time, check_time, auto_increment FROM information_schema.tables WHERE table_schema NOT IN ${ours} AND table_schema <> 'mysql'`,
  columns: `SELECT table_schema, table_name, column_name, column_type, extra FROM information_schema.columns
    WHERE table_schema NOT IN ${ours} AND table_schema <> 'mysql'`,
  indexes: `SELECT table_schema, table_name, index_name, seq_in_index, column_name FROM information_schema.statistics
    WHERE table_schema NOT IN ${ours} AND table_schema <> 'mysql'`,
  partitions: "SELECT table_name, partition_name FROM information_schema.partitions WHERE table_schema = 'guard'",
  routines: `SELECT routine_schema, routine_name, routine_type, routine_definition, sql_mode, routine_comment, last_altered
    FROM information_schema.routines WHERE routine_schema NOT IN ${ours} AND routine_schema <> 'mysql'`,
  triggers: `SELECT trigger_schema, trigger_name, action_statement FROM information_schema.triggers WHERE trigger_schema <> 'sys'`,
  events: 'SELECT event_schema, event_name, event_definition, event_comment, status FROM information_schema.events',
  views: `SELECT table_schema, table_name, view_definition FROM information_schema.views WHERE table_schema <> 'sys'`,
  schemas: 'SELECT * FROM information_schema.schemata',
  rights: 'SELECT * FROM mysql.db',
  rightsOfTables: 'SELECT * FROM mysql.tables_priv',
  native: 'SELECT * FROM mysql.func',
  plugins: 'SELECT plugin_name, plugin_status FROM information_schema.plugins',
  servers: 'SELECT * FROM mysql.servers',
  statistics: 'SELECT database_name, table_name, last_update FROM mysql.innodb_table_stats',
  distributed: 'XA RECOVER',
  lock: `SELECT IS_USED_LOCK('${lockName}')`,
  prepared: "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'",
};

const mysqlOnly: Readonly<Record<string, string>> = {
  accounts: 'SELECT * FROM mysql.user',
  roles: 'SELECT * FROM mysql.role_edges',
  defaultRoles: 'SELECT * FROM mysql.default_roles',
  globalRights: 'SELECT * FROM mysql.global_grants',
  components: 'SELECT * FROM mysql.component',
  tableIds: 'SELECT name, table_id FROM information_schema.innodb_tables',
  tablespaces: "SELECT name FROM information_schema.innodb_tablespaces WHERE name NOT LIKE 'innodb_temporary%'",
  resourceGroups: 'SELECT resource_group_name FROM information_schema.resource_groups',
  histograms: 'SELECT schema_name, table_name, column_name FROM information_schema.column_statistics',
  references: 'SELECT srs_name FROM information_schema.st_spatial_reference_systems WHERE srs_id = 990099',
  replication: 'SELECT channel_name, host, port FROM performance_schema.replication_connection_configuration',
  variables: `SELECT variable_name, variable_value FROM performance_schema.global_variables WHERE variable_name NOT RLIKE ${restless}`,
  persisted: 'SELECT * FROM performance_schema.persisted_variables',
};

const mariadbOnly: Readonly<Record<string, string>> = {
  accounts: 'SELECT * FROM mysql.global_priv',
  roles: 'SELECT * FROM mysql.roles_mapping',
  tableIds: 'SELECT name, table_id FROM information_schema.innodb_sys_tables',
  histograms: 'SELECT db_name, table_name, column_name FROM mysql.column_stats',
  sequence: 'SELECT next_not_cached_value FROM guard.s',
  replication: 'SHOW ALL SLAVES STATUS',
  variables: `SELECT variable_name, variable_value FROM information_schema.global_variables WHERE variable_name NOT RLIKE ${restless}`,
};

/** Run once for each connection that looks: it does not wait long, and sees the current state. */
export async function prepareObserver(observer: Connection, flavour: Flavour): Promise<void> {
  const fresh = flavour === 'mysql' ? ', information_schema_stats_expiry = 0' : '';
  await observer.query(`SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, autocommit = 1${fresh}`);
}

export async function readServerState(observer: Connection, options: StateOptions): Promise<ServerState> {
  const questions = { ...everywhere, ...(options.flavour === 'mysql' ? mysqlOnly : mariadbOnly) };
  const entries: [string, string][] = [];
  for (const [name, sql] of Object.entries(questions)) entries.push([name, await ask(observer, sql)]);
  entries.push(['files', formatFiles(options.site)]);
  entries.push([
    'victim',
    await ask(observer, `SELECT COUNT(*) FROM information_schema.processlist WHERE id = ${options.victim}`),
  ]);
  // A locked row or table blocks other writers; rows have one lock for each index.
  entries.push(['writer', await ask(observer, 'UPDATE guard.t SET v = v')]);
  entries.push(['locker', await ask(observer, "SELECT v, j FROM guard.t FORCE INDEX (by_v) WHERE v > '' FOR UPDATE")]);
  entries.push(['logins', await ask(observer, `SHOW GRANTS FOR ${accounts.reader}@'%'`)]);
  return Object.fromEntries(entries);
}

/** An error is an answer too: what was asked for may be gone. */
async function ask(observer: Connection, sql: string): Promise<string> {
  try {
    const [rows] = await observer.query({ sql, rowsAsArray: true });
    return Array.isArray(rows)
      ? rows
          .map((row) => JSON.stringify(row))
          .sort()
          .join('\n')
      : 'done';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is not the same, line by line: empty when nothing changed. */
export function compareStates(before: ServerState, after: ServerState): string[] {
  return Object.keys({ ...before, ...after }).flatMap((name) => {
    const [left, right] = [before, after].map((state) => (state[name] ?? '').split('\n'));
    const gone = left?.filter((line) => !right?.includes(line)) ?? [];
    const came = right?.filter((line) => !left?.includes(line)) ?? [];
    return [...gone.map((line) => `${name} - ${line}`), ...came.map((line) => `${name} + ${line}`)];
  });
}
