import { refuseUnplannable } from '../../../cost/cost-refusal.ts';
import type { Forecast, Forecaster, ForecastQuestions, TableRead } from '../../../cost/forecast.ts';
import type { CatalogRun } from '../../../engine.ts';
import { flattenPlan, type PlanNode } from '../../../plan/plan-tree.ts';
import { readRelations, toKey } from '../catalog/schema-facts.ts';
import { readCounts, usualRowBytes } from '../catalog/sizes.ts';
import { readTokens } from '../guard/text/lexer.ts';
import { estimateReads, type StoredTable } from './estimate-reads.ts';
import { findTable } from './find-table.ts';
import { readPlan } from './read-plan.ts';

/** SQLite plans without figures, so the rows are those of the tables, and of what ANALYZE has counted. */
export const forecaster: Forecaster = {
  async findPlanned({ sql }) {
    const tokens = readTokens(sql);
    const reader = tokens.find(({ name }) => wholeFile.test(name));
    if (reader !== undefined)
      throw refuseUnplannable(`${reader.name} reads the whole file`, 'Use a SELECT from a table instead.');
    // A plan, and a report on the schema, read no rows of tables.
    return tokens[0]?.word === 'EXPLAIN' || tokens[0]?.word === 'PRAGMA' ? undefined : sql;
  },
  async forecast(questions, sql) {
    const { roots } = readPlan(await questions.explain('EXPLAIN QUERY PLAN ', sql), sql);
    const tables = await readTables(questions, roots, sql);
    const reads = estimateReads(roots, { tables, maxRows: findLimit(sql, tables, questions.maxRows) });
    return { cost: 0, reads: reads.map(({ node, table, rows }) => toRead(node, table, rows)) } satisfies Forecast;
  },
};

const wholeFile = /^(?:(?:pragma_)?(?:integrity_check|quick_check|foreign_key_check)|dbstat)$/i;

function toRead({ label, alias }: PlanNode, table: StoredTable, rows: number): TableRead {
  const isSearch = label.startsWith('SEARCH ');
  return { label, table: table.name, schema: undefined, alias, filter: undefined, isSearch, rows, bytes: rows * table.rowBytes };
}

/** The tables by the names that the plan has for them, also behind views. */
async function readTables(
  { own }: ForecastQuestions,
  roots: readonly PlanNode[],
  sql: string,
): Promise<ReadonlyMap<string, StoredTable>> {
  const relations = await readRelations(own);
  const texts = [sql, ...relations.flatMap((relation) => (relation.type === 'view' ? (relation.sql ?? '') : []))];
  const named = flattenPlan({ roots, totalMs: undefined, notes: [] }).flatMap(({ table }) => table ?? []);
  const found = new Map<string, string>();
  for (const alias of named) {
    const names = texts.map((text) => toKey(findTable(alias, text)));
    const relation = relations.find(({ name, type }) => type !== 'view' && names.includes(toKey(name)));
    if (relation !== undefined) found.set(alias, relation.name);
  }
  const sizes = await readCounts(own, [...new Set(found.values())]);
  const keys = await readKeys(own);
  return new Map(
    [...found].map(([alias, name]) => [alias, { name, ...(sizes.get(name) ?? { rows: 0, rowBytes: usualRowBytes }), keys }]),
  );
}

/** Rows that share the values of the first columns of each index, as ANALYZE has counted them; undefined columns are not known. */
async function readKeys(own: CatalogRun): Promise<StoredTable['keys']> {
  const [stats, unique] = await Promise.all([
    own('select idx, stat from sqlite_stat1 where idx is not null limit 20000').catch(() => []),
    own(`select l.name, count(*) from sqlite_schema m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
where m.type = 'table' and l."unique" group by 1 limit 20000`),
  ]);
  const keys = new Map<string, { shares: readonly number[]; uniqueSize: number | undefined }>();
  for (const [index, stat] of stats)
    keys.set(toKey(index), { shares: (stat ?? '').split(' ').slice(1).map(Number), uniqueSize: undefined });
  for (const [index, size] of unique)
    keys.set(toKey(index), { shares: keys.get(toKey(index))?.shares ?? [], uniqueSize: Number(size) });
  return keys;
}

const stoppers: ReadonlySet<string> = new Set(
  'WHERE GROUP HAVING ORDER DISTINCT JOIN UNION INTERSECT EXCEPT WITH ( ,'.split(' '),
);

/** A scan of one table ends with the rows that are asked for, where no view, condition or order is between. */
function findLimit(sql: string, tables: ReadonlyMap<string, StoredTable>, maxRows: number | undefined): number | undefined {
  const tokens = readTokens(sql);
  const names = new Set(tokens.map(({ name }) => toKey(name)));
  if ([...tables.values()].some(({ name }) => !names.has(toKey(name)))) return undefined;
  const from = tokens.findIndex(({ word }) => word === 'FROM');
  if (tokens.some(({ word }, at) => stoppers.has(word) && !(word === ',' && at < from))) return undefined;
  const limit = tokens.findIndex(({ word }) => word === 'LIMIT');
  const written = tokens[limit + 1];
  if (limit < 0 || written?.kind !== 'number' || tokens.length > limit + 3) return maxRows;
  const count = Number(sql.slice(written.start, written.end));
  return maxRows === undefined ? count : Math.min(maxRows, count);
}
