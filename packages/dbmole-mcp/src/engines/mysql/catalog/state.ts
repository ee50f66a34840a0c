import type { Lack, TableFilter, TableKind } from '../../../catalog/catalog.ts';
import type { CatalogRun, Param } from '../../../engine.ts';
import { type CatalogContext, questionMarks, schemaCondition, toKey } from './context.ts';

/** What a list says of a table beyond its size. */
interface TableState {
  primaryKey: readonly string[];
  references: number;
  /** Undefined where it was not counted. */
  referencedBy: number | undefined;
}

export interface TableStates {
  of(schema: string | null | undefined, table: string | null | undefined): TableState;
}

/** MariaDB opens every table to find the references to one of them. */
export const maxSearched = 2_000;

/** Some tables of each schema; undefined for all of them. */
type TablesOfSchemas = ReadonlyMap<string, readonly string[] | undefined>;

/** Reads keys and references. Schema and tables are constants, because MariaDB opens all tables otherwise. */
export async function readState(run: CatalogRun, context: CatalogContext, page: TablesOfSchemas): Promise<TableStates> {
  const keys = new Map<string, string[]>();
  const counts = { outgoing: new Map<string, number>(), incoming: new Map<string, number>() };
  let isCounted = true;
  for (const [schema, tables] of page) {
    const isSmall = !context.maria || (await countTables(run, context, schema)) <= maxSearched;
    isCounted &&= isSmall;
    const { sql, arms } = formatState(tables, { maria: context.maria, incoming: isSmall });
    const params = Array.from({ length: arms }, () => [schema, ...(tables ?? [])]).flat();
    for (const [what, space, table, value] of await run(sql, params)) {
      const key = toKey(space, table);
      if (what === 'key') keys.set(key, [...(keys.get(key) ?? []), value ?? '']);
      else counts[what === 'outgoing' ? what : 'incoming'].set(key, Number(value));
    }
  }
  return {
    of(schema, table) {
      const key = toKey(schema, table);
      return {
        primaryKey: keys.get(key) ?? [],
        references: counts.outgoing.get(key) ?? 0,
        referencedBy: isCounted ? (counts.incoming.get(key) ?? 0) : undefined,
      };
    },
  };
}

function formatState(tables: readonly string[] | undefined, { maria, incoming }: { maria: boolean; incoming: boolean }) {
  const isOneOf = (column: string) => (tables === undefined ? '' : ` and ${column} in (${questionMarks(tables)})`);
  const own = `table_schema = ?${isOneOf('table_name')}`;
  const arms = [
    `select 'key', table_schema, table_name, column_name, seq_in_index from information_schema.statistics
      where ${own} and index_name = 'PRIMARY'`,
    `select 'outgoing', table_schema, table_name, count(distinct constraint_name), 0 from information_schema.key_column_usage
      where ${own} and referenced_table_name is not null group by table_schema, table_name`,
  ];
  const inSchema = maria ? ' and table_schema = referenced_table_schema' : '';
  if (incoming) {
    arms.push(`select 'incoming', referenced_table_schema, referenced_table_name, count(distinct table_schema, table_name, constraint_name), 0
      from information_schema.key_column_usage
      where referenced_table_schema = ?${isOneOf('referenced_table_name')}${inSchema} group by referenced_table_schema, referenced_table_name`);
  }
  return { sql: `${arms.join(' union all ')} order by 5`, arms: arms.length };
}

export async function countTables(run: CatalogRun, { counts }: CatalogContext, schema: string): Promise<number> {
  const known = counts.get(schema);
  if (known !== undefined && Number.isFinite(known)) return known;
  const [row] = await run('select count(*) from information_schema.tables where table_schema = ?', [schema]);
  const count = Number(row?.[0]);
  counts.set(schema, count);
  return count;
}

const kindConditions: Readonly<Record<TableKind, string>> = {
  table: "table_type not like '%VIEW'",
  view: "table_type like '%VIEW'",
  'partitioned table': "create_options like '%partitioned%'",
  'foreign table': 'false',
  'materialized view': 'false',
};

/** The conditions of a filter on the tables of information_schema, each of which begins with `and`. */
export function formatConditions(context: CatalogContext, filter: TableFilter): { sql: string; params: readonly Param[] } {
  const { kind, without, schema } = filter;
  const { sql, params } = schemaCondition('table_schema', context, schema);
  const conditions: string[] = kind === undefined ? [] : [kindConditions[kind]];
  if (without === undefined) return { sql: formatAll(conditions), params: [] };
  const lists: Readonly<Record<Lack, readonly string[]>> = {
    rows: [],
    primary_key: [formatList('table_schema, table_name', 'statistics', `${sql} and index_name = 'PRIMARY'`)],
    references: [
      formatList('table_schema, table_name', 'key_column_usage', `${sql} and referenced_table_name is not null`),
      formatList(
        'referenced_table_schema, referenced_table_name',
        'key_column_usage',
        `${context.maria ? sql : 'true'} and referenced_table_name is not null`,
      ),
    ],
  };
  const named = lists[without].map(
    (list) => `not exists (select 1 from ${list} where in_schema = tables.table_schema and in_table = tables.table_name)`,
  );
  const own = without === 'rows' ? ['table_rows = 0'] : named;
  const uses = lists[without].filter((list) => list.includes('?')).length;
  return {
    sql: formatAll([...conditions, "table_type = 'BASE TABLE'", ...own]),
    params: Array.from({ length: uses }, () => params).flat(),
  };
}

/** A table of its own: MySQL would read the view again for every table of the schema. */
function formatList(columns: string, view: string, where: string): string {
  const [schema, table] = columns.split(', ');
  return `(select distinct ${schema} as in_schema, ${table} as in_table from information_schema.${view} where ${where}) as list`;
}

function formatAll(conditions: readonly string[]): string {
  return conditions.map((condition) => ` and ${condition}`).join('');
}
