import { Failure } from '@dbmole/core';
import type { Answer } from '../../answer/answer.ts';
import type { AskedRequest, CheckedRequest, RequestBody } from '../../call/cluster-request.ts';
import { checkMentionAt } from '../body/index-mentions.ts';
import { parseStrict } from '../body/strict-json.ts';
import { isObject, listTexts, textsWithin, valueAt, walk } from '../body/walk-json.ts';
import { onlyIndices } from '../guard.ts';
import type { IndexRules } from '../index-names.ts';
import { checkBodySize } from '../request-size.ts';

type Ask = (request: AskedRequest) => Promise<Pick<Answer, 'status' | 'json'>>;

/** Longer lines are refused by clusters. */
const maxPathLength = 3_500;
/** The parts of a key with dots in it. */
const maxParts = 100;

/**
 * A document with a field of the type `percolator` is a query, and the cluster looks up the values that it names, in any index, when it is
 * written. A script can put such a document together, so on a connection with a list of indices, or with protected fields, nothing is
 * written to an index that has such a field. Where fields cannot be read, as before the first document of an index, the documents may name
 * no other index.
 */
export async function refuseStoredQueries(
  { segments, body }: Pick<CheckedRequest, 'segments' | 'body'>,
  rules: IndexRules,
  ask: Ask,
): Promise<void> {
  const isBulk = segments.at(-1) === '_bulk';
  // An index that is made has no documents.
  if (body === undefined || (segments.length === 1 && !isBulk)) return;
  const lines = isBulk ? parseLines(body) : [];
  const own = segments.slice(0, 1).filter((name) => name !== '_bulk');
  const names = [...new Set([...own, ...lines.flatMap(listTargets)])].join(',');
  if (names === '') return;
  const storesQueries = await readFields(names, ask);
  if (storesQueries) throw storedFailure(names);
  if (storesQueries === false) return;
  checkBodySize(body);
  checkUnread(isBulk ? lines : [typeof body === 'string' ? parseStrict(body) : body], names, rules);
}

/** Whether a field stores queries, or would when it is created; undefined where the fields cannot be read. */
async function readFields(names: string, ask: Ask): Promise<boolean | undefined> {
  const index = encodeURIComponent(names);
  if (index.length > maxPathLength) return undefined;
  const [fields, templates] = await Promise.all([
    ask({ path: `/${index}/_field_caps`, params: { fields: '*', filter_path: 'fields.*.percolator.type' } }),
    ask({ path: `/${index}/_mapping`, params: { filter_path: '*.mappings.dynamic_templates.*.mapping.type' } }),
  ]);
  if (fields.status >= 300 || templates.status >= 300) return undefined;
  if (!isObject(fields.json) || !isObject(templates.json)) return true;
  return Object.keys(fields.json).length > 0 || textsWithin(templates.json).includes('percolator');
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
      walk(value, 0, (key, inner) => {
        for (const [part, below] of splitKey(key, inner)) onlyIndices(() => checkMentionAt(part, below, rules));
      });
    } catch (error) {
      if (error instanceof Failure && error.code === 'E_INDEX_REFUSED') throw unreadFailure(names, error.message);
      throw error;
    }
  }
}

/** In a document, `"a.b": 1` is `"a": {"b": 1}`. */
function splitKey(key: string, value: unknown): readonly (readonly [part: string, below: unknown])[] {
  const parts = key.split('.');
  if (parts.length > maxParts) throw new Failure('input', `a key has more than ${maxParts} parts`, { code: 'E_BODY' });
  const found: [string, unknown][] = [];
  let below = value;
  for (const part of parts.reverse()) {
    found.push([part, below]);
    below = { [part]: below };
  }
  return found;
}

function storedFailure(names: string): Failure {
  return new Failure(
    'refused',
    `${shorten(names)} has a field of type percolator: a query stored there could read other indices`,
    {
      code: 'E_INDEX_REFUSED',
      hint: 'Use another index, or another connection without `indices` and `columns`.',
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
