import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { findFunctionDenial } from './denials.ts';
import { parserMajor } from './thread/parser.ts';

/**
 * Functions of PostgreSQL 14 to 18 that are volatile, or not open to everyone, and that a read may call all the same. Those of a
 * newer server that are on no list here are denied until they were reviewed. In this order: time, chance and waiting, which the time
 * limit ends; what the session did; large objects, of which none is open without lo_open; sizes and structure of relations; the state
 * of the server; replication, where flushing what is written anyway changes nothing; counters.
 */
export const reviewedBuiltins: ReadonlySet<string> = new Set(
  `clock_timestamp timeofday timezone random random_normal gen_random_uuid uuidv4 uuidv7 array_sample array_shuffle pg_sleep
  pg_sleep_for pg_sleep_until
  current_query currval lastval currtid2 txid_status pg_xact_status pg_stat_clear_snapshot
  lo_get loread lo_close lo_lseek lo_lseek64 lo_tell lo_tell64
  pg_database_size pg_indexes_size pg_relation_size pg_table_size pg_tablespace_size pg_total_relation_size pg_partition_ancestors
  pg_partition_tree pg_sequence_last_value pg_get_sequence_data amvalidate pg_collation_actual_version
  pg_database_collation_actual_version
  pg_config pg_control_checkpoint pg_control_init pg_control_recovery pg_control_system pg_current_logfile pg_current_wal_flush_lsn
  pg_current_wal_insert_lsn pg_current_wal_lsn pg_get_wal_replay_pause_state pg_get_wal_resource_managers
  pg_get_wal_summarizer_state pg_available_wal_summaries pg_wal_summary_contents pg_is_in_backup pg_is_in_recovery
  pg_is_wal_replay_paused pg_jit_available pg_last_committed_xact pg_last_wal_receive_lsn pg_last_wal_replay_lsn
  pg_last_xact_replay_timestamp pg_get_loaded_modules pg_get_aios pg_get_backend_memory_contexts pg_get_shmem_allocations
  pg_get_shmem_allocations_numa pg_get_wait_events pg_lock_status pg_blocking_pids pg_safe_snapshot_blocking_pids
  pg_isolation_test_session_is_blocked pg_notification_queue_usage pg_prepared_xact pg_get_multixact_members
  pg_xact_commit_timestamp pg_xact_commit_timestamp_origin
  pg_replication_origin_oid pg_replication_origin_progress pg_replication_origin_session_is_setup
  pg_replication_origin_session_progress pg_show_replication_origin_status
  pg_stat_get_backend_io pg_stat_get_backend_wal pg_stat_get_io pg_stat_get_recovery_prefetch pg_stat_have_stats
  pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit pg_stat_get_xact_function_calls pg_stat_get_xact_function_self_time
  pg_stat_get_xact_function_total_time pg_stat_get_xact_numscans pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched
  pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted pg_stat_get_xact_tuples_returned
  pg_stat_get_xact_tuples_newpage_updated pg_stat_get_xact_tuples_updated`.split(/\s+/),
);

/** Facts about a server, which may be newer than the guard. */
export interface ServerFacts {
  /** NaN for a server that does not report a version as PostgreSQL does. */
  readonly major: number;
  /** Built-in functions that may have effects and were not reviewed. */
  readonly unreviewed: ReadonlySet<string>;
  /** Whether the server folds and cuts names beyond ASCII as the parser does. */
  readonly isUtf8: boolean;
  /** Every transaction that commits from now on has this number or a later one. */
  readonly oldestTransaction: number;
}

/** On a known version the subquery reads nothing, because its condition on the version is evaluated first. */
const question = `
select pg_catalog.current_setting('server_version_num'), (
  select pg_catalog.string_agg(distinct p.proname, ' ')
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
    and 'internal'::pg_catalog.regtype <> all (p.proargtypes)
    and p.prorettype <> 'trigger'::pg_catalog.regtype
    and (p.provolatile = 'v' or not pg_catalog.has_function_privilege('public', p.oid, 'execute'))
    and pg_catalog.current_setting('server_version_num') >= $1::text
), pg_catalog.current_setting('server_encoding'), pg_catalog.txid_snapshot_xmin(pg_catalog.txid_current_snapshot())`;

/** `known` is the newest version whose functions were reviewed. */
export async function openServerFacts(run: CatalogQuestion, known: number = parserMajor): Promise<ServerFacts> {
  const [row] = await run(question, [String((known + 1) * 10_000)]);
  const [version, names, encoding, transaction] = row ?? [];
  const unreviewed = (names ?? '').split(' ').filter((name) => name !== '' && !isReviewed(name));
  return {
    major: Math.floor(Number(version ?? Number.NaN) / 10_000),
    unreviewed: new Set(unreviewed),
    isUtf8: encoding === 'UTF8',
    oldestTransaction: Number(transaction ?? 0) % 2 ** 32,
  };
}

export function isReviewed(name: string): boolean {
  return reviewedBuiltins.has(name) || findFunctionDenial('pg_catalog', name) !== undefined;
}
