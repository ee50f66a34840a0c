import { Failure } from '@dbmole/core';
import { checkMustache } from './mustache.ts';
import { checkMention, checkName, type IndexRules } from './names.ts';
import { isShortTime } from './params.ts';
import { findPitNames } from './pit-id.ts';
import { checkIdLength } from './size.ts';
import { isObject, textsOf, valueAt, walk } from './walk.ts';

/** Below these a query names an index beside those of the path: a lookup, a document that is like another, a stored shape. */
const indexKeys: ReadonlySet<string> = new Set(['index', '_index', 'indices', 'target_index']);

/**
 * Looks for indices in the depth of a search. A field of the user's may have such a name too; with a list of allowed indices its
 * value is taken for an index all the same, as nothing tells them apart for sure.
 */
export function checkMentions(body: unknown, rules: IndexRules): void {
  walk(body, 0, (key, value) => checkMentionAt(key, value, rules));
}

/** The same at one place. */
export function checkMentionAt(key: string, value: unknown, rules: IndexRules): void {
  if (indexKeys.has(key)) for (const text of textsOf(value)) checkMention(text, rules);
  if (isLookup(value)) for (const name of namesIn(valueAt(value, 'index'))) checkLookup(name, rules);
  if (Object.hasOwn(mentioning, key)) mentioning[key]?.(value, rules);
}

/** What stands below these is more than its words say. */
const mentioning: Readonly<Record<string, (value: unknown, rules: IndexRules) => void>> = {
  indices_boost: (value, rules) => {
    for (const text of boosted(value)) checkMention(text, rules);
  },
  target_index: (value, rules) => {
    for (const name of namesIn(value)) checkLookup(name, rules);
  },
  pit: checkPit,
  // A shape without an index is one of an index that is called so.
  indexed_shape: (value, rules) => {
    const [name = 'shapes'] = textsOf(valueAt(value, 'index'));
    if (isObject(value)) checkLookup(name, rules);
  },
  phrase: (value, rules) => checkCollate(valueAt(value, 'collate'), rules),
  agentic: (value) => {
    if (valueAt(value, 'query_text') !== undefined) throw callFailure('agentic', 'lets an agent act');
  },
  wrapper: (value, rules) => {
    if (isPacked(valueAt(value, 'query'))) throw packedFailure(rules);
  },
};

export function mayReadAll({ indices, systemIndices }: IndexRules): boolean {
  return systemIndices && indices === undefined;
}

export function callFailure(key: string, why: string): Failure {
  return new Failure('refused', `the body has "${key}", which ${why}`, {
    code: 'E_NOT_A_READ',
    hint: `Leave "${key}" out.`,
  });
}

function namesIn(value: unknown): readonly string[] {
  return textsOf(value).flatMap((text) => text.split(','));
}

/** Values of a query that are looked up. By a query of its own, it takes patterns. */
function isLookup(value: unknown): boolean {
  return typeof valueAt(value, 'index') === 'string' && valueAt(value, 'path') !== undefined;
}

function checkLookup(name: string, rules: IndexRules): void {
  if (!mayReadAll(rules)) checkName(name, rules, 'documents');
}

/** A query in Base64 can be any query. Shorter ones have no room for an index. */
function isPacked(query: unknown): boolean {
  return typeof query === 'string' && /^[\w+/=-]{24,}$/.test(query.replace(/\s/g, ''));
}

function packedFailure(rules: IndexRules): Failure {
  return new Failure('refused', 'the query in "wrapper" is packed, and could be any query', {
    code: mayReadAll(rules) ? 'E_NOT_A_READ' : 'E_INDEX_REFUSED',
    hint: 'Write the query itself in its place.',
  });
}

/** A template of a query, which is run for each suggestion. */
function checkCollate(value: unknown, rules: IndexRules): void {
  if (value === undefined) return;
  if (!mayReadAll(rules)) {
    throw new Failure('refused', 'the body has "collate", a template: which indices it reads is only known when it is rendered', {
      code: 'E_INDEX_REFUSED',
      hint: 'Leave "collate" out.',
    });
  }
  checkMustache(value);
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
  checkIdLength(id);
  const names = findPitNames(id);
  for (const name of names) checkName(name, rules, 'documents');
  if (rules.indices === undefined || names.length > 0) return;
  throw new Failure('refused', 'the point in time does not say which indices it reads', {
    code: 'E_INDEX_REFUSED',
    hint: 'Open one with this connection, on indices by their names.',
  });
}
