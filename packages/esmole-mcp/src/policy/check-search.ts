import { isObject, textsWithin, walk } from '../guard/body/walk-json.ts';
import type { FieldTable } from './field-table.ts';
import { findLookupPath } from './mentioned-indices.ts';
import type { AggregationPlan } from './protect-answer.ts';
import { refuseField } from './refuse-field.ts';

type Value = Readonly<Record<string, unknown>>;
type Plans = ReadonlyMap<string, AggregationPlan>;

/** Aggregations that count, and those whose parameters are queries. They show no value of a field. */
const counting: ReadonlySet<string> = new Set(['value_count', 'cardinality', 'missing', 'filter', 'filters', 'adjacency_matrix']);
/** Those whose keys are the values of one field, which can be replaced. */
const grouping: ReadonlySet<string> = new Set(['terms', 'rare_terms']);
/** Pipelines compute with other aggregations, and their scripts see nothing else. */
const pipelines: ReadonlySet<string> = new Set(['bucket_script', 'bucket_selector', 'bucket_sort', 'moving_fn', 'moving_avg']);
/** Those that show the key of a group beside what they compute. */
const showsKeys: ReadonlySet<string> = new Set(['max_bucket', 'min_bucket', 'change_point']);
const structural: ReadonlySet<string> = new Set(['aggs', 'aggregations', 'meta']);
/** Keys that compute values from fields: scripts, and fields that exist for one search only. */
const computing = /script|^(?:runtime_mappings|derived)$/;
/** Parts of a search whose fields are masked where the answer has them. */
const shownByName: ReadonlySet<string> = new Set([
  '_source',
  'fields',
  'docvalue_fields',
  'stored_fields',
  'highlight',
  'collapse',
]);
/** Queries over fields that they do not name. */
const open: ReadonlySet<string> = new Set([
  'query_string',
  'simple_query_string',
  'multi_match',
  'combined_fields',
  'more_like_this',
  'kql',
]);
/** Queries whose scores are computed from the values of a field. */
const scoring: ReadonlySet<string> = new Set([
  'field_value_factor',
  'gauss',
  'exp',
  'linear',
  'distance_feature',
  'rank_feature',
]);

/**
 * Refuses what would show protected values of a search outside of the fields of its hits. Returns the groups whose keys are
 * such values. A search may always find documents by them, unless the policy is strict.
 */
export function checkSearch(body: unknown, params: ReadonlyMap<string, string>, table: FieldTable): Plans {
  checkParams(params, table);
  if (!isObject(body)) return new Map();
  const { aggs, aggregations, ...others } = body;
  walk(others, 0, (key, value) => checkPart(key, value, table));
  walk(body, 0, (key, value) => checkLookup(key, value, table));
  checkQuery(body, { params, table });
  // A cluster takes the last of the two.
  if (aggs !== undefined && aggregations !== undefined) throw refuseField('the search has both "aggs" and "aggregations"');
  const plans = checkAggregations(aggs ?? aggregations, table);
  if (hasMaskedKeys(plans)) walk({ aggs, aggregations }, 0, checkPipeline);
  return plans;
}

/** Values of a stored document would be a part of the query, which errors and profiles show, or be searched like a document of this index. */
function checkLookup(key: string, value: unknown, table: FieldTable): void {
  const path = findLookupPath(key, value);
  if (path !== undefined && table.isProtectedAt(path)) throw refuseField(`the search looks up the protected field ${path}`);
  if (key === 'percolate' && isObject(value) && value.index !== undefined)
    throw refuseField('"percolate" would show parts of a stored document, and fields of the index are protected');
}

function hasMaskedKeys(plans: Plans): boolean {
  return [...plans.values()].some(({ action, inner }) => action !== undefined || hasMaskedKeys(inner));
}

/** The keys of groups are values of a protected field. */
function checkPipeline(key: string, value: unknown): void {
  const readsKeys = key === 'buckets_path' && textsWithin(value).some((path) => path.includes('_key'));
  if (readsKeys || showsKeys.has(key)) throw refuseField(`"${key}" would show the keys of groups by a protected field`);
}

function checkPart(key: string, value: unknown, table: FieldTable): void {
  if (computing.test(key) && value !== undefined)
    throw refuseField(`"${key}" can compute values from protected fields, and this connection protects fields of the index`);
  if (key === 'sort') refuseMention(value, 'sort', table);
  if (key === 'suggest') refuseMention(value, 'suggest', table);
  if (scoring.has(key)) refuseMention(value, key, table);
}

/** Sort values, suggestions and such scores are in the answer as they are. */
function refuseMention(value: unknown, part: string, table: FieldTable): void {
  const found = findMention(value, table);
  if (found !== undefined) throw refuseField(`"${part}" would show values of the protected field ${found}`);
}

