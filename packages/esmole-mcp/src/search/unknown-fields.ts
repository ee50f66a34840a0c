import { Failure, findNearestNames, Turns } from '@dbmole/core';
import { seeFields } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName, quoteRemoteText } from '../call/quote-remote-text.ts';
import { formatUnknownIndex } from '../call/unknown-index.ts';
import { createNameMatcher } from '../mapping/field-filter.ts';
import { readFieldCaps } from '../mapping/read-field-caps.ts';
import { countTotal, flattenHit, type Hit, isObject, unite } from './hit-table.ts';
import { findNamedFields } from './named-fields.ts';
import type { Page } from './read-hits.ts';
import type { SearchArgs } from './search-body.ts';

interface UnknownField {
  readonly name: string;
  readonly nearest: readonly string[];
}

/** A path with more of them is refused by clusters. */
const maxListLength = 2_500;
const maxShown = 5;
/** Fields may have others inside that no mapping names. */
const openTypes: ReadonlySet<string> = new Set(['flattened', 'flat_object', 'semantic_text', 'passthrough']);

/** Finds the names that no field of these indices has, with the names that resemble them. This is best effort. */
async function findUnknownFields(
  call: ClusterCall,
  index: string | undefined,
  names: readonly string[],
): Promise<UnknownField[]> {
  const asked = takeNames(names);
  if (asked.length === 0) return [];
  const found = await readFieldCaps(call, index, { fields: asked.join(',') });
  if (found === undefined) return [];
  const known = [...found.fields.keys()];
  const missing = await findMissing(asked, known);
  if (missing.length === 0) return [];
  const all = await readFieldCaps(call, index, { fields: '*', filter_path: 'fields.*.*.type' });
  const turns = new Turns();
  const open: string[] = [];
  const candidates: string[] = [];
  for (const [name, types] of all?.fields ?? []) {
    if (!name.startsWith('_')) candidates.push(name);
    if (Object.keys(types).some((type) => openTypes.has(type))) open.push(name);
    await turns.next();
  }
  const unknown = missing.filter((name) => !open.some((one) => name.startsWith(`${one}.`)));
  const result: UnknownField[] = [];
  for (const [at, name] of unknown.entries()) {
    // Names that are only counted need no nearest names.
    const nearest = at < maxShown ? await findNearestNames(name.replaceAll('*', ''), candidates) : [];
    result.push({ name, nearest });
  }
  return result;
}

async function findMissing(asked: readonly string[], known: readonly string[]): Promise<string[]> {
  const turns = new Turns();
  const missing: string[] = [];
  const exact = new Set(known);
  for (const name of asked) {
    if (!exact.has(name) && !known.some(createNameMatcher(name))) missing.push(name);
    await turns.next();
  }
  return missing;
}

function takeNames(names: readonly string[]): string[] {
  let length = 0;
  return names.filter((name) => {
    length += encodeURIComponent(name).length + 1;
    return length <= maxListLength;
  });
}

function formatUnknown(unknown: readonly UnknownField[]): string[] {
  const more = unknown.length <= maxShown ? [] : [`${unknown.length - maxShown} more are not mapped.`];
  return [...unknown.slice(0, maxShown).map(formatOne), ...more];
}

function formatOne({ name, nearest }: UnknownField): string {
  const names = nearest.length === 0 ? '' : `; nearest: ${nearest.map(quoteRemoteName).join(', ')}`;
  return `No mapped field ${name.includes('*') ? 'matches' : 'is called'} ${quoteRemoteText(name, 100)}${names}.`;
}

/** A sort by a field that no index has is an error of the cluster: here it says which names there are. */
export async function withNearestFields(call: ClusterCall, index: string | undefined, error: unknown): Promise<unknown> {
  const name =
    error instanceof Failure ? /No mapping found for \[([^\]]{1,500})\] in order to sort/.exec(error.message)?.[1] : undefined;
  if (name === undefined) return error;
  const [unknown] = await findUnknownFields(call, index, [name]).catch(() => []);
  return new Failure('unknown', `there is no field ${JSON.stringify(name)} to sort by`, {
    code: 'E_UNKNOWN_FIELD',
    engineCode: '400',
    nearest: unknown?.nearest ?? [],
    hint: [seeFields, 'Sort with `{"name": {"unmapped_type": "long"}}` where only some indices have it.'],
  });
}

/** Sentences about names in the request that do not exist, where an answer looks as if that were so. */
export async function findUnknownNames(
  call: ClusterCall,
  args: SearchArgs,
  { page, isEmpty }: { page: Page; isEmpty: boolean },
): Promise<string[]> {
  if (args.cursor !== undefined) return [];
  const missing = await findUnknownIndex(call, args.index, page.answer.json);
  if (missing.length > 0) return missing;
  const isAll = countTotal(page.answer.json) === 0 || isEmpty;
  const names = isAll ? findNamedFields(args) : findMissingColumns(page.hits, args);
  try {
    return formatUnknown(await findUnknownFields(call, args.index, names));
  } catch (error) {
    if (call.signal.aborted) throw error;
    return [];
  }
}

/** Finds requested names that are in none of these documents. */
function findMissingColumns(hits: readonly Hit[], { source = [], fields = [], body }: SearchArgs): string[] {
  if (hits.length === 0) return [];
  const columns = unite(hits.map((hit) => flattenHit(hit).fields));
  const { runtime_mappings, derived, script_fields } = body ?? {};
  return findNamedFields({ source, fields, body: { runtime_mappings, derived, script_fields } }).filter((name) => {
    const matches = createNameMatcher(name);
    return !columns.some((column) => matches(column) || name.startsWith(`${column}.`));
  });
}

/** No index was searched: the request has a pattern or list that matches none. */
async function findUnknownIndex(call: ClusterCall, index: string | undefined, answer: unknown): Promise<string[]> {
  const shards = isObject(answer) ? answer._shards : undefined;
  if (index === undefined || !isObject(shards) || shards.total !== 0) return [];
  return await formatUnknownIndex(call, index, 'open index');
}
