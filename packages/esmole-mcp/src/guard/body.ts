import { Failure } from '@dbmole/core';
import type { ClusterIdentity, RequestBody } from '../request.ts';
import { checkFiles } from './files.ts';
import { callFailure, checkMentions, mayReadAll } from './mentions.ts';
import { checkMustache } from './mustache.ts';
import { checkName, type IndexRules, narrowNames } from './names.ts';
import { findParamProblem, isCursor, isShortTime } from './params.ts';
import { checkQueryText, type QueryLanguage } from './query/check-query.ts';
import { checkIdLength } from './size.ts';
import { parseStrict } from './strict-json.ts';
import { isObject, textsOf, valueAt, walk } from './walk.ts';

/** What a body is checked against. */
export interface BodyContext {
  readonly rules: IndexRules;
  /** Of the path; what a body leaves open is for it to say. */
  readonly hasIndex: boolean;
  readonly product: ClusterIdentity['product'];
}

type Check = (body: Readonly<Record<string, unknown>>, context: BodyContext) => void;

/** Of a search, beside what is checked in its depth: plugins take orders here, and pipelines call models that remember. */
const pluginKeys = ['ext', 'search_pipeline', 'project_routing'];

/** Processors, and what every other one that asks a model has. A model may be a service outside. */
const callsModel: ReadonlySet<string> = new Set(['inference', 'ml_inference']);
const namesModel: ReadonlySet<string> = new Set(['model_id', 'inference_id']);

const objects = {
  /** Anything: it names no index, or all that it says stays in the request. */
  object: () => undefined,
  search: checkSearch,
  template: checkTemplate,
  rendering: ({ params: _values, ...template }) => checkMustache(template),
  /** The documents are data; the pipeline has templates in it. One that is stored is named, and not here. */
  processors: ({ pipeline }) => {
    checkMustache(pipeline);
    walk(pipeline, 0, (key, value) => {
      const isModel = callsModel.has(key) ? isObject(value) : namesModel.has(key) && textsOf(value).length > 0;
      if (isModel) throw callFailure(key, 'sends documents to a model');
    });
  },
  /** Its analyzers are made for the answer. */
  indexTemplate: (body) => checkFiles(body),
  ratings: checkRatings,
  documents: checkDocuments,
  eql: (body, { rules }) => {
    checkKeys(body, eqlKeys);
    checkMentions(body, rules);
  },
  sql: (body, { rules }) => {
    checkQuery(body, 'sql', rules);
    checkKept('page_timeout', body);
  },
  esql: (body, { rules }) => checkQuery(body, 'esql', rules),
  cursor: (body) => checkKeys(body, 'cursor'),
  scroll: (body) => {
    checkKeys(body, 'scroll scroll_id');
    checkKept('scroll', body);
  },
  closing: (body) => {
    checkKeys(body, 'id scroll_id pit_id');
    for (const id of textsOf(Object.values(body))) checkId(id);
  },
  analysis: (body) => checkFiles(body),
  shard: (body, { rules }) => {
    checkKeys(body, 'index shard primary current_node');
    for (const name of textsOf(body.index)) checkName(name, rules, 'descriptions');
  },
} satisfies Record<string, Check>;

export type BodyKind = keyof typeof objects | 'searches' | 'templates';

/** What stores its result in the cluster is not in these. */
const eqlKeys =
  'query filter case_sensitive event_category_field fetch_size fields runtime_mappings result_position size tiebreaker_field timestamp_field allow_partial_search_results allow_partial_sequence_results max_samples_per_key';
const sqlKeys =
  'query cursor fetch_size filter params columnar field_multi_value_leniency request_timeout page_timeout runtime_mappings time_zone index_include_frozen allow_partial_search_results';
const esqlKeys = 'query params columnar locale time_zone profile filter include_ccs_metadata include_execution_metadata';

const headerKeys =
  'index indices search_type preference routing request_cache ignore_unavailable allow_no_indices expand_wildcards ignore_throttled ccs_minimize_roundtrips allow_partial_search_results';

/** Throws what in the body is more than a read of what this connection may read. */
export function checkBody(kind: BodyKind | undefined, body: RequestBody | undefined, context: BodyContext): void {
  if (body === undefined) return;
  if (kind === undefined)
    throw new Failure('refused', 'this request has no body', { code: 'E_NOT_A_READ', hint: 'Leave it out.' });
  if (kind === 'searches' || kind === 'templates') checkLines(kind, body, context);
  else objects[kind](parseObject(body), context);
}

/** A search in a point in time says there which indices it reads; in the path it may not name any. */
export function readsPointInTime(kind: BodyKind | undefined, body: RequestBody | undefined): boolean {
  return kind === 'search' && body !== undefined && typeof valueAt(valueAt(parseObject(body), 'pit'), 'id') === 'string';
}

function parseObject(body: RequestBody): Readonly<Record<string, unknown>> {
  const value = typeof body === 'string' ? parseStrict(body) : body;
  if (isObject(value)) return value;
  throw bodyFailure('the body is a JSON object here');
}

