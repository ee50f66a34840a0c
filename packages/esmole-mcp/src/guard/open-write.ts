import { Failure } from '@dbmole/core';
import { formatPath } from '../path.ts';
import {
  acceptWrite,
  type ClusterRequest,
  parseTarget,
  type ReadRequest,
  type RequestBody,
  type WriteRequest,
} from '../request.ts';
import { type GuardContext, guardRequest, narrowRefused, onlyIndices } from './guard.ts';
import { checkMentionAt } from './mentions.ts';
import { checkName, type IndexRules } from './names.ts';
import { checkQueryText, type QueryLanguage } from './query/check-query.ts';
import { checkBodySize, checkTargetSize } from './size.ts';
import { parseStrict } from './strict-json.ts';
import { textsOf, valueAt, walk } from './walk.ts';

/** What stands in their body is data, and may have any key. */
const documentPaths: ReadonlySet<string> = new Set(['_doc', '_create', '_update', '_source']);

/**
 * A request that may write, on a connection without a list of indices. What reads is guarded as everywhere: a method alone does not let
 * anybody read hidden indices. The rest goes out as it is, unless it names a hidden one where names of indices stand. What it may do with
 * the others is the cluster's to say, so somebody who may write can still copy a hidden one by a pattern or an alias.
 */
export function acceptOpen(request: ClusterRequest, name: string, context: GuardContext): ReadRequest | WriteRequest {
  const connection = { name, readonly: context.readonly !== false };
  if (context.systemIndices) return acceptWrite(request, connection);
  checkTargetSize(request);
  const read = readOf(request, context);
  if (read !== undefined) return read;
  const { segments, params } = parseTarget(request);
  checkPath(segments, context);
  checkParams(params, context);
  checkNames(segments, request.body, context);
  const path = formatPath(narrowRefused(request, segments, context));
  return acceptWrite({ ...request, path, params: Object.fromEntries(params) }, connection);
}

/** Undefined when it is none; throws when it is one of what may not be read, or cannot be told. */
function readOf(request: ClusterRequest, context: GuardContext): ReadRequest | undefined {
  try {
    return guardRequest(request, context);
  } catch (error) {
    if (error instanceof Failure && error.code === 'E_NOT_A_READ') return undefined;
    throw error;
  }
}

/** An index comes first, or behind one of these. */
function checkPath([first = '', ...others]: readonly string[], rules: IndexRules): void {
  if (!first.startsWith('_')) checkAll(first, rules);
  if (['_alias', '_aliases', '_data_stream', '_settings', '_mapping'].includes(first))
    for (const part of others) checkAll(part, rules);
}

/** Clusters take an index from a parameter as from the path, and with `source` a body. */
function checkParams(params: ReadonlyMap<string, string>, rules: IndexRules): void {
  checkAll(params.get('index') ?? '', rules);
  if (!params.has('source')) return;
  const message = 'the parameter source is a body, and bodies are checked where they are sent';
  throw new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint: 'Send it as the body.' });
}

function checkNames(segments: readonly string[], body: RequestBody | undefined, rules: IndexRules): void {
  const [, second = ''] = segments;
  const isBulk = segments.at(-1) === '_bulk';
  if (body === undefined || documentPaths.has(second) || (isBulk && !mayNameHidden(body))) return;
  checkBodySize(body);
  const language = languageOf(segments);
  const isText = typeof body === 'string';
  const values = !isText ? [body] : language === undefined ? parseText(body) : [parseStrict(body)];
  if (isBulk) checkActions(values.flat(), rules);
  else for (const value of values) checkBody(value, language, rules);
}

function checkBody(value: unknown, language: QueryLanguage | undefined, rules: IndexRules): void {
  walk(value, 0, (key, inner) => onlyIndices(() => checkMentionAt(key, inner, rules)));
  const query = valueAt(value, 'query');
  if (language !== undefined && typeof query === 'string') onlyIndices(() => checkQueryText(query, language, rules));
}

/** Of the text that stands below `query`. */
function languageOf([first = '', second = '']: readonly string[]): QueryLanguage | undefined {
  if (first === '_query' || first === '_esql') return 'esql';
  if (first === '_sql' || (first === '_xpack' && second === 'sql')) return 'sql';
  if (first !== '_plugins' && first !== '_opendistro') return undefined;
  return second === '_sql' ? 'opensearch sql' : second === '_ppl' ? 'ppl' : undefined;
}

/** The lines between them are documents. One that looks like an action is taken for one. */
function checkActions(lines: readonly unknown[], rules: IndexRules): void {
  for (const line of lines) {
    const actions = ['index', 'create', 'update', 'delete'].map((action) => valueAt(line, action));
    for (const about of actions) for (const name of textsOf(valueAt(about, '_index'))) checkAll(name, rules);
  }
}

/** A name in a text that is hidden, or could be. */
function mayNameHidden(body: RequestBody): boolean {
  return typeof body !== 'string' || /["',:<]\s*\.|\\u/i.test(body);
}

/** One value, or one on each line. A text that two could read in different ways is refused where it matters; some requests take no JSON. */
function parseText(text: string): readonly unknown[] {
  const whole = tryParse(text);
  if (whole !== undefined || !mayNameHidden(text)) return [whole];
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseStrict(line)]));
}

function tryParse(text: string): unknown {
  try {
    return parseStrict(text);
  } catch {
    return undefined;
  }
}

function checkAll(names: string, rules: IndexRules): void {
  for (const name of names.split(',')) {
    const plain = name.replace(/^-/, '');
    // Only what is hidden is ours to refuse: what is no name at all, the cluster says.
    if (/^(?:<|[^:]*:)?\s*\.|^</.test(plain)) checkName(plain, rules, 'descriptions');
  }
}
