import type { WriteRequest } from '../call/cluster-request.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { isObject, listTexts, valueAt } from '../guard/body/walk-json.ts';
import type { ChangeKind } from './change-kind.ts';

const everyText: ReadonlySet<string> = new Set(['*', '*:*', '']);

/** Why a write may change every document of an index; undefined where a query chooses some, or it is about other things. */
export function findSweep({ params, body, segments }: WriteRequest, { form, names = '' }: ChangeKind): string | undefined {
  if (form === 'indices' && segments.length === 1 && /^(?:_all|\*|\*,-.*)$/.test(names)) return 'the request deletes all indices';
  if (form !== 'query') return undefined;
  const text = params.get('q');
  const value = typeof body === 'string' ? parseStrict(body) : body;
  const matchesAll = text === undefined ? findsAll(valueAt(value, 'query')) : everyText.has(text.trim());
  const limited = params.has('max_docs') || valueAt(value, 'max_docs') !== undefined;
  return matchesAll && !limited ? `the ${(segments[1] ?? '').slice(1)} has no query that chooses documents` : undefined;
}

/** Whether a query finds every document, as far as its form says so. */
function findsAll(query: unknown, depth = 0): boolean {
  if (query === undefined || depth > 50) return true;
  if (!isObject(query)) return false;
  const [name = 'match_all', ...others] = Object.keys(query);
  const about = query[name];
  if (others.length > 0) return false;
  if (name === 'match_all') return true;
  if (name === 'constant_score') return findsAll(valueAt(about, 'filter'), depth + 1);
  if (name === 'query_string' || name === 'simple_query_string')
    return listTexts(valueAt(about, 'query')).some((text) => everyText.has(text.trim()));
  if (name === 'exists') return listTexts(valueAt(about, 'field')).some((field) => field.startsWith('_'));
  return name === 'bool' && boolFindsAll(about, depth);
}

function boolFindsAll(about: unknown, depth: number): boolean {
  const clauses = (key: string) => [valueAt(about, key) ?? []].flat();
  if (clauses('must_not').length > 0) return false;
  const [needed, optional] = [[...clauses('must'), ...clauses('filter')], clauses('should')];
  const isFree = optional.length === 0 || needed.length > 0 || optional.some((one) => findsAll(one, depth + 1));
  return isFree && needed.every((one) => findsAll(one, depth + 1));
}
