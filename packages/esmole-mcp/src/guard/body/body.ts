import { askUser, Failure } from '@dbmole/core';
import type { ClusterIdentity, RequestBody } from '../../call/cluster-request.ts';
import { checkName, type IndexRules, narrowNames } from '../index-names.ts';
import { findParamProblem, isCursor, isShortTime } from '../params.ts';
import { checkQueryParam, checkQueryText, type QueryLanguage } from '../query/check-query.ts';
import { checkIdLength } from '../request-size.ts';
import { callFailure, checkMentions, checkMustache, mayReadAll } from './index-mentions.ts';
import { modelFailure } from './model-calls.ts';
import { checkAnalysisPatterns, checkPatternAlone, checkProcessorPatterns } from './pattern-cost.ts';
import { parseStrict } from './strict-json.ts';
import { isObject, listTexts, textsWithin, valueAt, walk } from './walk-json.ts';

/** The rules for a body. */
interface BodyContext {
  readonly rules: IndexRules;
  /** Whether the path names an index, which a body may leave out then. */
  readonly hasIndex: boolean;
  readonly product: ClusterIdentity['product'];
}

type Check = (body: Readonly<Record<string, unknown>>, context: BodyContext) => void;

/** Parts of a search that are refused at its top: plugins take commands here, and pipelines call models with a memory. */
const pluginKeys = ['ext', 'search_pipeline', 'project_routing'];

/** Processors, and what every other one that asks a model has. A model may be a service outside. */
const callsModel: ReadonlySet<string> = new Set(['inference', 'ml_inference']);
const namesModel: ReadonlySet<string> = new Set(['model_id', 'inference_id']);

