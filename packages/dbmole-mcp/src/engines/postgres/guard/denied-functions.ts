/**
 * What a read must not call, in groups: a line with the reason, a hint and what lets a call pass, and indented below it the names.
 * `f*` is every name that begins so; `f/2` is every form of f but the one with two arguments. What lets a call pass: `small`: nothing
 * but short literals; `relation` and `schema`: a constant that names what it reads, which is then checked itself; `text`: nothing, but
 * in a body its arguments can be literals, which are then checked; `relations`, `types`, `partitions` and `indexes`: everything, as only
 * those of the database that do harm can do harm here.
 */

/**
 * Of PostgreSQL itself: what a read-only transaction does not stop, or not in every version. Everything else in pg_catalog that is
 * volatile or not open to everyone was looked at as well: `server-facts.ts`.
 */
export const deniedBuiltins = `
reads or writes files of the server
  pg_read_file* pg_read_binary_file* pg_file_* pg_ls_* pg_stat_file pg_logdir_ls lo_import lo_export
reads the server's configuration files | The settings in force are in pg_settings.
  pg_hba_file_rules pg_ident_file_mappings pg_show_all_file_settings
changes or opens large objects | Read a large object with lo_get.
  lo_creat lo_create lo_unlink lo_from_bytea lo_put lo_open lowrite lo_truncate lo_truncate64
controls the server
  pg_rotate_logfile* pg_log_* pg_switch_* pg_wal_replay_* pg_create_restore_point* pg_reload_conf pg_terminate_backend
  pg_cancel_backend pg_promote pg_start_backup pg_stop_backup pg_backup_start pg_backup_stop pg_import_system_collations pg_nextoid
  pg_stop_making_pinned_objects pg_extension_config_dump pg_stat_force_next_flush
creates, advances, acquires or drops a replication slot | Slots are listed in pg_replication_slots.
  pg_logical_slot_* pg_sync_replication_* pg_create_logical_replication_slot pg_create_physical_replication_slot
  pg_copy_logical_replication_slot pg_copy_physical_replication_slot pg_drop_replication_slot pg_replication_slot_advance
changes a replication origin | Their state is in pg_replication_origin_status.
  pg_replication_origin_advance pg_replication_origin_create pg_replication_origin_drop pg_replication_origin_session_reset
  pg_replication_origin_session_setup pg_replication_origin_xact_reset pg_replication_origin_xact_setup
sends a message
  pg_logical_emit_message pg_notify
acquires or releases a lock that outlives the read | Locks are listed in pg_locks.
  pg_advisory_* pg_try_advisory_*
advances or sets a sequence | The state of sequences is in pg_sequences.
  nextval setval
changes the session | Read a setting with current_setting.
  set_config setseed
consumes a transaction number | Use pg_current_xact_id_if_assigned() or pg_current_snapshot().
  txid_current pg_current_xact_id
exports a snapshot | Leave it out.
  pg_export_snapshot
changes statistics
  pg_stat_reset* pg_restore_* pg_clear_*
changes an index
  brin_summarize_* brin_desummarize_range gin_clean_pending_list
runs SQL from a string | Pass that SQL as the statement. | text
  query_to_xml* ts_stat ts_rewrite/3
reads a table chosen at run time | Name the table in a constant. | relation
  table_to_xml table_to_xml_and_xmlschema
reads all tables of a schema | Name a schema of your own in a constant. | schema
  schema_to_xml schema_to_xml_and_xmlschema
chooses what it reads at run time | | relations
  database_to_xml database_to_xml_and_xmlschema
chooses what it reads at run time | | types
  pg_input_is_valid pg_input_error_info
chooses what it reads at run time | | partitions
  satisfies_hash_partition pg_get_partition_constraintdef
evaluates an XPath expression, which no time limit stops | Read the XML itself, or pass the path and the XML as short literals. | small
  xpath xpath_exists xmlexists xmltable
reads from a cursor | Pass the query itself.
  cursor_to_xml*
creates a value of a type given by its OID, and runs code attached to that type | Write a cast: value::type.
  domain_in domain_recv record_in record_recv array_in array_recv range_in range_recv multirange_in multirange_recv
is internal to the server
  binary_upgrade_* plpgsql_call_handler plpgsql_inline_handler plpgsql_validator fmgr_c_validator fmgr_internal_validator
  fmgr_sql_validator`;

