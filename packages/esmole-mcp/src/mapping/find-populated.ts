import { Failure, Turns } from '@dbmole/core';
import type { AnswerLimits } from '../answer/answer.ts';
import { groupBy } from '../answer/group-by.ts';
import { valueAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { mayName } from '../guard/index-names.ts';
import { isObject } from '../search/hit-table.ts';
import type { Field } from './flatten.ts';
import type { MappingGroup } from './group-mappings.ts';
import { countFirst, fitNames, sortNewestFirst } from './newest-first.ts';
import { readFieldCaps } from './read-field-caps.ts';

/** Tells fields that documents have from others. */
export interface Populated {
  isUsed(field: Field): boolean;
  /** What it is not sure of, as a sentence. */
  readonly note: string;
}

/** Asks clusters that keep it in mind, which costs them little; undefined for others. */
export async function readPopulated(call: ClusterCall, index: string | undefined): Promise<Populated | undefined> {
  if (!tellsPopulated(call)) return undefined;
  const params = { fields: '*', include_empty_fields: false, filter_path: 'fields.*.*.type' };
  const caps = await readFieldCaps(call, index, params);
  if (caps === undefined || !caps.isWhole) return undefined;
  return await createPopulated(caps.fields.keys(), [], '');
}

/** Whether the capabilities of fields can leave out those that no document has. */
export function tellsPopulated({ identity: { product, major = 0, minor = 0 } }: ClusterCall): boolean {
  return product === 'elasticsearch' && (major > 8 || (major === 8 && minor >= 13));
}

/** Filters of one search, and searches in the same indices. */
const maxFilters = 500;
const maxSearches = 20;
/** Groups with more fields are divided first: a query has so many clauses at most. */
const maxClauses = 500;
/** Smaller groups are looked at field by field. */
const minGroup = 3;
/** Documents of one shard that are looked at, and the time in the cluster. */
const maxDocuments = 1_000_000;
const maxTime = '20s';
/** After this time, no more indices are looked at than the newest, which always are. */
const budgetMs = 3_000;
const limits: AnswerLimits = { bytes: 1024 * 1024, json: { string: 1_024, list: 1024 * 1024, total: 4 * 1024 * 1024 } };

/**
 * Searches for documents that have any field of an object, and then within the objects that some have: most fields of a large mapping
 * are in no document, and each field that a search names costs time on every shard. So a long series is read from its newest index on,
 * as far as there is time; a field that was found is not searched for again. What could not be searched counts as used.
 */
export async function searchPopulated(
  call: ClusterCall,
  index: string | undefined,
  groups: readonly MappingGroup[],
): Promise<Populated> {
  const start = performance.now();
  const names = sortNewestFirst(groups.flatMap(({ indices }) => indices));
  const first = countFirst(names);
  const canName = names.length > first && names.every((name) => mayName(name, call.lease.backend.rules));
  if (!canName) return await formatPopulated(await searchIndices(call, index, await listSearchable(groups)));
  const used = new Set<string>();
  const untested = new Set<string>();
  let isPartial = false;
  let at = 0;
  // Each part is as large as the time that is left allows, by what the ones before it took.
  for (let size = first; size > 0; size = fitNames(names.slice(at), estimateCount(names.length - at, { start, done: at }))) {
    const part = names.slice(at, at + size);
    const fields = (await listSearchable(groups, new Set(part))).filter(({ name }) => !used.has(name));
    const found = await searchIndices(call, part.join(','), fields);
    for (const name of found.used) used.add(name);
    for (const name of found.untested) untested.add(name);
    isPartial ||= found.isPartial;
    at += part.length;
    if (at >= names.length || performance.now() - start >= budgetMs) break;
  }
  const rest =
    at < names.length ? [`Only the newest ${at} of ${names.length} indices were searched for documents, for time.`] : [];
  return await formatPopulated({ used: [...used], untested: [...untested].filter((name) => !used.has(name)), isPartial }, rest);
}

/** The number of indices that can be looked at in the time that is left. */
function estimateCount(left: number, { start, done }: { start: number; done: number }): number {
  const spent = performance.now() - start;
  const count = Math.floor(((budgetMs - spent) / spent) * done);
  return Math.min(left, Math.max(1, count));
}

interface UsedFields {
  readonly used: readonly string[];
  /** Fields that could not be searched for. */
  readonly untested: readonly string[];
  readonly isPartial: boolean;
}

async function searchIndices(call: ClusterCall, index: string | undefined, fields: readonly Field[]): Promise<UsedFields> {
  const used: string[] = [];
  let open = divide(fields, 0);
  let isPartial = false;
  for (let searches = 0; open.length > 0 && searches < maxSearches; searches++) {
    const some = open.slice(0, maxFilters);
    const found = await searchSome(call, index, some);
    const hits = some.filter((_, at) => found.has[at]);
    used.push(...hits.flatMap(({ fields }) => (fields.length === 1 ? [fields[0]?.name ?? ''] : [])));
    open = [
      ...open.slice(maxFilters),
      ...hits.flatMap(({ fields, depth }) => (fields.length === 1 ? [] : divide(fields, depth))),
    ];
    isPartial ||= found.isPartial;
  }
  return { used, untested: open.flatMap(({ fields }) => fields.map(({ name }) => name)), isPartial };
}

async function formatPopulated({ used, untested, isPartial }: UsedFields, more: readonly string[] = []): Promise<Populated> {
  const notes = [
    ...more,
    isPartial
      ? `Fields of rare documents may be missing: the search ended early, at most after ${maxDocuments} documents of a shard.`
      : '',
    untested.length === 0 ? '' : `${untested.length} fields were not checked.`,
  ];
  return await createPopulated(used, untested, notes.filter((text) => text !== '').join(' '));
}

/** Fields that are searched for together: one alone, or all with the same beginning. */
interface FieldGroup {
  readonly fields: readonly Field[];
  /** The parts of the names that they share. */
  readonly depth: number;
}

/** Divides fields by the next part of their names. One that ends with it has nothing inside. */
function divide(fields: readonly Field[], depth: number): FieldGroup[] {
  const parts = groupBy(fields, ({ name, nestedIn }) => {
    const words = name.split('.');
    return JSON.stringify([nestedIn, words.slice(0, depth + 1), words.length === depth + 1]);
  });
  return [...parts.values()].flatMap((members) => {
    if (members.length < minGroup) return members.map((field) => ({ fields: [field], depth }));
    return members.length > maxClauses ? divide(members, depth + 1) : [{ fields: members, depth: depth + 1 }];
  });
}

/** The fields of these indices, or of all. */
async function listSearchable(groups: readonly MappingGroup[], wanted?: ReadonlySet<string>): Promise<Field[]> {
  const turns = new Turns();
  const found = new Map<string, Field>();
  for (const { fields, indices } of groups) {
    if (wanted !== undefined && !indices.some((name) => wanted.has(name))) continue;
    for (const field of fields) {
      if (field.kind === undefined) found.set(field.name, field);
      await turns.next();
    }
  }
  return [...found.values()];
}

interface Found {
  /** Whether some document was found, for each group. */
  readonly has: readonly boolean[];
  readonly isPartial: boolean;
}

async function searchSome(call: ClusterCall, index: string | undefined, groups: readonly FieldGroup[]): Promise<Found> {
  const filters = Object.fromEntries(groups.map((group, at) => [`f${at}`, existsQuery(group)]));
  const body = {
    size: 0,
    track_total_hits: false,
    timeout: maxTime,
    terminate_after: maxDocuments,
    aggs: { fields: { filters: { filters } } },
  };
  const answer = await call.read({ method: 'POST', path: buildPath(index, '_search'), body }, limits);
  const buckets = valueAt(answer.json, ['aggregations', 'fields', 'buckets']);
  if (!isObject(buckets)) throw new Failure('engine', 'the cluster did not count the documents of each field');
  const json = isObject(answer.json) ? answer.json : {};
  return {
    has: groups.map((_, at) => valueAt(buckets[`f${at}`], ['doc_count']) !== 0),
    isPartial: json.timed_out === true || json.terminated_early === true || valueAt(json, ['_shards', 'failed']) !== 0,
  };
}

/** A pattern finds what an object has, also where a name has points without being in an object. */
function existsQuery({ fields, depth }: FieldGroup): object {
  const [{ name, nestedIn } = { name: '', nestedIn: undefined }] = fields;
  const field = fields.length === 1 ? name : `${name.split('.').slice(0, depth).join('.')}.*`;
  const query = { exists: { field } };
  return nestedIn === undefined ? query : { nested: { path: nestedIn, query, ignore_unmapped: true } };
}

/** An object is used where anything in it is. */
async function createPopulated(names: Iterable<string>, others: readonly string[], note: string): Promise<Populated> {
  const turns = new Turns();
  const used = new Set<string>(others);
  for (const name of names) {
    const parts = name.split('.');
    for (const at of parts.keys()) used.add(parts.slice(0, at + 1).join('.'));
    await turns.next();
  }
  return { isUsed: ({ name, kind }) => used.has(name) || kind === 'computed' || kind === 'unsearchable', note };
}
