import { Failure } from '@dbmole/core';
import { refuseUnplannable } from '../../../cost/cost-refusal.ts';
import { JsonObject } from '../../../json-object.ts';
import { seePlan } from '../../../next-steps.ts';
import type { PlanSteps, TableStep } from './plan-steps.ts';

interface Statement {
  sql: string;
  maxRows: number | undefined;
}

/** What MariaDB plans to read, by the JSON of its plan. Before version 11 it has no costs: then the rows that are read are the cost. */
export function walkJson(answer: string, statement: Statement): PlanSteps {
  const block = new JsonObject(parseJson(answer)).object('query_block');
  if (Object.keys(block.value).length === 0) throw refuseUnplannable('the server does not show the plan', seePlan);
  const steps = walkBlock(block, 1);
  const part = readLimitedPart(block, statement);
  const limited = steps.map((step) => ({ ...step, times: step.times * part }));
  const rows = limited.reduce((sum, step) => sum + (step.rows ?? 0) * step.times, 0);
  const cost = block.number('cost');
  return { cost: cost === undefined ? rows : cost * part, steps: limited };
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch (cause) {
    throw new Failure('engine', 'the plan is not valid JSON', { cause });
  }
}

/** The rows that a row of a join buffer is compared with are read once for each buffer. */
const rowsPerBuffer = 2_500;

/** One SELECT: its tables are joined in this order, each read for every row of those before it. */
function walkBlock(block: JsonObject, runs: number): TableStep[] {
  const found = findTables(block);
  let outer = 1;
  let evaluated = 1;
  const aliases: string[] = [];
  const own = found.flatMap(({ table, isBuffered }) => {
    const rows = table.number('rows') ?? 1;
    const times = runs * (isBuffered ? Math.max(1, outer / rowsPerBuffer) : outer);
    evaluated = Math.max(evaluated, outer * rows);
    outer = Math.max(1, (outer * rows * (table.number('filtered') ?? 100)) / 100);
    aliases.push(table.text('table_name') ?? '');
    return [...readStep(table, times), ...walkOthers(table, runs)];
  });
  const subqueries = listSubqueries(block).flatMap((one) =>
    walkOthers(one, isCorrelated(one, aliases) ? runs * evaluated : runs),
  );
  return [...own, ...walkOthers(block, runs, isOwn), ...subqueries];
}

/** What the walk through a block itself comes to. */
const isOwn = (key: string) => key === 'table' || key.endsWith('subqueries');

interface FoundTable {
  table: JsonObject;
  isBuffered: boolean;
}

/** The tables of a block, inside of the steps around them, without those of other blocks. */
function findTables(json: JsonObject, isBuffered = false): FoundTable[] {
  return Object.entries(json.value).flatMap(([key, value]) => {
    if (key === 'table') return [{ table: json.object(key), isBuffered }];
    if (otherBlocks.test(key) || typeof value !== 'object' || value === null) return [];
    const items = Array.isArray(value) ? json.objects(key) : [json.object(key)];
    return items.flatMap((item) => findTables(item, isBuffered || key === 'block-nl-join'));
  });
}

const otherBlocks = /^(?:query_block|query_specifications|materialized|.*subqueries)$/;

function listSubqueries(json: JsonObject): JsonObject[] {
  return Object.entries(json.value).flatMap(([key, value]) => {
    if (key.endsWith('subqueries')) return json.objects(key);
    if (key === 'table' || otherBlocks.test(key) || typeof value !== 'object' || value === null) return [];
    return (Array.isArray(value) ? json.objects(key) : [json.object(key)]).flatMap(listSubqueries);
  });
}

/** All blocks below, such as those of a union or a derived table. */
function walkOthers(json: JsonObject, runs: number, isLeftOut: (key: string) => boolean = () => false): TableStep[] {
  return Object.entries(json.value).flatMap(([key, value]) => {
    if (typeof value !== 'object' || value === null || isLeftOut(key)) return [];
    const below = key === 'recursive_union' ? runs * recursions : runs;
    if (key === 'query_block') return walkBlock(json.object(key), below);
    return (Array.isArray(value) ? json.objects(key) : [json.object(key)]).flatMap((item) => walkOthers(item, below, isLeftOut));
  });
}

