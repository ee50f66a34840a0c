import type { RawNode } from './raw-node.ts';

/** All that a write could change on a node, in one text for each place. Two that are the same mean that nothing was written. */
type Fingerprint = Readonly<Record<string, string>>;

/** Counters that only a write, or what writes cause, makes grow. Of every shard, hidden ones too. */
const counters = ['docs', 'indexing', 'refresh', 'flush', 'merges', 'translog', 'seq_no', 'completion'];

/** Counters of each index that are kept for as long as something is open. */
const open = ['scroll_current', 'open_contexts', 'point_in_time_current'];

/** Security does not exist on some of them, and the answer then is the same each time too. */
const plain = [
  '/_cat/indices?expand_wildcards=all&h=index,uuid,status,docs.count,docs.deleted&s=index',
  '/_cluster/settings',
  '/_security/user',
  '/_security/role',
  '/_security/role_mapping',
  '/_security/api_key',
  '/_license',
];

export async function takeFingerprint(node: RawNode): Promise<Fingerprint> {
  const state = await read(node, '/_cluster/state/_all?expand_wildcards=all');
  const stats = await read(node, '/_all/_stats?expand_wildcards=all&forbid_closed_indices=false&level=shards');
  const others = await Promise.all(plain.map(async (path) => [path, (await node.send('GET', path)).text] as const));
  return {
    // The version counts every change of what the whole cluster knows: mappings, settings, templates, scripts, pipelines, aliases …
    version: JSON.stringify(at(state, 'version')),
    metadata: JSON.stringify(at(state, 'metadata')),
    blocks: JSON.stringify(at(state, 'blocks')),
    ...Object.fromEntries(others),
    counters: JSON.stringify(countersOf(at(stats, 'indices'))),
    tasks: await readTasks(node),
  };
}

/** What goes on longer than the request that began it. */
async function readTasks(node: RawNode): Promise<string> {
  const ofRequests = (tasks: unknown) => JSON.stringify(Object.values(asObject(tasks)).map((task) => at(task, 'action')));
  for (let tries = 0; ; tries++) {
    const found = ofRequests(at(await read(node, '/_tasks?actions=indices:*&group_by=none'), 'tasks'));
    if (found === '[]' || tries === 20) return found;
  }
}

/** The places that differ, with what was there before and after. */
export function findChanges(before: Fingerprint, after: Fingerprint): string[] {
  const places = Object.keys(before).filter((place) => before[place] !== after[place]);
  return places.map((place) => `${place}: ${differenceOf(before[place] ?? '', after[place] ?? '')}`);
}

async function read(node: RawNode, path: string): Promise<unknown> {
  const { status, json, text } = await node.send('GET', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  return json;
}

function countersOf(indices: unknown): unknown {
  return Object.entries(asObject(indices))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, index]) => [
      name,
      Object.values(asObject(at(index, 'shards')))
        .flat()
        .map((shard) => [
          ...counters.map((key) => withoutTimes(at(shard, key))),
          ...open.map((key) => at(at(shard, 'search'), key)),
        ]),
    ]);
}

/** How long something took is no count, and an age or a load changes by itself. */
function withoutTimes(value: unknown): unknown {
  return Object.entries(asObject(value)).filter(([key]) => !/time|millis|age|load/.test(key));
}

function at(value: unknown, key: string): unknown {
  return asObject(value)[key];
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  // An object has entries of any kind, and what has none has none.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function differenceOf(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = Math.max(0, at - 60);
  return `${before.slice(from, at + 80)} -> ${after.slice(from, at + 80)}`;
}