/** Header and search in turn. The header may name indices of its own. */
function checkLines(kind: 'searches' | 'templates', body: RequestBody, context: BodyContext): void {
  const lines = parseLines(body);
  if (lines.length % 2 === 1) throw bodyFailure('each header line is followed by one with a search, and the last is not');
  lines.forEach((line, at) => {
    if (!isObject(line)) throw bodyFailure(`line ${at + 1} is no JSON object`);
    if (at % 2 === 0) checkHeader(line, context);
    else objects[kind === 'searches' ? 'search' : 'template'](line, context);
  });
}

function parseLines(body: RequestBody): readonly unknown[] {
  if (typeof body !== 'string') return Array.isArray(body) ? body : [body];
  const text = body.endsWith('\n') ? body.slice(0, -1) : body;
  return text.split('\n').map((line, at) => {
    if (line.trim() === '') throw bodyFailure(`line ${at + 1} is empty`);
    return parseStrict(line);
  });
}

function checkHeader(header: Readonly<Record<string, unknown>>, { rules }: BodyContext): void {
  checkKeys(header, headerKeys);
  const wildcards = textsOf(header.expand_wildcards).join(',');
  const problem = findParamProblem(new Map([['expand_wildcards', wildcards]]), 'expand_wildcards', rules.systemIndices);
  if (wildcards !== '' && problem !== undefined) throw callFailure('expand_wildcards', 'finds hidden indices');
  for (const key of ['index', 'indices']) if (Object.hasOwn(header, key)) checkHeaderNames(key, header[key], rules);
}

/** What means everything cannot be narrowed here, as the text of the caller is what is sent. */
function checkHeaderNames(key: string, value: unknown, rules: IndexRules): void {
  const names = textsOf(value).join(',');
  if (narrowNames(names, rules, 'documents') === names) return;
  throw new Failure('refused', `"${key}": ${JSON.stringify(value)} means more than this connection may read`, {
    code: 'E_INDEX_REFUSED',
    hint: `Leave "${key}" out of the header, which means all that may be read, or name indices.`,
  });
}

function checkDocuments(body: Readonly<Record<string, unknown>>, { rules, hasIndex }: BodyContext): void {
  checkMentions(body, rules);
  const docs: readonly unknown[] = Array.isArray(body.docs) ? body.docs : [];
  for (const doc of docs) for (const name of textsOf(valueAt(doc, '_index'))) checkName(name, rules, 'documents');
  const isOpen = body.ids !== undefined || docs.some((doc) => typeof valueAt(doc, '_index') !== 'string');
  if (rules.indices !== undefined && !hasIndex && isOpen) throw bodyFailure('each document names its `_index`, or the path does');
}

function checkSearch(body: Readonly<Record<string, unknown>>, { rules }: Pick<BodyContext, 'rules'>): void {
  for (const key of pluginKeys) if (Object.hasOwn(body, key)) throw callFailure(key, 'may do more than search');
  checkMentions(body, rules);
}

/** Each is a search of its own. */
function checkRatings(body: Readonly<Record<string, unknown>>, context: BodyContext): void {
  checkMentions(body, context.rules);
  walk(body, 0, (key, value) => {
    if (key === 'template_id' || key === 'templates') checkTemplate({ value }, context);
    if (key === 'request' && isObject(value)) checkSearch(value, context);
  });
}

function checkTemplate({ params: _values, ...template }: Readonly<Record<string, unknown>>, context: BodyContext): void {
  const hint = 'Render it with POST /_render/template, and send what comes back to _search.';
  if (!mayReadAll(context.rules)) {
    const message = 'which indices a search template reads is only known when it is rendered';
    throw new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint });
  }
  checkMustache(template);
  if (context.product === 'elasticsearch') return;
  const message = 'a search template may name a pipeline, and what a pipeline does is not known';
  throw new Failure('refused', message, { code: 'E_NOT_A_READ', hint });
}

/** How long the cluster keeps something open. */
function checkKept(key: string, body: Readonly<Record<string, unknown>>): void {
  const kept = valueAt(body, key);
  if (kept !== undefined && !isShortTime(String(kept))) throw callFailure(key, 'is more than an hour');
}

function checkQuery(body: Readonly<Record<string, unknown>>, language: QueryLanguage, rules: IndexRules): void {
  checkKeys(body, language === 'sql' ? sqlKeys : esqlKeys);
  checkQueryText(String(body.query ?? ''), language, rules);
  checkMentions({ ...body, query: undefined }, rules);
}

function checkId(id: string): void {
  checkIdLength(id);
  if (isCursor(id)) return;
  throw bodyFailure(`${JSON.stringify(id.slice(0, 40))} is no id of a scroll or a point in time`);
}

function checkKeys(body: Readonly<Record<string, unknown>>, allowed: string): void {
  const known = allowed.split(' ');
  const other = Object.keys(body).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new Failure('refused', `the body may not have "${other}" here`, {
    code: 'E_NOT_A_READ',
    hint: `It takes ${known.join(', ')}.`,
  });
}

function bodyFailure(message: string): Failure {
  return new Failure('refused', message, { code: 'E_NOT_A_READ', hint: 'Send a body as the documentation of the request says.' });
}
