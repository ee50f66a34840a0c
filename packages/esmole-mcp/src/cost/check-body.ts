import { isObject, listTexts } from '../guard/body/walk-json.ts';
import { hasWildTerm, startsWithAnything, startsWithWildcard } from './leading-wildcards.ts';

/** What of a request is expensive, in words for a refusal. */
export interface Expensive {
  kind: 'leadingWildcards' | 'scripts';
  what: string;
}

export interface Refusals {
  refusesWildcards: boolean;
  refusesScripts: boolean;
}

/** Queries in which a key is the name of a field, so that it says nothing. */
const leaves: ReadonlySet<string> = new Set(
  'term match match_phrase match_phrase_prefix match_bool_prefix prefix wildcard regexp fuzzy span_term exists'.split(' '),
);
/** Parts of requests that run a script. Its language need not be painless. */
const scripted: ReadonlySet<string> = new Set(
  (
    'script script_fields script_score script_heuristic scripted_metric scripted_upsert _script bucket_script bucket_selector ' +
    'moving_fn init_script map_script combine_script reduce_script minimum_should_match_script derived'
  ).split(' '),
);
/** Queries that are known only when they run. */
const hidden: ReadonlySet<string> = new Set(['wrapper', 'collate', 'template', 'template_id', 'templates']);
/** Settings beside the pattern of a query. */
const settings: ReadonlySet<string> = new Set(
  'boost rewrite _name case_insensitive analyzer use_field flags flags_value max_determinized_states max_expansions'.split(' '),
);

const wild: Readonly<Record<string, (pattern: string) => boolean>> = {
  wildcard: startsWithWildcard,
  regexp: startsWithAnything,
  prefix: (pattern) => pattern === '' || startsWithWildcard(pattern),
};
const texts: ReadonlySet<string> = new Set(['query_string', 'simple_query_string', 'kql']);

const maxDepth = 300;

/** Finds what is refused in a request of any kind, however deep. */
export function findExpensive(value: unknown, refusals: Refusals, parent = '', depth = 0): Expensive | undefined {
  if (depth > maxDepth) return { kind: 'scripts', what: `nesting of more than ${maxDepth} levels` };
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = findExpensive(item, refusals, parent, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const place = { parent, isOnly: entries.length === 1 };
  for (const [key, inner] of entries) {
    const found = judge(key, inner, refusals, place) ?? findExpensive(inner, refusals, key, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Place {
  /** The key that the object is under. */
  parent: string;
  isOnly: boolean;
}

function judge(key: string, value: unknown, refusals: Refusals, { parent, isOnly }: Place): Expensive | undefined {
  // Names that a caller chooses, such as those of aggregations, may be the same; a part of a query has no plain value then.
  if (leaves.has(parent) && isOnly && !isObject(value) && !Array.isArray(value)) return undefined;
  if (hidden.has(key) && isObject(value))
    return {
      kind: refusals.refusesScripts ? 'scripts' : 'leadingWildcards',
      what: `"${key}", whose query is known only when it runs,`,
    };
  if (refusals.refusesScripts && scripted.has(key)) return { kind: 'scripts', what: `"${key}"` };
  const pattern = refusals.refusesWildcards ? findPattern(key, value) : undefined;
  return pattern === undefined ? undefined : { kind: 'leadingWildcards', what: formatPattern(key, pattern) };
}

export function formatPattern(key: string, pattern: string): string {
  return `"${key}" with ${JSON.stringify(pattern.slice(0, 60))}`;
}

function findPattern(key: string, value: unknown): string | undefined {
  if (texts.has(key) && isObject(value)) return listTexts(value.query).find(hasWildTerm);
  // A suggestion that completes.
  if (key === 'regex') return listTexts(isObject(value) ? value.regex : value).find(startsWithAnything);
  const isWild = Object.hasOwn(wild, key) ? wild[key] : undefined;
  if (isWild === undefined || !isObject(value)) return undefined;
  const candidates = Object.entries(value).flatMap(([name, inner]) => (settings.has(name) ? [] : listPatterns(inner)));
  return candidates.find(isWild);
}

/** `{field: "x*"}`, `{field: {value: "x*"}}`, and `{pattern: "x*"}` of intervals. */
function listPatterns(value: unknown): readonly string[] {
  if (!isObject(value)) return listTexts(value);
  return Object.entries(value).flatMap(([key, inner]) => (settings.has(key) ? [] : listTexts(inner)));
}
