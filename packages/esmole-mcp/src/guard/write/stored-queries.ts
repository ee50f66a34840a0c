import { Failure } from '@dbmole/core';
import type { Answer } from '../../answer/answer.ts';
import type { AskedRequest, CheckedRequest, RequestBody } from '../../call/cluster-request.ts';
import { checkMentions } from '../body/index-mentions.ts';
import { parseStrict } from '../body/strict-json.ts';
import { isObject, listTexts, valueAt, walk } from '../body/walk-json.ts';
import { onlyIndices } from '../guard.ts';
import type { IndexRules } from '../index-names.ts';
import { checkBodySize } from '../request-size.ts';

/** Longer lines are refused by clusters. */
const maxPathLength = 3_500;

/**
 * A document with a field of the type `percolator` is a query, and the cluster looks up the values that it names, in any index, when it is
 * written. A script can put such a document together, so on a connection with a list of indices nothing is written to an index that has
 * such a field. Where fields cannot be read, as before the first document of an index, the documents may name no other index.
 */
export async function refuseStoredQueries(
  { segments, body }: Pick<CheckedRequest, 'segments' | 'body'>,
  rules: IndexRules,
  ask: (request: AskedRequest) => Promise<Pick<Answer, 'status' | 'json'>>,
): Promise<void> {
  if (body === undefined) return;
  const isBulk = segments[1] === '_bulk';
  const lines = isBulk ? parseLines(body) : [];
  const names = [...new Set([segments[0] ?? '', ...lines.flatMap(listTargets)])].join(',');
  const path = `/${encodeURIComponent(names)}/_field_caps`;
  const params = { fields: '*', filter_path: 'fields.*.percolator.type' };
  const { status, json } = path.length > maxPathLength ? { status: 400, json: undefined } : await ask({ path, params });
  if (status >= 300) {
    checkBodySize(body);
    checkUnread(isBulk ? lines : [typeof body === 'string' ? parseStrict(body) : body], names, rules);
  } else if (!isObject(json) || Object.keys(json).length > 0) throw storedFailure(names);
}

function parseLines(body: RequestBody): readonly unknown[] {
  if (typeof body !== 'string') return [body].flat();
  return body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseStrict);
}

function listTargets(line: unknown): readonly string[] {
  return ['index', 'create', 'update', 'delete'].flatMap((action) => listTexts(valueAt(valueAt(line, action), '_index')));
}

function checkUnread(values: readonly unknown[], names: string, rules: IndexRules): void {
  for (const value of values) {
    if (valueAt(value, 'script') !== undefined) throw unreadFailure(names, 'a script could write a stored query');
    try {
      onlyIndices(() => checkMentions(value, rules));
      walk(value, 0, (key, inner) => onlyIndices(() => checkMentions(expandDots(key, inner), rules)));
    } catch (error) {
      if (error instanceof Failure && error.code === 'E_INDEX_REFUSED') throw unreadFailure(names, error.message);
      throw error;
    }
  }
}

/** In a document, `"a.b": 1` is `"a": {"b": 1}`. */
function expandDots(key: string, value: unknown): unknown {
  return key.includes('.') ? key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) : undefined;
}

function storedFailure(names: string): Failure {
  return new Failure(
    'refused',
    `${shorten(names)} has a field of type percolator: a query stored there could read other indices`,
    {
      code: 'E_INDEX_REFUSED',
      hint: 'Use another index, or another connection without `indices`.',
    },
  );
}

function unreadFailure(names: string, why: string): Failure {
  return new Failure('refused', `the fields of ${shorten(names)} cannot be read, and with a field of type percolator ${why}`, {
    code: 'E_INDEX_REFUSED',
    hint: 'Write the first document of an index without a script, and without names of other indices below keys like `index`.',
  });
}

function shorten(names: string): string {
  return JSON.stringify(names.length > 100 ? `${names.slice(0, 100)}…` : names);
}
