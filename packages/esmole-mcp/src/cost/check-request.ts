import { Failure } from '@dbmole/core';
import type { ReadRequest, RequestBody, WriteRequest } from '../call/cluster-request.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { isObject, valueAt } from '../guard/body/walk-json.ts';
import { type Expensive, findExpensive, formatPattern, type Refusals } from './check-body.ts';
import { hasWildTerm } from './leading-wildcards.ts';
import { findWildcardInText, type TextLanguage } from './query-text.ts';

/** Refuses a request with what the policy refuses, as far as the request itself shows it. */
export function refuseExpensive(request: ReadRequest | WriteRequest, refusals: Refusals): void {
  if (!refusals.refusesScripts && !refusals.refusesWildcards) return;
  const found = request.kind === 'read' ? findInRead(request, refusals) : findInWrite(request, refusals);
  if (found !== undefined) throw expensiveFailure(found);
}

const reasons: Record<Expensive['kind'], string> = {
  leadingWildcards: 'would try every term of the field',
  scripts: 'would run a script',
};

function expensiveFailure({ kind, what }: Expensive): Failure {
  const hint =
    kind === 'scripts'
      ? 'Use fields, queries and aggregations without scripts.'
      : 'Begin the pattern with a letter, or search a field of type wildcard or with n-grams by other words.';
  return new Failure('refused', `${what} ${reasons[kind]}, which this connection refuses; nothing was run`, {
    code: 'E_TOO_COSTLY',
    hint: `${hint} Only the user can change "${kind}", where the connection is defined.`,
  });
}

const languages: Readonly<Record<string, TextLanguage>> = {
  _query: 'esql',
  _sql: 'sql',
  '_sql/translate': 'sql',
  '_plugins/_sql': 'opensearch sql',
  '_plugins/_ppl': 'ppl',
  '_eql/search': 'eql',
};

function findInRead({ reads, params, body, segments }: ReadRequest, refusals: Refusals): Expensive | undefined {
  if (refusals.refusesScripts && segments.join('/') === '_scripts/painless/_execute')
    return { kind: 'scripts', what: '_execute' };
  if (reads === undefined) return undefined;
  if (/template/.test(reads.words) && body !== undefined)
    return {
      kind: refusals.refusesScripts ? 'scripts' : 'leadingWildcards',
      what: 'a template, which is known only after rendering,',
    };
  return findInParams(params, refusals) ?? findInBody(body, languages[reads.words], refusals);
}

function findInParams(params: ReadonlyMap<string, string>, { refusesWildcards }: Refusals): Expensive | undefined {
  const text = params.get('q');
  if (!refusesWildcards || text === undefined || !hasWildTerm(text)) return undefined;
  return { kind: 'leadingWildcards', what: formatPattern('q', text) };
}

function findInBody(
  body: RequestBody | undefined,
  language: TextLanguage | undefined,
  refusals: Refusals,
): Expensive | undefined {
  for (const value of listValues(body)) {
    const query = valueAt(value, 'query');
    const inText =
      language === undefined || !refusals.refusesWildcards || typeof query !== 'string'
        ? undefined
        : findWildcardInText(query, language, valueAt(value, 'params'));
    if (inText !== undefined) return { kind: 'leadingWildcards', what: formatPattern('query', inText) };
    const found = findExpensive(value, refusals);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The body, or its lines. */
function listValues(body: RequestBody | undefined): readonly unknown[] {
  if (body === undefined) return [];
  if (typeof body !== 'string') return Array.isArray(body) ? body : [body];
  try {
    return [parseStrict(body)];
  } catch (error) {
    const lines = body.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map(parseStrict);
  }
}

/** Words of the paths of writes that search, or run scripts on documents. */
const searching: ReadonlySet<string> = new Set(
  '_update_by_query _delete_by_query _reindex _async_search _asynchronous_search _search _msearch _eql _query _sql _ppl'.split(
    ' ',
  ),
);
const textPaths: readonly (readonly [RegExp, TextLanguage])[] = [
  [/^_query|^_esql/, 'esql'],
  [/^_sql/, 'sql'],
  [/_plugins\/_sql|_opendistro\/_sql/, 'opensearch sql'],
  [/_ppl/, 'ppl'],
  [/_eql/, 'eql'],
];

function findInWrite({ segments, params, body }: WriteRequest, refusals: Refusals): Expensive | undefined {
  const words = segments[0]?.startsWith('_') === true ? segments : segments.slice(1);
  const [first] = words;
  if (first === '_update' || first === '_bulk') return findInUpdates(first, listValues(body), refusals);
  if (!words.some((word) => searching.has(word))) return undefined;
  if (words.includes('template') && body !== undefined)
    return {
      kind: refusals.refusesScripts ? 'scripts' : 'leadingWildcards',
      what: 'a template, which is known only after rendering,',
    };
  const path = words.join('/');
  const language = textPaths.find(([pattern]) => pattern.test(path))?.[1];
  return findInParams(params, refusals) ?? findInBody(body, language, refusals);
}

/** Only what is beside the documents is looked at: a document may have a field of any name. */
function findInUpdates(first: string, values: readonly unknown[], { refusesScripts }: Refusals): Expensive | undefined {
  const isUpdate = (at: number) => first === '_update' || isObject(valueAt(values[at - 1], 'update'));
  const found = refusesScripts && values.some((value, at) => isUpdate(at) && valueAt(value, 'script') !== undefined);
  return found ? { kind: 'scripts', what: '"script"' } : undefined;
}
