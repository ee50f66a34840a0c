import { Failure } from '@dbmole/core';
import { checkMention, checkName, type IndexRules } from './names.ts';
import { isShortTime } from './params.ts';
import { findPitNames } from './pit-id.ts';

/** Below these a query names an index beside those of the path: a lookup, a document that is like another, a stored shape. */
const indexKeys: ReadonlySet<string> = new Set(['index', '_index', 'indices', 'target_index']);

const deepest = 300;

type Visit = (key: string, value: unknown) => void;

/**
 * Looks for indices in the depth of a search. A field of the user's may have such a name too; with a list of allowed indices its
 * value is taken for an index all the same, as nothing tells them apart for sure.
 */
export function checkMentions(body: unknown, rules: IndexRules): void {
  walk(body, 0, (key, value) => {
    if (indexKeys.has(key)) for (const text of textsOf(value)) checkMention(text, rules);
    if (key === 'indices_boost') for (const text of boosted(value)) checkMention(text, rules);
    if (key === 'pit') checkPit(value, rules);
    if (key === 'agentic' && valueAt(value, 'query_text') !== undefined) throw callFailure('agentic', 'lets an agent act');
  });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Calls for each key, however deep, with what stands below it. */
export function walk(value: unknown, depth: number, visit: Visit): void {
  if (depth > deepest) {
    throw new Failure('input', `the body is nested more than ${deepest} deep`, { code: 'E_BODY', hint: 'Send a flatter one.' });
  }
  if (Array.isArray(value)) for (const item of value) walk(item, depth + 1, visit);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      visit(key, inner);
      walk(inner, depth + 1, visit);
    }
  }
}

/** A text, or several; numbers and words are texts to a cluster. */
export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}

export function callFailure(key: string, why: string): Failure {
  return new Failure('refused', `the body has "${key}", which ${why}`, {
    code: 'E_NOT_A_READ',
    hint: `Leave "${key}" out.`,
  });
}

function boosted(value: unknown): readonly string[] {
  const maps = Array.isArray(value) ? value : [value];
  return maps.flatMap((map) => (isObject(map) ? Object.keys(map) : []));
}

/** A point in time reads the indices that it was opened on, whatever the path says. */
function checkPit(value: unknown, rules: IndexRules): void {
  const id = valueAt(value, 'id');
  if (typeof id !== 'string') return;
  const keepAlive = valueAt(value, 'keep_alive');
  if (keepAlive !== undefined && !isShortTime(String(keepAlive))) throw callFailure('keep_alive', 'is more than an hour');
  const names = findPitNames(id);
  for (const name of names) checkName(name, rules, 'documents');
  if (rules.indices === undefined || names.length > 0) return;
  throw new Failure('refused', 'the point in time does not say which indices it reads', {
    code: 'E_INDEX_REFUSED',
    hint: 'Open one with this connection, on indices by their names.',
  });
}