/** The name of a protected field in a value, a key of it or a text in it: one that must not be compared, if there is one. */
function findMention(value: unknown, table: FieldTable): string | undefined {
  const found = new Map<string | undefined, string>();
  for (const text of textsWithin(value))
    for (const name of listNames(text)) if (!found.has(table.findNamed(name))) found.set(table.findNamed(name), name);
  found.delete(undefined);
  return found.get('refuse') ?? [...found.values()][0];
}

/** The name that a text may be, and those of the fields that it compares, as in `email:x OR phone:y`. */
function listNames(text: string): readonly string[] {
  const [first = '', ...others] = text.split(':');
  if (others.length === 0) return [text];
  const compared = text.replaceAll('\\', '').split(':').slice(0, -1);
  return [
    first,
    ...compared.map(
      (part) =>
        part
          .trimEnd()
          .split(/[\s()"+!&|-]/)
          .at(-1) ?? '',
    ),
  ];
}

function checkParams(params: ReadonlyMap<string, string>, table: FieldTable): void {
  for (const name of ['sort', 'suggest_field']) {
    const found = (params.get(name) ?? '').split(',').find((part) => table.findNamed(part.split(':')[0] ?? '') !== undefined);
    if (found !== undefined) throw refuseField(`"${name}" would show values of the protected field ${found.split(':')[0]}`);
  }
}

interface QueryPlace {
  params: ReadonlyMap<string, string>;
  table: FieldTable;
}

/** Explanations and profiles show the terms that a query has found. */
function checkQuery(body: Value, { params, table }: QueryPlace): void {
  const query = Object.fromEntries(Object.entries(body).filter(([key]) => !shownByName.has(key)));
  const found = findMention(query, table);
  const openQuery = findOpenQuery(query) ?? (params.has('q') ? 'q' : undefined);
  const showsTerms = ['explain', 'profile'].find((name) => isOn(body[name]) || isOn(params.get(name)));
  if (showsTerms !== undefined && (found ?? openQuery) !== undefined)
    throw refuseField(`"${showsTerms}" would show terms of the protected field ${found ?? `that ${openQuery} may search`}`);
  if (found !== undefined && (table.strict || table.findNamed(found) === 'refuse'))
    throw refuseField(`the search compares the protected field ${found}`);
  if (table.strict && openQuery !== undefined)
    throw refuseField(`${openQuery} may search protected fields; use a query that names its fields`);
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== false && value !== 'false';
}

function findOpenQuery(query: Value): string | undefined {
  let found: string | undefined;
  walk(query, 0, (key) => {
    if (open.has(key)) found ??= key;
  });
  return found;
}

function checkAggregations(aggregations: unknown, table: FieldTable): Plans {
  const entries = Object.entries(isObject(aggregations) ? aggregations : {});
  return new Map(entries.map(([name, value]) => [name, checkAggregation(name, value, table)]));
}

function checkAggregation(name: string, value: unknown, table: FieldTable): AggregationPlan {
  // With `typed_keys`, the name of an answer is what follows its first #.
  if (name.includes('#')) throw refuseField(`the aggregation ${JSON.stringify(name.slice(0, 60))} has a # in its name`);
  const definition = isObject(value) ? value : {};
  const { aggs, aggregations } = definition;
  const inner = checkAggregations(aggs ?? aggregations, table);
  const types = Object.entries(definition).filter(([key]) => !structural.has(key));
  const keys = types.map(([type, about]) => checkType({ name, type, about }, table)).filter((key) => key !== undefined);
  return { inner, ...keys[0] };
}

interface AggregationType {
  name: string;
  type: string;
  about: unknown;
}

/** The field whose values are the keys of the groups, with its action, if it is protected. */
function checkType(
  { name, type, about }: AggregationType,
  table: FieldTable,
): Pick<AggregationPlan, 'action' | 'field'> | undefined {
  if (pipelines.has(type)) return undefined;
  walk({ [type]: about }, 0, (key, value) => {
    if (computing.test(key)) checkPart(key, value, table);
  });
  if (type === 'top_hits') {
    if (isObject(about)) refuseMention(about.sort, 'sort', table);
    return undefined;
  }
  const found = findMention(about, table);
  // Its keys are made of fields that it does not name.
  if (type === 'time_series' && table.findNamed('_tsid') !== undefined)
    throw refuseField('the aggregation time_series would show values of a protected field');
  if (found === undefined) return undefined;
  const action = table.findNamed(found);
  const isWithin = counting.has(type) && !table.strict && action !== 'refuse';
  if (isWithin) return undefined;
  const field = isObject(about) && typeof about.field === 'string' ? about.field : undefined;
  const own = field === undefined ? undefined : table.find(field);
  if (grouping.has(type) && own !== undefined && own !== 'drop' && own !== 'refuse' && !table.strict)
    return { action: own, field };
  throw refuseField(`the aggregation ${JSON.stringify(name.slice(0, 60))} (${type.slice(0, 40)}) would show values of ${found}`);
}
