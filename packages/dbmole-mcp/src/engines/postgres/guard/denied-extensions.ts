import type { DenialGroup } from './denials.ts';

const remote = 'Add the other database as a connection of its own.';
const outside = 'reaches out of the server';
const one = 'Read it with a statement of its own.';
const page = 'takes apart bytes that it is given, and can crash the server when they are not a page';
const pages = 'Read the table itself. bt_page_items(index, block) and bt_page_stats(index, block) get the page themselves.';

/** Functions of well-known extensions, in whatever schema they were installed. What an unknown one may do, the catalog tells. */
export const deniedExtensions: readonly DenialGroup[] = [
  {
    reason: 'runs statements over a connection of its own',
    prefixes: ['dblink'],
    names: ['oracle_execute', 'clickhousedb_raw_query', 'master_run_on_worker'],
    hint: remote,
  },
  {
    reason: 'closes connections of the server',
    prefixes: ['postgres_fdw_disconnect', 'sqlite_fdw_disconnect'],
    names: ['oracle_close_connections'],
  },
  {
    reason: 'runs SQL that it gets as a string',
    runsText: true,
    prefixes: ['crosstab'],
    hint: one,
  },
  {
    reason: 'runs SQL that it puts together from strings',
    prefixes: ['pg_background_', 'run_command_on_'],
    names: ['connectby', 'xpath_table'],
    hint: one,
  },
  {
    reason: 'schedules or starts work in the background',
    prefixes: ['autoprewarm_', 'worker_spi_'],
    names: [
      'schedule_in_database',
      'unschedule',
      'pg_prewarm',
      'start_background_workers',
      'stop_background_workers',
      'restart_background_workers',
      'worker_restart',
    ],
  },
  {
    reason: outside,
    names: [
      'http',
      'http_get',
      'http_head',
      'http_post',
      'http_put',
      'http_patch',
      'http_delete',
      'http_set_curlopt',
      'http_reset_curlopt',
    ],
  },
  {
    reason: 'reads the pages of any table that it is told',
    names: ['get_raw_page'],
    unlessNamed: 'relation',
    hint: 'Name the table in a constant.',
  },
  {
    reason: page,
    prefixes: ['brin_page_', 'gin_page_', 'gist_page_', 'hash_page_', 'heap_page_item'],
    names: [
      ...['page_header', 'page_checksum', 'fsm_page_contents', 'tuple_data_split', 'brin_metapage_info', 'brin_revmap_data'],
      ...['gin_metapage_info', 'gin_leafpage_items', 'hash_metapage_info'],
    ],
    hint: pages,
  },
  // With two arguments it gets the page itself.
  { reason: page, names: ['bt_page_items'], unlessArgs: 2, hint: pages },
  { reason: 'changes pages of a table behind the back of transactions', prefixes: ['heap_force_'] },
  { reason: 'changes the visibility map', names: ['pg_truncate_visibility_map'] },
  { reason: 'throws pages out of memory', prefixes: ['pg_buffercache_evict', 'pg_buffercache_mark_'] },
  {
    reason: 'changes statistics',
    names: [
      'pg_stat_statements_reset',
      'pg_stat_kcache_reset',
      'pg_stat_monitor_reset',
      'pg_qualstats_reset',
      'pg_wait_sampling_reset_profile',
      'pg_store_plans_reset',
    ],
  },
  {
    reason: 'changes the session',
    prefixes: [
      ...['hypopg_', 'injection_points_', 'pl_profiler_set_', 'pl_profiler_reset_'],
      ...['pgv_set', 'pgv_insert', 'pgv_update', 'pgv_delete', 'pgv_remove', 'pgv_free'],
    ],
    names: ['set_limit', 'set_user', 'set_user_u', 'reset_user', 'set_session_auth'],
  },
  {
    reason: 'evaluates an XPath, which no time limit stops',
    names: ['xpath_nodeset', 'xpath_string', 'xpath_list', 'xpath_number', 'xpath_bool', 'xslt_process'],
    hint: 'Read the XML itself.',
  },
  { reason: 'stops functions of others', prefixes: ['pldbg_', 'plpgsql_oid_debug'] },
  { reason: 'makes types and operators behind the back of transactions', names: ['create_base_type', 'create_shell_type'] },
  { reason: 'reads files of the server into a table', names: ['pg_bulkload'] },
  { reason: 'controls the server', names: ['set_cluster_readonly', 'unset_cluster_readonly'] },
  {
    reason: 'plans the statements of any function that it is told, which can run what they call',
    prefixes: ['plpgsql_check_', 'plpgsql_show_dependency_'],
  },
  // Without an argument it says what is set.
  { reason: 'changes the session', names: ['isn_weak'], unlessArgs: 0 },
];

/** Schemas that belong to one extension, and in which nearly everything acts. */
export const deniedSchemas: ReadonlyMap<string, string> = new Map([
  ['cron', 'schedules work in the background'],
  ['aws_s3', outside],
  ['aws_lambda', outside],
  ['azure_storage', outside],
  ['amqp', outside],
  ['duckdb', 'runs SQL that it gets as a string'],
  ['dbms_sql', 'runs SQL that it gets as a string'],
  ['repack', 'moves the files of tables'],
  ['squeeze', 'moves the files of tables'],
  ['utl_file', 'reads or writes files of the server'],
  ['dbms_pipe', 'sends a message'],
  ['dbms_alert', 'sends a message'],
  ['pglogical', 'changes replication'],
  ['spock', 'changes replication'],
  ['bdr', 'changes replication'],
]);

/** They check an index, which they get by name or number, and may run the functions that it is made of. */
export const dynamicExtensions: ReadonlySet<string> = new Set(['bt_index_check', 'bt_index_parent_check', 'gin_index_check']);
