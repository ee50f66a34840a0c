/** What a read may name. The guard and the process that opens the file use the same lists. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Pragmas that report on what their argument names, and change nothing. */
export const argumentPragmas = words(
  `table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check
  integrity_check quick_check`,
);

/** Pragmas that report a setting or a list where they have no argument. */
export const plainPragmas = words(
  `application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill cell_size_check checkpoint_fullfsync collation_list
  compile_options data_version database_list defer_foreign_keys encoding foreign_keys freelist_count fullfsync function_list
  hard_heap_limit ignore_check_constraints journal_mode journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size
  module_list page_count page_size pragma_list query_only read_uncommitted recursive_triggers reverse_unordered_selects schema_version
  secure_delete soft_heap_limit synchronous table_list temp_store threads trusted_schema user_version wal_autocheckpoint`,
);

/** Functions that load code, or read and write files, in builds that have them. */
export const deniedFunctions = words(
  `load_extension readfile writefile edit zipfile zipfile_cds fts3_tokenizer sqlar_compress sqlar_uncompress fsdir lsmode
  sqlite_log shell_add_schema shell_module_schema shell_putsnl usleep sqlite_load_extension`,
);

/** Table functions that reach files, in builds that have them. */
export const deniedTableFunctions = words('csv fsdir zipfile unionvtab swarmvtab tclvar vtablog');

/** Tables over the raw pages of the file, in builds that have them. */
export const deniedTables = words('sqlite_dbpage sqlite_dbdata sqlite_dbptr');

/** Pragmas as tables; SQLite offers only those that change nothing. */
export function isReadingPragmaTable(name: string): boolean {
  const pragma = name.slice('pragma_'.length);
  return argumentPragmas.has(pragma) || plainPragmas.has(pragma);
}