const recursions = 10;

/** One whose values are cached, or that names a table of the outer query. */
function isCorrelated(subquery: JsonObject, aliases: readonly string[]): boolean {
  if (subquery.has('expression_cache')) return true;
  const text = JSON.stringify(subquery.value);
  return aliases.some((alias) => alias !== '' && qualifies(text, alias));
}

/** Whether the name is in front of a point, on its own. */
function qualifies(text: string, alias: string): boolean {
  for (let at = text.indexOf(alias); at >= 0; at = text.indexOf(alias, at + 1)) {
    const after = text.slice(at + alias.length, at + alias.length + 2);
    const isWhole = at === 0 || !/[\p{L}\p{N}_$]/u.test(text.charAt(at - 1));
    if (isWhole && (after.startsWith('.') || after === '`.')) return true;
  }
  return false;
}

const accessNames: Readonly<Record<string, string>> = {
  ALL: 'Table scan',
  index: 'Index scan',
  range: 'Index range scan',
  ref: 'Index lookup',
};

function readStep(table: JsonObject, times: number): TableStep[] {
  const name = table.text('table_name');
  if (name === undefined || name.startsWith('<')) return [];
  const access = table.text('access_type') ?? '';
  const filter = table.text('attached_condition');
  const key = table.text('key');
  const rows = access === 'index' && filter !== undefined ? undefined : (table.number('rows') ?? 1);
  const label = `${accessNames[access] ?? access} on ${name}${key === undefined ? '' : ` using ${key}`}`;
  return [{ label, table: name, filter, rows, times }];
}

/** What a query with nothing of these in it gives is one row for each row that it reads. */
const shaping = /--|#|\/\*|\b(?:distinct|group|having|union|intersect|except|over|sql_calc_found_rows|procedure)\b/i;
const opening = /(?:^|[^\w$`"])(?:select|from|join|in|and|or|not|on|where|as|using)$/i;
const endOfWord = /[\w$`"]$/;
const maxParentheses = 50;
const ownLimit = /\blimit\s+(\d+)(?:\s*(,|\boffset\b)\s*(\d+))?[\s;)]*$/i;

/**
 * The part of the rows that a LIMIT lets it read. The plan does not show one, so this is 1 where it could be wrong: unless the tables are
 * only read one after the other, without a condition.
 */
function readLimitedPart(block: JsonObject, { sql, maxRows }: Statement): number {
  const wanted = findLimit(sql, maxRows);
  if (wanted === undefined || shaping.test(sql) || hasCall(sql)) return 1;
  const known = Object.keys(block.value).every((key) => ['select_id', 'nested_loop', 'cost'].includes(key));
  const items = block.objects('nested_loop');
  const isPlain = (item: JsonObject) =>
    Object.keys(item.value).join() === 'table' &&
    !['attached_condition', 'materialized'].some((key) => item.object('table').has(key));
  if (!known || !items.every(isPlain)) return 1;
  const rows = items.reduce((product, item) => product * (item.object('table').number('rows') ?? 1), 1);
  return Math.min(1, wanted / Math.max(1, rows));
}

/** Whether there may be a function, which could be an aggregate, in front of a parenthesis. */
function hasCall(sql: string): boolean {
  const parts = sql.split('(').slice(0, -1);
  if (parts.length > maxParentheses) return true;
  return parts.some((part) => {
    const before = part.trimEnd();
    return endOfWord.test(before) && !opening.test(before.slice(-20));
  });
}

/** A LIMIT of the statement counts instead of the session's own. */
function findLimit(sql: string, maxRows: number | undefined): number | undefined {
  if (!/\blimit\b|\bfetch\b|\brownum\b/i.test(sql)) return maxRows;
  const [found, first, , second] = ownLimit.exec(sql) ?? [];
  return found === undefined ? undefined : Number(first) + Number(second ?? 0);
}
