import type { DenialGroup } from './denials.ts';

const remote = 'Add the other database as a connection of its own.';
const outside = 'reaches out of the server';
const one = 'Read it with a statement of its own.';

/** Functions of well-known extensions, in whatever schema they were installed. What an unknown one may do, the catalog tells. */
export const deniedExtensions: readonly DenialGroup[] = [
  { reason: 'runs statements over a connection of its own', prefixes: ['dblink'], hint: remote },
  { reason: 'closes connections of the server', prefixes: ['postgres_fdw_disconnect'] },
  {
    reason: 'runs SQL that it gets as a string',
    prefixes: ['crosstab', 'pg_background_', 'run_command_on_'],
    names: ['connectby', 'xpath_table'],
    hint: one,
  },
  {
    reason: 'schedules or starts work in the background',
    prefixes: ['autoprewarm_', 'worker_spi_'],
    names: ['schedule_in_database', 'unschedule', 'pg_prewarm'],
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
  { reason: 'changes the session', prefixes: ['hypopg_', 'injection_points_'], names: ['set_limit'] },
  // Without an argument it says what is set.
  { reason: 'changes the session', names: ['isn_weak'], unlessArgs: 0 },
];

/** Schemas that belong to one extension, and in which nearly everything acts. */
export const deniedSchemas: ReadonlyMap<string, string> = new Map([
  ['cron', 'schedules work in the background'],
  ['aws_s3', outside],
  ['aws_lambda', outside],
  ['utl_file', 'reads or writes files of the server'],
  ['dbms_pipe', 'sends a message'],
  ['dbms_alert', 'sends a message'],
  ['pglogical', 'changes replication'],
]);

/** They check an index, which they get by name or number, and may run the functions that it is made of. */
export const dynamicExtensions: ReadonlySet<string> = new Set(['bt_index_check', 'bt_index_parent_check', 'gin_index_check']);
