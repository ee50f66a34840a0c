import type { ForeignKey, SearchFilter, SearchHit } from '../../../catalog/catalog.ts';
import { formatLikePart, parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { type CatalogContext, questionMarks, readContext, schemaCondition } from './context.ts';

const searched = 2000;

interface Thing {
  kind: string;
  schema: string;
  /** The relation or routine, and its column. */
  name: string;
  column: string;
  /** Names and comment to look in; at least one word has to be in `own`. */
  context: string;
  own: string;
  /** A word that is this finds the thing too. */
  type: string;
  detail: string;
  from: string;
  where: string;
}

const things: readonly Thing[] = [
  {
    kind: "case table_type when 'BASE TABLE' then 'table' else lower(table_type) end",
    schema: 'table_schema',
    name: 'table_name',
    column: 'null',
    context: 'table_schema',
    type: "''",
    own: `concat_ws(' ', table_name, left(table_comment, ${searched}))`,
    detail: "if(table_comment = 'VIEW', '', left(table_comment, 201))",
    from: 'tables',
    where: 'true',
  },
  {
    kind: "'column'",
    schema: 'table_schema',
    name: 'table_name',
    column: 'column_name',
    context: 'table_name',
    type: 'data_type',
    own: `concat_ws(' ', column_name, left(column_comment, ${searched}), if(data_type in ('enum', 'set'), left(column_type, ${searched}), null))`,
    detail: "concat_ws(': ', left(column_type, 500), nullif(left(column_comment, 201), ''))",
    from: 'columns',
    where: 'true',
  },
  {
    kind: 'lower(routine_type)',
    schema: 'routine_schema',
    name: 'routine_name',
    column: 'null',
    context: 'routine_schema',
    type: "''",
    own: `concat_ws(' ', routine_name, left(routine_comment, ${searched}))`,
    detail: "concat_ws(': ', nullif(dtd_identifier, ''), nullif(left(routine_comment, 201), ''))",
    from: 'routines',
    where: "routine_type in ('FUNCTION', 'PROCEDURE')",
  },
  named({
    kind: 'lower(constraint_type)',
    schema: 'table_schema',
    name: 'constraint_name',
    table: 'table_name',
    detail: "''",
    from: 'table_constraints',
    where: "constraint_type in ('FOREIGN KEY', 'CHECK')",
  }),
  named({
    kind: "if(non_unique, 'index', 'unique index')",
    schema: 'table_schema',
    name: 'index_name',
    table: 'table_name',
    detail: "''",
    from: 'statistics',
    where: "seq_in_index = 1 and index_name <> 'PRIMARY'",
  }),
  named({
    kind: "'trigger'",
    schema: 'trigger_schema',
    name: 'trigger_name',
    table: 'event_object_table',
    detail: "concat(': ', action_timing, ' ', event_manipulation)",
    from: 'triggers',
    where: 'true',
  }),
];

/** From this place on, things of tables, whose names repeat those of tables and columns: they come last. */
const constraintWeight = 3;

/** A thing of a table, whose name often begins with that of the table. */
function named({
  table,
  ...thing
}: Pick<Thing, 'kind' | 'schema' | 'name' | 'detail' | 'from' | 'where'> & { table: string }): Thing {
  return {
    ...thing,
    column: 'null',
    context: `concat_ws(' ', ${table}, ${thing.name})`,
    own: `replace(${thing.name}, ${table}, '')`,
    type: "''",
    detail: `concat('on ', ${table}, ${thing.detail})`,
  };
}

export async function search(run: CatalogRun, { words, schema, limit, offset }: SearchFilter): Promise<SearchHit[]> {
  const context = await readContext(run);
  const likes = words.map((word) => formatLikePart(word.toLowerCase()));
  const exact = words.map((word) => word.toLowerCase());
  const arms = things.map((thing, weight) => buildArm(thing, { weight, words: words.length, context, schema }));
  const hay = words.flatMap((_, i) => [likes[i] ?? '', exact[i] ?? '']);
  const own = words.flatMap((_, i) => [likes[i] ?? '', exact[i] ?? '', exact[i] ?? '']);
  const sql = `select kind, name_schema, name, name_column, detail from (${arms.map(({ sql }) => sql).join(' union all ')}) hits
    order by is_name desc, weight >= ${constraintWeight}, in_name desc, weight, name_schema, name, name_column limit ? offset ?`;
  const params = arms.flatMap(({ params }) => [...exact, ...likes, ...params, ...hay, ...own]);
  return (await run(sql, [...params, limit + 1, offset])).map((row) => readHit(row, context));
}

interface ArmOptions {
  weight: number;
  words: number;
  context: CatalogContext;
  schema: string | undefined;
}

function buildArm(thing: Thing, { weight, words, context, schema }: ArmOptions): { sql: string; params: readonly string[] } {
  const bare = `lower(coalesce(${thing.column}, ${thing.name}))`;
  const each = (test: string, join: string) => Array.from({ length: words }, () => test).join(join);
  const where = schemaCondition(thing.schema, context, schema);
  const sql = `select ${thing.kind} as kind, ${thing.schema} as name_schema, ${thing.name} as name, ${thing.column} as name_column,
      ${thing.detail} as detail, ${weight} as weight, ${each(`(${bare} = ?)`, ' + ')} as is_name, ${each(`(${bare} like ?)`, ' + ')} as in_name
    from information_schema.${thing.from} where ${where.sql} and ${thing.where}
      and ${each(`(lower(concat_ws(' ', ${thing.context}, ${thing.own})) like ? or lower(${thing.type}) = ?)`, ' and ')}
      and (${each(`lower(${thing.own}) like ? or lower(${thing.type}) = ? or ${bare} = ?`, ' or ')})`;
  return { sql, params: where.params };
}

function readHit([kind, schema, name, column, detail]: readonly (string | null)[], { formatLabel }: CatalogContext): SearchHit {
  const label = formatLabel(schema, name);
  return {
    kind: kind ?? '',
    name: column === null || column === undefined ? label : `${label}.${formatIdentifier(column)}`,
    detail: detail ?? '',
  };
}

export async function columnNames(run: CatalogRun, tables: readonly string[]): Promise<string[]> {
  const context = await readContext(run);
  const where = schemaCondition('table_schema', context, undefined);
  const names = tables.map((table) => parseNameParts(table).at(-1)?.text ?? '');
  const some = names.length === 0 ? '' : ` and table_name in (${questionMarks(names)})`;
  const sql = `select distinct column_name from information_schema.columns where ${where.sql}${some} limit 20000`;
  return (await run(sql, [...where.params, ...names])).map(([name]) => formatIdentifier(name ?? ''));
}

const maxForeignKeys = 20_000;

export async function foreignKeys(run: CatalogRun): Promise<ForeignKey[]> {
  const context = await readContext(run);
  const where = schemaCondition('table_schema', context, undefined);
  const rows = await run(
    `select table_schema, table_name, constraint_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name
      from information_schema.key_column_usage where ${where.sql} and referenced_table_name is not null
      order by table_schema, table_name, constraint_name, ordinal_position limit ${maxForeignKeys + 1}`,
    where.params,
  );
  const keys = new Map<string, ForeignKey & { columns: string[]; targets: string[] }>();
  for (const [schema, table, name, column, toSchema, toTable, target] of rows) {
    const id = JSON.stringify([schema, table, name]);
    const fresh = { columns: [], targets: [], name: formatIdentifier(name ?? '') };
    const key = keys.get(id) ?? {
      ...fresh,
      from: context.formatLabel(schema, table),
      table: context.formatLabel(toSchema, toTable),
    };
    keys.set(id, key);
    key.columns.push(formatIdentifier(column ?? ''));
    key.targets.push(formatIdentifier(target ?? ''));
  }
  return [...keys.values()];
}
