import { questionMarks } from './context.ts';
import { tableFacts } from './list.ts';

interface DescribeParts {
  maria: boolean;
  /** Characters of a comment. */
  comment: number;
  /** References from other tables. MariaDB opens all tables to find them. */
  incoming: boolean;
}

/** The number of partitions that are named; the others are only counted. */
const maxNamed = 20;

const width = 8;

/** One arm of the union: the kind of the row, the table, its order, and a fixed number of cells. */
function arm(
  what: string,
  columns: { schema?: string; table?: string; order: string; cells: readonly string[] },
  from: string,
): string {
  const { schema = 'table_schema', table = 'table_name', order, cells } = columns;
  const all = [...cells, ...Array<string>(width - cells.length).fill('null')];
  return `select '${what}', ${schema}, ${table}, ${order}, ${all.join(', ')} from ${from}`;
}

/**
 * Reads everything about some tables of one schema in one statement. Each arm names schema and tables as constants, because the
 * engine opens all tables otherwise. So the parameters are the schema and the tables, once for each arm.
 */
export function formatDescribe(tables: readonly string[], parts: DescribeParts): { sql: string; arms: number } {
  const these = `table_schema = ? and table_name in (${questionMarks(tables)})`;
  const arms = [
    arm('table', { order: '0', cells: tableFacts.split(/, (?![^(]*\))/) }, `information_schema.tables where ${these}`),
    columnsArm(these, parts.comment),
    indexArm(these, parts.maria),
    ...referenceArms(these),
    checksArm(these, parts.maria),
    ...partitionArms(these),
    arm(
      'trigger',
      {
        schema: 'event_object_schema',
        table: 'event_object_table',
        order: 'action_order',
        cells: ['trigger_name', 'action_timing', 'event_manipulation', 'left(action_statement, 2000)'],
      },
      `information_schema.triggers where ${these.replace('table_schema', 'event_object_schema').replace('table_name', 'event_object_table')}`,
    ),
    ...(parts.incoming ? incomingArms(tables) : []),
    arm('view', { order: '0', cells: ['left(view_definition, 100000)'] }, `information_schema.views where ${these}`),
  ];
  return { sql: arms.join('\nunion all '), arms: arms.length };
}

function columnsArm(these: string, comment: number): string {
  const cells = [
    'column_name',
    'column_type',
    'is_nullable',
    'left(column_default, 1000)',
    'extra',
    'left(generation_expression, 1000)',
    `left(column_comment, ${comment})`,
    'privileges',
  ];
  return arm('column', { order: 'ordinal_position', cells }, `information_schema.columns where ${these}`);
}

function indexArm(these: string, maria: boolean): string {
  const own = maria ? ['null', "if(ignored = 'YES', 'IGNORED', '')"] : ['expression', "if(is_visible = 'NO', 'INVISIBLE', '')"];
  const cells = ['index_name', 'column_name', 'collation', 'sub_part', 'non_unique', 'index_type', ...own];
  return arm('index', { order: 'seq_in_index', cells }, `information_schema.statistics where ${these}`);
}

/** One view has the columns of a reference, another the actions on a change. */
function referenceArms(these: string): string[] {
  const cells = ['constraint_name', 'column_name', 'referenced_table_schema', 'referenced_table_name', 'referenced_column_name'];
  return [
    arm(
      'reference',
      { order: 'ordinal_position', cells },
      `information_schema.key_column_usage where ${these} and referenced_table_name is not null`,
    ),
    arm(
      'rule',
      { schema: 'constraint_schema', order: '0', cells: ['constraint_name', 'update_rule', 'delete_rule'] },
      `information_schema.referential_constraints where ${these.replace('table_schema', 'constraint_schema')}`,
    ),
  ];
}

function incomingArms(tables: readonly string[]): string[] {
  const marks = questionMarks(tables);
  const cells = ['constraint_name', 'table_schema', 'table_name', 'column_name', 'referenced_column_name'];
  const place = { schema: 'referenced_table_schema', table: 'referenced_table_name', order: 'ordinal_position', cells };
  const rules = ['constraint_name', 'constraint_schema', 'table_name', 'update_rule', 'delete_rule'];
  return [
    arm(
      'incoming',
      place,
      `information_schema.key_column_usage where referenced_table_schema = ? and referenced_table_name in (${marks})`,
    ),
    arm(
      'incoming rule',
      { schema: 'unique_constraint_schema', table: 'referenced_table_name', order: '0', cells: rules },
      `information_schema.referential_constraints where unique_constraint_schema = ? and referenced_table_name in (${marks})`,
    ),
  ];
}

function checksArm(these: string, maria: boolean): string {
  if (maria) {
    const cells = ['constraint_name', 'left(check_clause, 2000)', "''"];
    const from = `information_schema.check_constraints where ${these.replace('table_schema', 'constraint_schema')}`;
    return arm('check', { schema: 'constraint_schema', order: '0', cells }, from);
  }
  const cells = ['t.constraint_name', 'left(c.check_clause, 2000)', "if(t.enforced = 'NO', ' NOT ENFORCED', '')"];
  const from = `information_schema.table_constraints t join information_schema.check_constraints c
    on c.constraint_schema = t.constraint_schema and c.constraint_name = t.constraint_name
    where t.constraint_type = 'CHECK' and ${these.replace('table_schema', 't.table_schema').replace('table_name', 't.table_name')}`;
  return arm('check', { schema: 't.table_schema', table: 't.table_name', order: '0', cells }, from);
}

function partitionArms(these: string): string[] {
  const from = `information_schema.partitions where ${these} and partition_name is not null`;
  const cells = ['partition_name', 'left(partition_description, 500)', 'partition_method', 'left(partition_expression, 1000)'];
  const more = ['subpartition_method', 'left(subpartition_expression, 1000)'];
  const first = `${from} and partition_ordinal_position <= ${maxNamed} and coalesce(subpartition_ordinal_position, 1) = 1`;
  return [
    arm('partition', { order: 'partition_ordinal_position', cells: [...cells, ...more] }, first),
    arm('partitions', { order: '0', cells: ['max(partition_ordinal_position)'] }, `${from} group by table_schema, table_name`),
  ];
}
