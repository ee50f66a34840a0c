import type { DenialGroup } from './denials.ts';

const one = 'Read it with a statement of its own.';

/**
 * Functions of PostgreSQL itself that a read-only transaction does not stop, or not in every version. Everything else in
 * pg_catalog that is volatile or not open to everyone was looked at as well: `reviewed-builtins.ts`.
 */
export const deniedBuiltins: readonly DenialGroup[] = [
  {
    reason: 'reads or writes files of the server',
    prefixes: ['pg_read_file', 'pg_read_binary_file', 'pg_file_', 'pg_ls_'],
    names: ['pg_stat_file', 'pg_logdir_ls', 'lo_import', 'lo_export'],
  },
  {
    reason: "reads the server's configuration files",
    names: ['pg_hba_file_rules', 'pg_ident_file_mappings', 'pg_show_all_file_settings'],
    hint: 'The settings in force are in pg_settings.',
  },
  {
    reason: 'changes or opens large objects',
    names: [
      'lo_creat',
      'lo_create',
      'lo_unlink',
      'lo_from_bytea',
      'lo_put',
      'lo_open',
      'lowrite',
      'lo_truncate',
      'lo_truncate64',
    ],
    hint: 'Read a large object with lo_get.',
  },
  {
    reason: 'controls the server',
    prefixes: ['pg_rotate_logfile', 'pg_log_', 'pg_switch_', 'pg_wal_replay_', 'pg_create_restore_point'],
    names: [
      'pg_reload_conf',
      'pg_terminate_backend',
      'pg_cancel_backend',
      'pg_promote',
      'pg_start_backup',
      'pg_stop_backup',
      'pg_backup_start',
      'pg_backup_stop',
      'pg_import_system_collations',
      'pg_nextoid',
      'pg_stop_making_pinned_objects',
      'pg_extension_config_dump',
      'pg_stat_force_next_flush',
    ],
  },
  {
    reason: 'makes, moves, holds or drops a replication slot',
    prefixes: ['pg_logical_slot_', 'pg_sync_replication_'],
    names: [
      'pg_create_logical_replication_slot',
      'pg_create_physical_replication_slot',
      'pg_copy_logical_replication_slot',
      'pg_copy_physical_replication_slot',
      'pg_drop_replication_slot',
      'pg_replication_slot_advance',
    ],
    hint: 'What slots there are is in pg_replication_slots.',
  },
  {
    reason: 'changes a replication origin',
    names: [
      'pg_replication_origin_advance',
      'pg_replication_origin_create',
      'pg_replication_origin_drop',
      'pg_replication_origin_session_reset',
      'pg_replication_origin_session_setup',
      'pg_replication_origin_xact_reset',
      'pg_replication_origin_xact_setup',
    ],
    hint: 'Their state is in pg_replication_origin_status.',
  },
  { reason: 'sends a message', names: ['pg_logical_emit_message', 'pg_notify'] },
  {
    reason: 'takes or frees a lock that outlives the read',
    prefixes: ['pg_advisory_', 'pg_try_advisory_'],
    hint: 'Locks are listed in pg_locks.',
  },
  { reason: 'moves a sequence', names: ['nextval', 'setval'], hint: 'Where sequences stand is in pg_sequences.' },
  {
    reason: 'changes the session',
    names: ['set_config', 'setseed'],
    hint: 'Read a setting with current_setting.',
  },
  {
    reason: 'uses up a transaction number',
    names: ['txid_current', 'pg_current_xact_id'],
    hint: 'pg_current_snapshot() says which transactions there are, pg_current_xact_id_if_assigned() whether this one has a number.',
  },
  { reason: 'keeps a snapshot for others', names: ['pg_export_snapshot'], hint: 'Leave it out.' },
  {
    reason: 'changes statistics',
    prefixes: ['pg_stat_reset', 'pg_restore_', 'pg_clear_'],
  },
  { reason: 'changes an index', prefixes: ['brin_summarize_'], names: ['brin_desummarize_range', 'gin_clean_pending_list'] },
  {
    reason: 'runs SQL that it gets as a string',
    runsText: true,
    prefixes: ['query_to_xml'],
    names: ['ts_stat'],
    hint: one,
  },
  // With three arguments it is a function of its arguments alone.
  { reason: 'runs SQL that it gets as a string', runsText: true, names: ['ts_rewrite'], unlessArgs: 3, hint: one },
  {
    reason: 'reads any table that it is told',
    names: ['table_to_xml', 'table_to_xml_and_xmlschema'],
    unlessNamed: 'relation',
    hint: 'Name the table in a constant.',
  },
  {
    reason: 'reads all tables of a schema',
    names: ['schema_to_xml', 'schema_to_xml_and_xmlschema'],
    unlessNamed: 'schema',
    hint: 'Name a schema of your own in a constant.',
  },
  {
    reason: 'evaluates an XPath, which no time limit stops',
    names: ['xpath', 'xpath_exists', 'xmlexists', 'xmltable'],
    unlessSmall: true,
    hint: 'Read the XML itself, or pass the path and the XML as short literals.',
  },
  { reason: 'works on a cursor', prefixes: ['cursor_to_xml'], hint: 'Pass the query itself.' },
  {
    reason: 'makes a value of a type that is given as a number, and runs what is attached to the type',
    names: [
      'domain_in',
      'domain_recv',
      'record_in',
      'record_recv',
      'array_in',
      'array_recv',
      'range_in',
      'range_recv',
      'multirange_in',
      'multirange_recv',
    ],
    hint: 'Write a cast: value::type.',
  },
  {
    reason: 'is a part of the server that statements do not call',
    prefixes: ['binary_upgrade_'],
    names: [
      'plpgsql_call_handler',
      'plpgsql_inline_handler',
      'plpgsql_validator',
      'fmgr_c_validator',
      'fmgr_internal_validator',
      'fmgr_sql_validator',
    ],
  },
];

/** They read relations, make values of types, or use the key of a table, which they get by name or number. Only what they find can do harm. */
export const dynamicBuiltins: ReadonlySet<string> = new Set([
  'database_to_xml',
  'database_to_xml_and_xmlschema',
  'pg_input_is_valid',
  'pg_input_error_info',
  'satisfies_hash_partition',
]);