const objects = {
  /** Any object: it names no index, or has no effect beyond the request. */
  object: () => undefined,
  grok: (body) => {
    for (const pattern of listTexts(body.grok_pattern)) checkPatternAlone(pattern);
  },
  search: checkSearch,
  template: checkTemplate,
  rendering: ({ params: _values, ...template }) => checkMustache(template),
  /** The documents are data; the pipeline has templates in it. One that is stored is named, and not here. */
  processors: ({ pipeline, docs }, { rules }) => {
    checkPipelines(pipeline, rules);
    checkProcessorPatterns(pipeline, docs);
  },
  /** Documents and pipelines that stand in for what the cluster has; nothing of it is kept. */
  ingest: (body, { rules }) => {
    checkKeys(body, ingestKeys);
    const { docs, ...others } = body;
    checkPipelines(others, rules);
    checkProcessorPatterns(others, docs);
    checkFiles(others);
    for (const doc of Array.isArray(docs) ? docs : [])
      for (const name of listTexts(valueAt(doc, '_index'))) checkName(name, rules, 'descriptions');
  },
  /** A script may run on a document in the request, with the mapping of an index. */
  script: (body, { rules }) => {
    checkKeys(body, 'script context context_setup');
    checkMustache(body.script);
    const { document: _data, ...setup } = isObject(body.context_setup) ? body.context_setup : {};
    for (const name of listTexts(setup.index)) checkName(name, rules, 'documents');
    checkMentions(setup, rules);
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
  openSearchSql: (body, { rules }) => checkQuery(body, 'opensearch sql', rules),
  ppl: (body, { rules }) => checkQuery(body, 'ppl', rules),
  cursor: (body) => checkKeys(body, 'cursor'),
  scroll: (body) => {
    checkKeys(body, 'scroll scroll_id');
    checkKept('scroll', body);
  },
  closing: (body) => {
    checkKeys(body, 'id scroll_id pit_id');
    for (const id of listTexts(Object.values(body))) checkId(id);
  },
  analysis: (body) => {
    checkFiles(body);
    checkAnalysisPatterns(body);
  },
  shard: (body, { rules }) => {
    checkKeys(body, 'index shard primary current_node');
    for (const name of listTexts(body.index)) checkName(name, rules, 'descriptions');
  },
} satisfies Record<string, Check>;

/** A `text` is a sample of any form, which is not looked into. */
export type BodyKind = keyof typeof objects | 'searches' | 'templates' | 'text';

/** Keys that do not store the result in the cluster. */
const eqlKeys =
  'query filter case_sensitive event_category_field fetch_size fields runtime_mappings result_position size tiebreaker_field timestamp_field allow_partial_search_results allow_partial_sequence_results max_samples_per_key';
const sqlKeys =
  'query cursor fetch_size filter params columnar field_multi_value_leniency request_timeout page_timeout runtime_mappings time_zone index_include_frozen allow_partial_search_results';
const ingestKeys =
  'docs pipeline_substitutions component_template_substitutions index_template_substitutions mapping_addition merge_type';
const queryKeys: Readonly<Record<QueryLanguage, string>> = {
  sql: sqlKeys,
  esql: 'query params columnar locale time_zone profile filter include_ccs_metadata include_execution_metadata',
  // Without what opens a cursor.
  'opensearch sql': 'query parameters filter profile',
  ppl: 'query profile',
};

const headerKeys =
  'index indices search_type preference routing request_cache ignore_unavailable allow_no_indices expand_wildcards ignore_throttled ccs_minimize_roundtrips allow_partial_search_results';

/** Throws what in the body is more than a read of what this connection may read. */
export function checkBody(kind: BodyKind | undefined, body: RequestBody | undefined, context: BodyContext): void {
  if (body === undefined) return;
  if (kind === undefined)
    throw new Failure('refused', 'this request takes no body', { code: 'E_NOT_A_READ', hint: 'Leave it out.' });
  if (kind === 'text') return;
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
  throw bodyFailure('the body must be a JSON object');
}

/** Header and search in turn. The header may name indices of its own. */
function checkLines(kind: 'searches' | 'templates', body: RequestBody, context: BodyContext): void {
  const lines = parseLines(body);
  if (lines.length % 2 === 1)
    throw bodyFailure('each header line must be followed by a line with a search, and the last one is not');
  lines.forEach((line, at) => {
    if (!isObject(line)) throw bodyFailure(`line ${at + 1} is not a JSON object`);
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
  const wildcards = listTexts(header.expand_wildcards).join(',');
  const problem = findParamProblem(new Map([['expand_wildcards', wildcards]]), 'expand_wildcards', rules.systemIndices);
  if (wildcards !== '' && problem !== undefined) throw callFailure('expand_wildcards', 'matches hidden indices');
  for (const key of ['index', 'indices']) if (Object.hasOwn(header, key)) checkHeaderNames(key, header[key], rules);
}

/** A name that means everything cannot be narrowed here, because the body is sent unchanged. */
function checkHeaderNames(key: string, value: unknown, rules: IndexRules): void {
  const names = listTexts(value).join(',');
  if (narrowNames(names, rules, 'documents') === names) return;
  throw new Failure('refused', `"${key}": ${JSON.stringify(value)} means more than this connection may read`, {
    code: 'E_INDEX_REFUSED',
    hint: `Leave "${key}" out of the header to read all that is allowed, or name indices.`,
  });
}

function checkDocuments(body: Readonly<Record<string, unknown>>, { rules, hasIndex }: BodyContext): void {
  checkMentions(body, rules);
  const docs: readonly unknown[] = Array.isArray(body.docs) ? body.docs : [];
  for (const doc of docs) for (const name of listTexts(valueAt(doc, '_index'))) checkName(name, rules, 'documents');
  const isOpen = body.ids !== undefined || docs.some((doc) => typeof valueAt(doc, '_index') !== 'string');
  if (rules.indices !== undefined && !hasIndex && isOpen)
    throw bodyFailure('each document must name its `_index`, unless the path does');
}

function checkSearch(body: Readonly<Record<string, unknown>>, { rules }: Pick<BodyContext, 'rules'>): void {
  for (const key of pluginKeys) if (Object.hasOwn(body, key)) throw callFailure(key, 'may do more than search');
  // The cluster keeps a group for each name, and shows it to all.
  if (body.stats !== undefined) throw callFailure('stats', 'adds groups to the statistics of the index');
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

function checkPipelines(pipelines: unknown, { models }: IndexRules): void {
  checkMustache(pipelines);
  if (models === true) return;
  walk(pipelines, 0, (key, value) => {
    const isModel = callsModel.has(key) ? isObject(value) : namesModel.has(key) && listTexts(value).length > 0;
    if (isModel) throw modelFailure(`"${key}"`);
  });
}

function checkTemplate({ params: _values, ...template }: Readonly<Record<string, unknown>>, context: BodyContext): void {
  const hint = 'Render it with POST /_render/template, and send the result to _search.';
  if (!mayReadAll(context.rules)) {
    const message = 'the indices of a search template are known only after rendering';
    throw new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint });
  }
  checkMustache(template);
  if (context.product === 'elasticsearch' && context.rules.models === true) return;
  if (context.product === 'elasticsearch') {
    const asked = 'a search template is known only after rendering, and may ask a model outside the cluster';
    throw new Failure('refused', asked, {
      code: 'E_NOT_A_READ',
      hint: [hint, askUser('set `models` to true on the connection')],
    });
  }
  const message = 'a search template may name a pipeline, whose effects are unknown';
  throw new Failure('refused', message, { code: 'E_NOT_A_READ', hint });
}

/** How long the cluster keeps something open. */
function checkKept(key: string, body: Readonly<Record<string, unknown>>): void {
  const kept = valueAt(body, key);
  if (kept !== undefined && !isShortTime(String(kept))) throw callFailure(key, 'is longer than one hour');
}

function checkQuery(body: Readonly<Record<string, unknown>>, language: QueryLanguage, rules: IndexRules): void {
  checkKeys(body, queryKeys[language]);
  const text = String(body.query ?? '');
  const { takesParams } = checkQueryText(text, language, rules);
  checkMentions({ ...body, query: undefined }, rules);
  for (const value of takesParams ? textsWithin(body.params) : []) checkQueryParam(value, rules);
}

function checkId(id: string): void {
  checkIdLength(id);
  if (isCursor(id)) return;
  throw bodyFailure(`${JSON.stringify(id.slice(0, 40))} is not the ID of a scroll or point in time`);
}

function checkKeys(body: Readonly<Record<string, unknown>>, allowed: string): void {
  const known = allowed.split(' ');
  const other = Object.keys(body).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new Failure('refused', `the body may not have "${other}" here`, {
    code: 'E_NOT_A_READ',
    hint: `Use ${known.join(', ')}.`,
  });
}

function bodyFailure(message: string): Failure {
  return new Failure('refused', message, {
    code: 'E_NOT_A_READ',
    hint: 'See the documentation of the request for the form of its body.',
  });
}

/** Keys of tokenizers and filters that name a file. Errors of the cluster show lines of such files. */
const fileKeys: ReadonlySet<string> = new Set(['user_dictionary', 'rule_files', 'synonyms_set']);
/** Paths of fields. */
const fieldKeys: ReadonlySet<string> = new Set(['routing_path']);

/** Keys of the filter `hunspell`, which looks for a folder of that name. Dates and fields of a mapping have some of them, too. */
const hunspellKeys: ReadonlySet<string> = new Set(['locale', 'language', 'lang', 'dictionary']);

/** Settings of analyzers may name files, which are read from the server's configuration folder. */
function checkFiles(body: unknown): void {
  const ofHunspell: string[] = [];
  let hasHunspell = false;
  walk(body, 0, (key, value) => {
    const last = key.slice(key.lastIndexOf('.') + 1);
    // A field may have that name too; its value is an object then.
    if (namesFile(last) && listTexts(value).length > 0) throw fileFailure(key);
    if (hunspellKeys.has(last) && listTexts(value).length > 0) ofHunspell.push(key);
    if (last === 'type' && value === 'hunspell') hasHunspell = true;
  });
  const [first] = ofHunspell;
  if (hasHunspell && first !== undefined) throw fileFailure(first);
}

function namesFile(key: string): boolean {
  return fileKeys.has(key) || (key.endsWith('_path') && !fieldKeys.has(key));
}

function fileFailure(key: string): Failure {
  return callFailure(key, 'reads a file of the server');
}
