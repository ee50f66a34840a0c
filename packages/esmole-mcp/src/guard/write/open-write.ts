import { Failure } from '@dbmole/core';
import {
  acceptWrite,
  type ClusterRequest,
  parseTarget,
  type ReadRequest,
  type RequestBody,
  type WriteRequest,
} from '../../call/cluster-request.ts';
import { formatPath } from '../../call/path.ts';
import { checkMentionAt } from '../body/index-mentions.ts';
import { parseStrict } from '../body/strict-json.ts';
import { listTexts, valueAt, walk } from '../body/walk-json.ts';
import { type GuardContext, guardRequest, narrowRefused, onlyIndices } from '../guard.ts';
import { checkName, type IndexRules } from '../index-names.ts';
import { checkQueryText, type QueryLanguage } from '../query/check-query.ts';
import { checkBodySize, checkTargetSize } from '../request-size.ts';

/** The body of these is data, and may have any key. */
const documentPaths: ReadonlySet<string> = new Set(['_doc', '_create', '_update', '_source']);

/**
 * Accepts a request on a writable connection without a list of indices. Reads are guarded as everywhere: a method alone does not open
 * hidden indices. Other requests are sent unchanged unless they name a hidden index. The cluster decides about the rest, so a writer can
 * still copy a hidden index by a pattern or an alias.
 */
export function acceptOpen(request: ClusterRequest, name: string, context: GuardContext): ReadRequest | WriteRequest {
  const connection = { name, readonly: context.readonly !== false };
  if (context.systemIndices) return acceptWrite(request, connection);
  checkTargetSize(request);
  const read = findRead(request, context);
  if (read !== undefined) return read;
  const { segments, params } = parseTarget(request);
  checkPath(segments, context);
  checkParams(params, context);
  checkNames(segments, request.body, context);
  const path = formatPath(narrowRefused(request, segments, context));
  return acceptWrite({ ...request, path, params: Object.fromEntries(params) }, connection);
}

/** Returns undefined when the request is not a read; throws when it reads what may not be read, or cannot be checked. */
export function findRead(request: ClusterRequest, context: GuardContext): ReadRequest | undefined {
  try {
    return guardRequest(request, context);
  } catch (error) {
    if (error instanceof Failure && error.code === 'E_NOT_A_READ') return undefined;
    throw error;
  }
}

/** An index comes first, or after one of these. */
function checkPath([first = '', ...others]: readonly string[], rules: IndexRules): void {
  if (!first.startsWith('_')) checkAll(first, rules);
  if (['_alias', '_aliases', '_data_stream', '_settings', '_mapping'].includes(first))
    for (const part of others) checkAll(part, rules);
}

/** Clusters take an index from a parameter as from the path, and with `source` a body. */
function checkParams(params: ReadonlyMap<string, string>, rules: IndexRules): void {
  checkAll(params.get('index') ?? '', rules);
  if (!params.has('source')) return;
  const message = 'the parameter source holds a body, which is checked only where bodies are sent';
  throw new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint: 'Send it as the body.' });
}

function checkNames(segments: readonly string[], body: RequestBody | undefined, rules: IndexRules): void {
  const [, second = ''] = segments;
  const isBulk = segments.at(-1) === '_bulk';
  if (body === undefined || documentPaths.has(second) || (isBulk && !mayNameHidden(body))) return;
  checkBodySize(body);
  const language = readLanguage(segments);
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

/** Finds the language of the text below `query`. */
export function readLanguage([first = '', second = '']: readonly string[]): QueryLanguage | undefined {
  if (first === '_query' || first === '_esql') return 'esql';
  if (first === '_sql' || (first === '_xpack' && second === 'sql')) return 'sql';
  if (first !== '_plugins' && first !== '_opendistro') return undefined;
  return second === '_sql' ? 'opensearch sql' : second === '_ppl' ? 'ppl' : undefined;
}

/** The lines between actions are documents. A document that looks like an action is checked as one. */
function checkActions(lines: readonly unknown[], rules: IndexRules): void {
  for (const line of lines) {
    const actions = ['index', 'create', 'update', 'delete'].map((action) => valueAt(line, action));
    for (const about of actions) for (const name of listTexts(valueAt(about, '_index'))) checkAll(name, rules);
  }
}

/** A name in a text that is hidden, or could be. */
function mayNameHidden(body: RequestBody): boolean {
  return typeof body !== 'string' || /["',:<]\s*\.|\\u/i.test(body);
}

/** Parses one value, or one on each line. An ambiguous text is refused where it matters; some requests take no JSON. */
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
    // Only hidden names are refused here: the cluster reports invalid ones.
    if (/^(?:<|[^:]*:)?\s*\.|^</.test(plain)) checkName(plain, rules, 'descriptions');
  }
}
