import { Failure, Turns } from '@dbmole/core';
import type { AnswerLimits } from '../answer/answer.ts';
import { valueAt } from '../call/answer-failure.ts';
import { buildPath, type ClusterCall } from '../call/cluster-call.ts';
import { isObject } from '../search/hit-table.ts';
import type { Field } from './flatten.ts';
import type { MappingGroup } from './group-mappings.ts';
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

/** Fields of one search, and of all. Each is a filter of its own, which costs little where no document has the field. */
const maxFilters = 500;
const maxTested = 5_000;
/** Documents of one shard that are looked at, and the time in the cluster. */
const maxDocuments = 1_000_000;
const maxTime = '20s';
const limits: AnswerLimits = { bytes: 1024 * 1024, json: { string: 1_024, list: 1024 * 1024, total: 4 * 1024 * 1024 } };

/** Searches documents of every field. What could not be searched counts as used. */
export async function searchPopulated(
  call: ClusterCall,
  index: string | undefined,
  groups: readonly MappingGroup[],
): Promise<Populated> {
  const fields = await listSearchable(groups);
  const [tested, untested] = [fields.slice(0, maxTested), fields.slice(maxTested)];
  const used: string[] = [];
  let isPartial = false;
  for (let at = 0; at < tested.length; at += maxFilters) {
    const some = tested.slice(at, at + maxFilters);
    const found = await searchSome(call, index, some);
    used.push(...found.names);
    isPartial ||= found.isPartial;
  }
  const notes = [
    isPartial
      ? `Fields of rare documents may be missing: the search saw ${maxDocuments} documents of each shard, or ended early.`
      : '',
    untested.length === 0 ? '' : `${untested.length} fields were not checked.`,
  ];
  const note = notes.filter((text) => text !== '').join(' ');
  return await createPopulated(
    used,
    untested.map(({ name }) => name),
    note,
  );
}

async function listSearchable(groups: readonly MappingGroup[]): Promise<Field[]> {
  const turns = new Turns();
  const found = new Map<string, Field>();
  for (const { fields } of groups) {
    for (const field of fields) {
      if (field.kind === undefined) found.set(field.name, field);
      await turns.next();
    }
  }
  return [...found.values()];
}

async function searchSome(call: ClusterCall, index: string | undefined, fields: readonly Field[]): Promise<Found> {
  const filters = Object.fromEntries(fields.map((field, at) => [`f${at}`, existsQuery(field)]));
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
  const names = fields.filter((_, at) => valueAt(buckets[`f${at}`], ['doc_count']) !== 0).map(({ name }) => name);
  const json = isObject(answer.json) ? answer.json : {};
  const isPartial = json.timed_out === true || json.terminated_early === true || valueAt(json, ['_shards', 'failed']) !== 0;
  return { names, isPartial };
}

interface Found {
  readonly names: readonly string[];
  readonly isPartial: boolean;
}

function existsQuery({ name, nestedIn }: Field): object {
  const query = { exists: { field: name } };
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
