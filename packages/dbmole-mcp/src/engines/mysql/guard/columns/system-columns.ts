import { foldName } from '../judge-call.ts';

/**
 * Columns of the server's own tables that hold values of tables, or texts of statements and errors with such values: by
 * `schema.table`, which may have a `*` at its end.
 */
const holders: Readonly<Record<string, string>> = {
  'information_schema.column_statistics': 'histogram',
  'mysql.column_statistics': 'histogram',
  'mysql.column_stats': 'min_value max_value histogram',
  'information_schema.innodb_ft_*': 'word value',
  'information_schema.innodb_locks': 'lock_data',
  'performance_schema.data_locks': 'lock_data',
  'performance_schema.user_variables_by_thread': 'variable_value',
  'information_schema.user_variables': 'variable_value',
  'information_schema.optimizer_trace': 'query trace',
  'performance_schema.events_statements_*': 'sql_text message_text query_sample_text',
  'performance_schema.error_log': 'data',
  'performance_schema.prepared_statements_instances': 'sql_text',
  'performance_schema.replication_applier_status_*': 'last_error_message',
  'mysql.general_log*': 'argument',
  'mysql.slow_log*': 'sql_text',
};

/** Whether the column of one of the server's own tables may hold values of protected columns. */
export function mayHoldValues(schema: string, table: string, column: string): boolean {
  const name = `${schema}.${table}`.toLowerCase();
  const found = Object.entries(holders).find(([holder]) =>
    holder.endsWith('*') ? name.startsWith(holder.slice(0, -1)) : name === holder,
  );
  return found?.[1].split(' ').includes(foldName(column).toLowerCase()) === true;
}
