import { Failure } from '@dbmole/core';
import { checkMention, checkName, type IndexRules } from '../index-names.ts';
import { isShortTime } from '../params.ts';
import { readPitNames } from '../pit-id.ts';
import { checkIdLength } from '../request-size.ts';
import { isModelCall, modelFailure } from './model-calls.ts';
import { isObject, listTexts, textsWithin, valueAt, walk } from './walk-json.ts';

/** Keys below which a query names an index beside those of the path: a lookup, a similar document, a stored shape. */
const indexKeys: ReadonlySet<string> = new Set(['index', '_index', 'indices', 'target_index']);

/**
 * Checks the indices that a search names at any depth. A user's field may have such a key too; with a list of allowed indices its value
 * counts as an index, because the two cannot be distinguished.
 */
export function checkMentions(body: unknown, rules: IndexRules): void {
  walk(body, 0, (key, value) => checkMentionAt(key, value, rules));
}

/** The same at one place. */
export function checkMentionAt(key: string, value: unknown, rules: IndexRules): void {
  if (indexKeys.has(key)) for (const text of listTexts(value)) checkMention(text, rules);
  if (isLookup(value)) for (const name of namesIn(valueAt(value, 'index'))) checkLookup(name, rules);
  if (Object.hasOwn(mentioning, key)) mentioning[key]?.(value, rules);
  // Last, because a caller may pass over this and not over the indices.
  if (rules.models !== true && isModelCall(key, value)) throw modelFailure(`"${key}"`);
}

/** Checks for keys whose value needs more than a look at its names. */
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
    const [name = 'shapes'] = listTexts(valueAt(value, 'index'));
    if (isObject(value)) checkLookup(name, rules);
  },
  phrase: (value, rules) => checkCollate(valueAt(value, 'collate'), rules),
  agentic: (value) => {
    if (valueAt(value, 'query_text') !== undefined) throw callFailure('agentic', 'starts an agent');
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
  return listTexts(value).flatMap((text) => text.split(','));
}

/** Values of a query that are looked up. By a query of its own, it takes patterns. */
function isLookup(value: unknown): boolean {
  return typeof valueAt(value, 'index') === 'string' && valueAt(value, 'path') !== undefined;
}

function checkLookup(name: string, rules: IndexRules): void {
  if (!mayReadAll(rules)) checkName(name, rules, 'documents');
}

/** A query in Base64 can be any query. Shorter ones have no room for an index. Clusters skip blanks and control characters in it. */
function isPacked(query: unknown): boolean {
  return typeof query === 'string' && /^[\w+/=-]{24,}$/.test(query.replace(/[\s\p{Cc}]/gu, ''));
}

function packedFailure(rules: IndexRules): Failure {
  return new Failure('refused', 'the query in "wrapper" is encoded and could be any query', {
    code: mayReadAll(rules) ? 'E_NOT_A_READ' : 'E_INDEX_REFUSED',
    hint: 'Write the query itself in its place.',
  });
}

/** A template of a query, which is run for each suggestion. */
function checkCollate(value: unknown, rules: IndexRules): void {
  if (value === undefined) return;
  if (!mayReadAll(rules)) {
    throw new Failure('refused', 'the body has "collate", a template: its indices are known only after rendering', {
      code: 'E_INDEX_REFUSED',
      hint: 'Leave "collate" out.',
    });
  }
  checkMustache(value);
  if (rules.models !== true) throw modelFailure('"collate", whose query is known only after rendering,');
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
  if (keepAlive !== undefined && !isShortTime(String(keepAlive))) throw callFailure('keep_alive', 'is longer than one hour');
  checkIdLength(id);
  const names = readPitNames(id);
  for (const name of names ?? []) checkName(name, rules, 'documents');
  if (rules.indices === undefined || names !== undefined) return;
  throw new Failure('refused', 'the id of the point in time has an unknown form, so its indices cannot be checked', {
    code: 'E_INDEX_REFUSED',
    hint: 'Open a point in time through this connection, on indices by name.',
  });
}

/** Includes another template, which some builds read from a file or an address, or changes the delimiters, which would hide an inclusion. */
const including = /\{\{\{?[\s\p{Cc}]*[<>=]/u;

/** Refuses a template that includes anything from the server. */
export function checkMustache(template: unknown): void {
  for (const text of textsWithin(template)) {
    if (!including.test(text)) continue;
    throw new Failure('refused', 'the template has {{>, {{< or {{=, which can make it read files of the server', {
      code: 'E_NOT_A_READ',
      hint: 'Write the included text itself; {{name}}, {{#name}} and {{^name}} are allowed.',
    });
  }
}