/** Of well-known extensions, in whatever schema they were installed. What an unknown one may do, the catalog tells. */
export const deniedExtensions = `
runs statements over a connection of its own | Add the other database as a connection of its own.
  dblink* oracle_execute clickhousedb_raw_query master_run_on_worker
closes connections of the server
  postgres_fdw_disconnect* sqlite_fdw_disconnect* oracle_close_connections
runs SQL from a string | Pass that SQL as the statement. | text
  crosstab*
runs SQL assembled from strings | Pass that SQL as the statement.
  pg_background_* run_command_on_* connectby xpath_table
schedules or starts work in the background
  autoprewarm_* worker_spi_* schedule_in_database unschedule pg_prewarm start_background_workers stop_background_workers
  restart_background_workers worker_restart
connects to other systems
  http http_get http_head http_post http_put http_patch http_delete http_set_curlopt http_reset_curlopt
reads pages of a table chosen at run time | Name the table in a constant. | relation
  get_raw_page
decodes raw bytes, and can crash the server if they are not a page | Read the table itself; bt_page_items(index, block) and bt_page_stats(index, block) read the page themselves.
  brin_page_* gin_page_* gist_page_* hash_page_* heap_page_item* page_header page_checksum fsm_page_contents tuple_data_split
  brin_metapage_info brin_revmap_data gin_metapage_info gin_leafpage_items hash_metapage_info bt_page_items/2
changes pages of a table outside of transactions
  heap_force_*
changes the visibility map
  pg_truncate_visibility_map
evicts pages from memory
  pg_buffercache_evict* pg_buffercache_mark_*
changes statistics
  pg_stat_statements_reset pg_stat_kcache_reset pg_stat_monitor_reset pg_qualstats_reset pg_wait_sampling_reset_profile
  pg_store_plans_reset
changes the session
  hypopg_* injection_points_* pl_profiler_set_* pl_profiler_reset_* pgv_set* pgv_insert* pgv_update* pgv_delete* pgv_remove*
  pgv_free* set_limit set_user set_user_u reset_user set_session_auth isn_weak/0
evaluates an XPath expression, which no time limit stops | Read the XML itself.
  xpath_nodeset xpath_string xpath_list xpath_number xpath_bool xslt_process
can stop functions of other sessions
  pldbg_* plpgsql_oid_debug*
creates types and operators outside of transactions
  create_base_type create_shell_type
reads files of the server into a table
  pg_bulkload
controls the server
  set_cluster_readonly unset_cluster_readonly
plans the statements of a function chosen at run time, which can run what they call
  plpgsql_check_* plpgsql_show_dependency_*
chooses what it reads at run time | | indexes
  bt_index_check bt_index_parent_check gin_index_check`;

/** Schemas that belong to one extension, and in which nearly everything acts. */
export const deniedSchemas = `
schedules work in the background
  cron
connects to other systems
  aws_s3 aws_lambda azure_storage amqp
runs SQL from a string
  duckdb dbms_sql
moves the files of tables
  repack squeeze
reads or writes files of the server
  utl_file
sends a message
  dbms_pipe dbms_alert
changes replication
  pglogical spock bdr`;

/** Catalogs and views of PostgreSQL itself that show secrets or files, and lead to no denied function that the text would show. */
export const deniedRelations = `
holds passwords | Roles are listed in pg_roles, and users in pg_user.
  pg_catalog.pg_authid pg_catalog.pg_shadow
holds passwords | See information_schema.user_mappings.
  pg_catalog.pg_user_mapping pg_catalog.pg_user_mappings information_schema.user_mapping_options information_schema._pg_user_mappings
holds passwords | See pg_stat_subscription.
  pg_catalog.pg_subscription
reads the server's configuration files | The settings in force are in pg_settings.
  pg_catalog.pg_hba_file_rules pg_catalog.pg_ident_file_mappings pg_catalog.pg_file_settings`;
