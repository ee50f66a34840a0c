import { isResourceList, looksLikeIndices } from './index-names.ts';
import { isCursor } from './params.ts';

/** One part of a template: a literal word, or a slot that takes some names. */
type Part = { readonly literal: string } | { readonly slot: Slot };

/** A path as the table writes it, without its optional parts: they are templates of their own. */
export interface Template {
  readonly parts: readonly Part[];
  /** The position of the index; undefined without one. */
  readonly indexAt: number | undefined;
  /** The position at which an index may be inserted, in a template whose optional index is left out. */
  readonly insertAt: number | undefined;
}

const statistics =
  'docs store indexing get search merge refresh flush warmer query_cache fielddata completion segments translog request_cache recovery bulk shard_stats mappings dense_vector sparse_vector';

const stateParts = 'version master_node cluster_manager_node nodes routing_table routing_nodes';

/** The values of each slot. Whether an index may be read is decided later, for each connection. */
const slots = {
  /** Indices, aliases, data streams and patterns, separated by commas. */
  index: looksLikeIndices,
  /** A single index, alias or data stream. */
  one: (text: string) => looksLikeIndices(text) && !/[*,]/.test(text) && text !== '_all',
  /** The id of a document. A word like `_search` would be a route of its own on some versions. */
  id: (text: string) => text.length <= 512 && !/^_[a-z_]*$/.test(text) && !text.includes('/'),
  /** The name of a template, policy, alias or thread pool; patterns and lists as well. */
  name: isResourceList,
  /** A node, or a filter of nodes. */
  node: (text: string) => /^(?!_)[\w.:*,-]+$/.test(text) || /^_(?:all|local|master|cluster_manager)$/.test(text),
  fields: (text: string) => /^[\w.*,@-]+$/.test(text),
  scroll: isCursor,
  task: (text: string) => /^[\w-]+:\d+$/.test(text),
  statistic: oneOf(`_all ${statistics}`),
  'node-statistic': oneOf(
    '_all indices os process jvm thread_pool fs transport http breaker breakers script discovery ingest adaptive_selection indexing_pressure script_cache shard_indexing_pressure cgroup',
  ),
  /** Settings and the arguments of the JVM are left out: passwords have been seen there. */
  'node-info': oneOf('os process thread_pool transport http plugins ingest indices aggregations'),
  /** Metadata and custom parts are left out: they hold pipelines, scripts and repositories with their credentials. */
  'state-part': oneOf(stateParts),
  'state-blocks': oneOf(`blocks ${stateParts}`),
  /** Users and their privileges. Other words create or show secrets. */
  security: (text: string) => /^(?:user|role|role_mapping|privilege|service)$/.test(text),
  licence: oneOf('basic_status trial_status'),
  /** Jobs of machine learning; their results are documents. */
  jobs: (text: string) => /^(?:anomaly_detectors|datafeeds|trained_models|calendars|filters)$/.test(text),
} as const;

type Slot = keyof typeof slots;

/** `[/{index}]/_search` is two templates, with and without; brackets contain an optional part. */
export function parseTemplates(text: string): readonly Template[] {
  const group = /\[([^[\]]*)\]/.exec(text);
  if (group === null) return [parseTemplate(text)];
  const [whole = '', inner = ''] = group;
  const before = text.slice(0, group.index);
  const rest = text.slice(group.index + whole.length);
  const insertAt = inner === '/{index}' ? listParts(before).length : undefined;
  const without = parseTemplates(before + rest).map((template) =>
    insertAt === undefined ? template : { ...template, insertAt: template.insertAt ?? insertAt },
  );
  return [...parseTemplates(before + inner + rest), ...without];
}

export function matches({ parts }: Template, segments: readonly string[]): boolean {
  if (parts.length !== segments.length) return false;
  return parts.every((part, at) => fits(part, segments[at] ?? ''));
}

/** The names of slots in messages. */
const wordsFor: Readonly<Record<string, string>> = {
  one: 'index',
  'node-statistic': 'metric',
  'node-info': 'metric',
  'state-part': 'metric',
  'state-blocks': 'metric',
  jobs: 'anomaly_detectors|datafeeds|trained_models|calendars|filters',
  licence: 'basic_status|trial_status',
  security: 'user|role|role_mapping|privilege|service',
  statistic: 'metric',
};

/** How a path reads in a message: `/{index}/_search`. */
export function formatTemplate({ parts }: Template): string {
  return `/${parts.map((part) => ('literal' in part ? part.literal : `{${wordsFor[part.slot] ?? part.slot}}`)).join('/')}`;
}

function fits(part: Part, segment: string): boolean {
  return 'literal' in part ? part.literal === segment : slots[part.slot](segment);
}

function parseTemplate(text: string): Template {
  const parts = listParts(text);
  const indexAt = parts.findIndex((part) => 'slot' in part && (part.slot === 'index' || part.slot === 'one'));
  return { parts, indexAt: indexAt === -1 ? undefined : indexAt, insertAt: undefined };
}

function listParts(text: string): Part[] {
  return text
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      const slot = /^\{(.*)\}$/.exec(part)?.[1];
      if (slot === undefined) return { literal: part };
      if (!isSlot(slot)) throw new TypeError(`the table has an unknown slot {${slot}}`);
      return { slot };
    });
}

function isSlot(text: string): text is Slot {
  return Object.hasOwn(slots, text);
}

function oneOf(words: string): (text: string) => boolean {
  const known = new Set(words.split(' '));
  return (text) => text.split(',').every((word) => known.has(word));
}
