import { Failure } from '@dbmole/core';
import { refuseUnplannable } from '../../../cost/cost-refusal.ts';
import type { Forecast, Forecaster, ForecastQuestions, TableRead } from '../../../cost/forecast.ts';
import type { JsonObject } from '../../../json-object.ts';
import { seePlan } from '../../../next-steps.ts';
import { limitRows } from '../session/row-limit.ts';
import { parsePlanJson } from './parse-plan.ts';
import { findPlanned } from './planned-part.ts';
import { listTableSteps, type TableStep, walkPlan } from './walk-plan.ts';

const prefix = 'EXPLAIN (FORMAT JSON, VERBOSE) ';

export const forecaster: Forecaster = {
  findPlanned: async ({ sql }) => findPlanned(sql),
  async forecast(questions, sql) {
    const root = parsePlanJson(await explainLimited(questions, sql)).object('Plan');
    if (!root.has('Node Type')) throw refuseUnplannable('the server does not show the plan', seePlan);
    const facts = await readFacts(questions, listTableSteps(root));
    return estimate(root, facts, questions.maxRows);
  },
};

/** The plan with the LIMIT that the read gets; a statement that fails with it is read without. */
async function explainLimited({ explain, maxRows }: ForecastQuestions, sql: string): Promise<string> {
  const limited = limitRows(sql, maxRows).sql;
  try {
    return await explain(prefix, limited);
  } catch (error) {
    if (limited === sql || !(error instanceof Failure) || error.code !== 'E_SYNTAX') throw error;
    return await explain(prefix, sql);
  }
}

function estimate(root: JsonObject, facts: Facts, maxRows: number | undefined): Forecast {
  const rows = root.number('Plan Rows') ?? 0;
  // What the protocol limits is not read on either.
  const fraction = maxRows === undefined || rows <= maxRows ? 1 : maxRows / rows;
  const [startup, total] = [root.number('Startup Cost') ?? 0, root.number('Total Cost') ?? 0];
  const steps = walkPlan(root, { runs: 1, fraction }, (step) => countRows(step, facts));
  return {
    cost: startup + (total - startup) * fraction,
    reads: steps.map(({ step, times }) => toRead(step, facts, times)),
  };
}

interface TableSize {
  rows: number;
  bytes: number;
}

interface Facts {
  tables: ReadonlyMap<string, TableSize>;
  /** The cost of a page that is read out of order. */
  pageCost: number;
}

const factsSql = `select n.nspname, c.relname, greatest(c.reltuples, 0)::text, c.relpages::text,
  coalesce(pg_catalog.pg_relation_size(c.oid), 0)::text, pg_catalog.current_setting('block_size'),
  pg_catalog.current_setting('random_page_cost')
from pg_catalog.jsonb_to_recordset($1::jsonb) as w(nsp text, rel text)
  join pg_catalog.pg_namespace n on n.nspname = w.nsp join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = w.rel
limit 20000`;

/** Sizes of the tables, where the plan alone does not say how much of them is read. */
async function readFacts({ own, wants }: ForecastQuestions, steps: readonly TableStep[]): Promise<Facts> {
  const needed = wants.bytes
    ? steps
    : wants.rows
      ? steps.filter(({ json, processes }) => json.has('Filter') || processes > 1)
      : [];
  if (needed.length === 0) return { tables: new Map(), pageCost: defaultPageCost };
  const names = new Map(
    needed.map((step) => [formatKey(step), { nsp: step.schema, rel: step.table, width: step.json.number('Plan Width') }]),
  );
  const rows = await own(factsSql, [JSON.stringify([...names.values()])]);
  const tables = rows.map(([schema, table, ...figures]): [string, TableSize] => {
    const key = `${schema}\0${table}`;
    return [key, computeSize(figures.map(Number), names.get(key)?.width)];
  });
  return { tables: new Map(tables), pageCost: Number(rows[0]?.[6] ?? defaultPageCost) };
}

const defaultPageCost = 4;
/** Bytes of each row besides its columns. */
const rowOverhead = 28;

/** As the planner does: the rows of a page, as they were counted last, times the pages of now. */
function computeSize([counted = 0, pages = 0, bytes = 0, block = 8192]: readonly number[], width = 32): TableSize {
  const current = bytes / block;
  const perPage = pages > 0 && counted > 0 ? counted / pages : block / (width + rowOverhead);
  return { rows: current * perPage, bytes };
}

function formatKey({ schema, table }: Pick<TableStep, 'schema' | 'table'>): string {
  return `${schema}\0${table}`;
}

function isFullRead(json: JsonObject): boolean {
  const type = json.text('Node Type');
  return type === 'Seq Scan' || (/^Index (?:Only )?Scan$/.test(type ?? '') && !json.has('Index Cond'));
}

/** The rows that one run reads in all processes, before its filter. */
function countRows({ json, processes, schema, table }: TableStep, { tables, pageCost }: Facts): number {
  const known = tables.get(formatKey({ schema, table }))?.rows;
  // The plan counts those of one process.
  const planned = (json.number('Plan Rows') ?? 0) * processes;
  const isShared = json.value['Parallel Aware'] === true;
  const readers = isShared ? 1 : processes;
  if (isFullRead(json)) return isShared && known !== undefined ? known : Math.max(planned, (known ?? 0) * readers);
  const type = json.text('Node Type');
  if (type === 'Bitmap Heap Scan') return Math.max(planned, countBitmap(json.objects('Plans')[0]) * readers);
  return Math.max(planned, type === 'Index Scan' && json.has('Filter') ? countFetched(json, pageCost) * processes : 0);
}

/** The cost of a row that an index scan fetches, besides that of its page. */
const rowCost = 0.02;

/** An index scan throws rows away without saying how many it fetches; its cost is that of at least so many. */
function countFetched(json: JsonObject, pageCost: number): number {
  const cost = (json.number('Total Cost') ?? 0) - (json.number('Startup Cost') ?? 0);
  return cost / (pageCost + rowCost);
}

function countBitmap(json: JsonObject | undefined): number {
  const parts = json?.objects('Plans') ?? [];
  const counts = parts.map(countBitmap);
  const type = json?.text('Node Type');
  if (type === 'BitmapAnd') return Math.min(...counts);
  return type === 'BitmapOr' ? counts.reduce((sum, count) => sum + count, 0) : (json?.number('Plan Rows') ?? 0);
}

const minWidth = 8;

function toRead(step: TableStep, facts: Facts, times: number): TableRead {
  const { json, schema, table } = step;
  const rows = countRows(step, facts) * times;
  return {
    label: `${json.text('Node Type')} on ${schema === undefined ? '' : `${schema}.`}${table}`,
    table,
    schema,
    alias: json.text('Alias'),
    filter: json.text('Filter'),
    isSearch: !isFullRead(json),
    rows,
    bytes: rows * readWidth(step, facts.tables.get(formatKey(step))),
  };
}

/** Bytes for each row that is read: those of the row in the table, or of the columns that only an index holds. */
function readWidth({ json }: TableStep, size: TableSize | undefined): number {
  const width = Math.max(minWidth, json.number('Plan Width') ?? minWidth);
  if (json.text('Node Type') === 'Index Only Scan' || size === undefined || size.rows === 0) return width;
  return size.bytes / size.rows;
}
