import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { formatText } from '../../values/literal.ts';
import type { ObjectName } from '../catalog/guard-queries.ts';

/** A column as information_schema shows it. */
interface CatalogColumn {
  name: string;
  position: number;
  isInvisible: boolean;
  /** What computes the column or its default. */
  expressions: readonly string[];
}

/** A table or view with its columns. */
export interface CatalogRelation extends ObjectName {
  isView: boolean;
  /** Of a view; empty where the account may not see it. */
  definition: string;
  columns: readonly CatalogColumn[];
}

const maxBatch = 20;

/** Reads those of the names that the account may see. */
export async function readColumnRelations(
  names: readonly ObjectName[],
  maria: boolean,
  run: CatalogQuestion,
): Promise<CatalogRelation[]> {
  const batches = Array.from({ length: Math.ceil(names.length / maxBatch) }, (_, i) =>
    names.slice(i * maxBatch, (i + 1) * maxBatch),
  );
  return (await Promise.all(batches.map((batch) => readBatch(batch, maria, run)))).flat();
}

async function readBatch(names: readonly ObjectName[], maria: boolean, run: CatalogQuestion): Promise<CatalogRelation[]> {
  const ask = (columns: string, table: string) =>
    run(names.map((name) => `SELECT ${columns} FROM information_schema.${table} WHERE ${isTable(name)}`).join(' UNION ALL '));
  const [tables, views, columns] = await Promise.all([
    ask('TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE', 'TABLES'),
    ask('TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION', 'VIEWS'),
    ask('TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, EXTRA, GENERATION_EXPRESSION, COLUMN_DEFAULT', 'COLUMNS'),
  ]);
  const definitions = new Map(views.map(([schema, name, definition]) => [toKey(schema, name), definition ?? '']));
  const byTable = new Map(tables.map(([schema, name]) => [toKey(schema, name), [] as CatalogColumn[]]));
  for (const column of columns) byTable.get(toKey(column[0], column[1]))?.push(toColumn(column, maria));
  return tables.map(([schema = null, name = null, type]) => ({
    schema: schema ?? '',
    name: name ?? '',
    isView: type === 'VIEW',
    definition: definitions.get(toKey(schema, name)) ?? '',
    columns: (byTable.get(toKey(schema, name)) ?? []).sort((a, b) => a.position - b.position),
  }));
}

function toColumn([, , name, position, extra, generation, value]: readonly (string | null)[], maria: boolean): CatalogColumn {
  // MySQL shows texts without quotes, and marks expressions.
  const isExpression = maria || /\bDEFAULT_GENERATED\b/i.test(extra ?? '');
  return {
    name: name ?? '',
    position: Number(position),
    isInvisible: /\bINVISIBLE\b/i.test(extra ?? ''),
    expressions: [generation, isExpression ? value : null].filter((text) => typeof text === 'string' && text !== '').map(String),
  };
}

function toKey(schema: string | null | undefined, name: string | null | undefined): string {
  return JSON.stringify([schema, name]);
}

function isTable({ schema, name }: ObjectName): string {
  // Names in information_schema are in capitals and compared as they are.
  const written = /^information_schema$/i.test(schema) ? name.toUpperCase() : name;
  return `TABLE_SCHEMA = ${formatText(/^information_schema$/i.test(schema) ? 'information_schema' : schema)} AND TABLE_NAME = ${formatText(written)}`;
}

/** Whether the server takes names of tables in any case for the same. */
export async function readFoldsTables(run: CatalogQuestion): Promise<boolean> {
  const [row] = await run('SELECT @@GLOBAL.lower_case_table_names');
  return row?.[0] !== '0';
}
