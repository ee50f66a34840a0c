import type { Client } from 'pg';

/** Tables that do something when they are planned for, so that we must not look. */
const leaveAlone = '^t_(partial|expression|stats|parent|kid|part)';

/** Rows of the catalog that the server writes in place, without a new version of the row. */
const inPlace = {
  'pg_class in place': `select sum(hashtext(concat_ws(' ', oid, reltuples, relpages, relallvisible, relfrozenxid, relhasindex)))
    from pg_class where oid >= 16384`,
  'pg_database in place':
    "select string_agg(concat_ws(' ', datname, datfrozenxid, datminmxid), ',' order by oid) from pg_database",
  'mapped files':
    'select sum(hashtext(oid || $$ $$ || pg_relation_filenode(oid))) from pg_class where relfilenode = 0 and relkind <> $$v$$',
};

const server = {
  sequences: "select string_agg(concat_ws(' ', last_value, is_called), ',') from s",
  slots: `select string_agg(concat_ws(' ', slot_name, restart_lsn, confirmed_flush_lsn), ',' order by slot_name)
    from pg_replication_slots`,
  'prepared transactions': "select string_agg(gid, ',' order by gid) from pg_prepared_xacts",
  'origin progress': "select string_agg(concat_ws(' ', external_id, remote_lsn), ',') from pg_replication_origin_status",
  settings: `select md5(string_agg(concat_ws(' ', name, setting, reset_val), ',' order by name)) from pg_settings
    where name !~ '^transaction_'`,
  configured: 'select pg_conf_load_time()',
  sessions: `select string_agg(pid || ' ' || coalesce(application_name, ''), ',' order by pid) from pg_stat_activity
    where backend_type = 'client backend' and application_name = 'victim'`,
  'locks of others': `select string_agg(concat_ws(' ', locktype, mode, relation, granted), ',' order by locktype, mode, relation)
    from pg_locks where pid is distinct from pg_backend_pid() and mode <> 'AccessShareLock' and locktype <> 'virtualxid'
    and locktype <> 'transactionid'`,
  'pending list of an index': "select pending_tuples from pgstatginindex('docs_words')",
  'pages of an index': `select sum(hashtext(get_raw_page('brin_at', i::int)::text))
    from generate_series(0, pg_relation_size('brin_at') / 8192 - 1) i`,
  'visibility map': "select pg_relation_size('docs', 'vm')",
};

/** Before version 15, statistics arrive with a delay. */
const statistics = {
  'statistics reset': `select concat_ws(' ', (select stats_reset from pg_stat_database where datname = current_database()),
    (select stats_reset from pg_stat_bgwriter), (select stats_reset from pg_stat_archiver), (select stats_reset from pg_stat_wal),
    (select max(stats_reset) from pg_stat_slru), (select stats_reset from pg_stat_statements_info))`,
};

/**
 * One statement for the whole server: each row of each catalog and table by its place and the transactions that made and locked
 * it, so that no change can hide, not even one of a value to itself.
 */
export async function formatFingerprint(client: Client, version: string): Promise<string> {
  const { rows } = await client.query<{ name: string; schema: string }>(
    `select oid::regclass::text as name, relnamespace::regnamespace::text as schema from pg_class
     where relkind in ('r', 'm') and relpersistence = 'p' and relname !~ $1
     and relnamespace <> 'information_schema'::regnamespace`,
    [leaveAlone],
  );
  const counted = rows.map(({ name }) => [`rows of ${name}`, countRows(name)] as const);
  const late = Number.parseInt(version, 10) >= 15 ? statistics : {};
  const parts = [...counted, ...Object.entries({ ...inPlace, ...server, ...late })];
  const each = parts.map(([name, sql]) => `select '${name.replaceAll("'", "''")}' as name, (${sql})::text as found`);
  return `select json_object_agg(name, found) as found from (${each.join('\nunion all ')}) as parts`;
}

function countRows(table: string): string {
  return `select count(*) || ' ' || coalesce(sum(hash_record(row(ctid, xmin, xmax))), 0) from only ${table}`;
}

/** What a session carries from one statement to the next. Asked in the session itself. Settings with a dot come with libraries. */
export const sessionState = `select
  md5(string_agg(name || '=' || setting, ',' order by name)) as settings,
  coalesce(current_setting('pwn.session', true), '') as custom,
  current_user || ' ' || session_user as users,
  pg_my_temp_schema() as temporary,
  (select string_agg(name, ',') from pg_prepared_statements) as prepared,
  (select string_agg(name, ',') from pg_cursors where name <> '') as cursors,
  (select string_agg(channel, ',') from pg_listening_channels() as channel) as listening,
  (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as advisory,
  public.dblink_get_connections() as dblink
  from pg_settings where name !~ '^transaction_|[.]'`;
