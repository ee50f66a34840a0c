import { type CheckReport, type Finding, formatSeconds, formatShare, joinFacts, type Severity } from '@dbmole/core';
import { textAt, valueAt } from '../../call/answer-failure.ts';
import { formatBytes } from '../../indices/index-table.ts';
import type { CheckRun } from '../check-run.ts';
import { type ClusterSettings, readClusterSettings } from '../cluster-settings.ts';
import type { CheckScope } from '../diagnosis.ts';
import { figureAt, listEntries, readFigure } from '../read-facts.ts';
import { judgeDisks } from './disk.ts';

/** Shares of the old generation, which is what stays after most collections. */
const heapShares = { medium: 0.9, high: 0.97 };
/** Shares of the time since the node started that were spent collecting garbage. */
const collectionShares = { medium: 0.05, high: 0.15 };
/** A node that starts collects much in little time. */
const minUptimeMs = 600_000;
const breakerShare = 0.9;
const limitShares = { medium: 0.8, high: 0.95 };
/** Beyond about this, object pointers take twice the room. */
const maxUsefulHeap = 32 * 1024 ** 3;
const maxHeapOfMemory = 0.75;
const maxValue = 120;

/** Long filters make a long path, which is why parts of it are short. */
const nodeParts = [
  'name',
  'roles',
  'jvm.uptime_in_millis',
  'jvm.mem.heap_max_in_bytes',
  'jvm.mem.pools.old',
  'jvm.gc.collectors.old',
  'fs.total',
  'breakers.*.tripped',
  'breakers.*.limit_size_in_bytes',
  'breakers.*.estimated_size_in_bytes',
  'process.open_file_descriptors',
  'process.max_file_descriptors',
  'os.mem.total_in_bytes',
  'indices.search.open_contexts',
];

export async function checkSettings(run: CheckRun, { limit }: CheckScope): Promise<CheckReport> {
  const filter = nodeParts.map((part) => `nodes.*.${part}`).join(',');
  const [settings, stats, health] = await Promise.all([
    readClusterSettings(run),
    run.read({ path: '/_nodes/stats/jvm,fs,breaker,process,os,indices/search', params: { filter_path: filter } }),
    run.readIfAllowed('The number of shards', { path: '/_cluster/health' }),
  ]);
  const nodes = listEntries(valueAt(stats, ['nodes'])).map(([, node]) => node);
  const disks = nodes.map((node) => ({
    node: readName(node),
    total: figureAt(node, 'fs', 'total', 'total_in_bytes'),
    available: figureAt(node, 'fs', 'total', 'available_in_bytes'),
  }));
  const given = settings?.given ?? [];
  return {
    findings: [
      ...(settings === undefined
        ? []
        : [...judgeDisks(disks, settings), ...judgeRouting(settings), ...judgeShardLimit(settings, health)]),
      ...nodes.flatMap(judgeHeap),
      ...nodes.flatMap(judgeBreakers),
      ...nodes.flatMap((node) => judgeContexts(node, settings)),
      ...nodes.flatMap(judgeFiles),
      ...judgeMasters(nodes),
    ],
    listing: given.slice(0, limit).map(([name, value, how]) => `${name} = ${short(value)} (${how})`),
    notes: [
      ...(given.length > limit ? [`${limit} of the ${given.length} settings that were given are listed.`] : []),
      ...(nodes.length > 0 ? [`${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}: ${describeNodes(nodes)}.`] : []),
    ],
  };
}

function readName(node: unknown): string {
  return textAt(node, ['name']) ?? 'without a name';
}

function short(text: string): string {
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

function describeNodes(nodes: readonly unknown[]): string {
  const uptime = Math.min(...nodes.map((node) => figureAt(node, 'jvm', 'uptime_in_millis'))) / 1_000;
  const heap = nodes.reduce<number>((sum, node) => sum + figureAt(node, 'jvm', 'mem', 'heap_max_in_bytes'), 0);
  const disk = nodes.reduce<number>((sum, node) => sum + figureAt(node, 'fs', 'total', 'available_in_bytes'), 0);
  return joinFacts(`heap ${formatBytes(heap)}`, `${formatBytes(disk)} of disk free`, `up for at least ${formatSeconds(uptime)}`);
}

interface Danger {
  isBad: (value: string) => boolean;
  severity: Severity;
  consequence: string;
}

const breakersOff = 'Requests are not refused before the heap is full: a node that runs out of heap ends.';
/** More than the defaults, of which the largest is 95 %. */
const isMostHeap = (value: string) => /^\d+(?:\.\d+)?%$/.test(value) && Number.parseFloat(value) > 95;

const dangers: Readonly<Record<string, Danger>> = {
  'cluster.routing.allocation.enable': {
    isBad: (value) => value !== 'all',
    severity: 'high',
    consequence: 'Shards of new indices, and those of a node that failed, stay unassigned.',
  },
  'cluster.routing.rebalance.enable': {
    isBad: (value) => value === 'none',
    severity: 'low',
    consequence: 'Nodes that join get no shards, and full ones keep theirs.',
  },
  'cluster.routing.allocation.total_shards_per_node': {
    isBad: (value) => Number(value) > 0,
    severity: 'low',
    consequence: 'When a node fails, its shards may find no place on the others.',
  },
  'cluster.routing.allocation.node_concurrent_recoveries': {
    isBad: (value) => value === '0',
    severity: 'high',
    consequence: 'No replica is built, and no shard is moved.',
  },
  'cluster.max_shards_per_node': {
    isBad: (value) => Number(value) >= 5_000,
    severity: 'low',
    consequence: 'Nothing stops clients before so many shards use up the heap of the nodes.',
  },
  'indices.recovery.max_bytes_per_sec': {
    isBad: (value) => /^(?:[0-4](?:\.\d+)?mb|\d{1,9}(?:kb|b))$/i.test(value) && !/^0/.test(value),
    severity: 'low',
    consequence: 'A shard of 50 GB takes hours to recover, and has no replica meanwhile.',
  },
  'indices.breaker.total.limit': { isBad: isMostHeap, severity: 'medium', consequence: breakersOff },
  'indices.breaker.request.limit': { isBad: isMostHeap, severity: 'medium', consequence: breakersOff },
  'indices.breaker.fielddata.limit': { isBad: isMostHeap, severity: 'medium', consequence: breakersOff },
  'search.max_buckets': {
    isBad: (value) => Number(value) < 0 || Number(value) > 1_000_000,
    severity: 'medium',
    consequence: 'One aggregation can use up the heap of a node.',
  },
  'action.destructive_requires_name': {
    isBad: (value) => value === 'false',
    severity: 'low',
    consequence: 'One DELETE with a wildcard can delete every index.',
  },
};

/** Settings that were given: with some, the version decides what the default is. */
function judgeRouting({ values, given }: ClusterSettings): Finding[] {
  const set = [...new Map(given.map(([name, , how]) => [name, how]))];
  return set.flatMap(([name, how]): Finding[] => {
    const value = values.get(name) ?? '';
    const danger = dangers[name];
    const next = `PUT /_cluster/settings {"${how}":{"${name}":null}}`;
    if (danger?.isBad(value)) {
      return [{ severity: danger.severity, weight: 0, evidence: `${name} is ${value}`, consequence: danger.consequence, next }];
    }
    if (name.startsWith('logger.') && /^(?:trace|debug)$/i.test(value)) {
      const consequence = 'The nodes write very much to their logs, which takes time and fills the disk.';
      return [{ severity: 'medium', weight: 0, evidence: `${name} is ${value}`, consequence, next }];
    }
    const [, filter] = /^cluster\.routing\.allocation\.(exclude|include|require)\./.exec(name) ?? [];
    if (filter === undefined || value === '') return [];
    return [
      {
        severity: 'low',
        weight: 1,
        evidence: `${name} is ${short(value)}`,
        consequence: `Nodes that ${filter === 'exclude' ? 'match' : 'do not match'} get no shards, also those that will join later.`,
        next: `If they are gone or back for good: ${next}`,
      },
    ];
  });
}

function judgeShardLimit({ values }: ClusterSettings, health: unknown): Finding[] {
  const limit = readFigure(values.get('cluster.max_shards_per_node')) * figureAt(health, 'number_of_data_nodes');
  const count =
    figureAt(health, 'active_shards') + figureAt(health, 'unassigned_shards') + figureAt(health, 'initializing_shards');
  if (limit <= 0 || count < limitShares.medium * limit) return [];
  return [
    {
      severity: count >= limitShares.high * limit ? 'high' : 'medium',
      weight: count,
      evidence: `${count} of ${limit} shards are in use (cluster.max_shards_per_node is ${values.get('cluster.max_shards_per_node')})`,
      consequence: 'At the limit, no index can be created and no data stream can roll over.',
      next: 'diagnose check=tables shows where they are; delete or shrink indices, or add a node.',
    },
  ];
}

function judgeHeap(node: unknown): Finding[] {
  const name = readName(node);
  const heap = figureAt(node, 'jvm', 'mem', 'heap_max_in_bytes');
  const memory = figureAt(node, 'os', 'mem', 'total_in_bytes');
  const old = ratio(
    figureAt(node, 'jvm', 'mem', 'pools', 'old', 'used_in_bytes'),
    figureAt(node, 'jvm', 'mem', 'pools', 'old', 'max_in_bytes'),
  );
  const uptime = figureAt(node, 'jvm', 'uptime_in_millis');
  const collecting = ratio(figureAt(node, 'jvm', 'gc', 'collectors', 'old', 'collection_time_in_millis'), uptime);
  const counted = uptime >= minUptimeMs ? collecting : 0;
  const isFull = old >= heapShares.medium || counted >= collectionShares.medium;
  const isAlarming = old >= heapShares.high || counted >= collectionShares.high;
  return [
    ...(isFull
      ? [
          {
            severity: isAlarming ? ('high' as const) : ('medium' as const),
            weight: 1e6 * old,
            evidence: `the heap of node ${name} (${formatBytes(heap)}): ${formatShare(old)} of its old generation is used, and ${formatShare(collecting)} of the time went into collecting it`,
            consequence: 'The node pauses while it collects; circuit breakers refuse requests, and it may leave the cluster.',
            next: 'GET /_nodes/stats/breaker,indices?filter_path=nodes.*.breakers,nodes.*.indices.fielddata,nodes.*.indices.segments shows what takes it.',
          },
        ]
      : []),
    ...(heap > maxUsefulHeap || heap > maxHeapOfMemory * memory
      ? [
          {
            severity: 'low' as const,
            weight: 0,
            evidence: `the heap of node ${name} is ${formatBytes(heap)} of ${formatBytes(memory)} memory`,
            consequence:
              heap > maxUsefulHeap
                ? 'Above 32 GB, pointers are larger, so less fits.'
                : 'Little is left for the file cache, which searches read from.',
            next: 'Set -Xms and -Xmx to at most half of the memory and below 31 GB, in jvm.options of the node.',
          },
        ]
      : []),
  ];
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function judgeBreakers(node: unknown): Finding[] {
  return listEntries(valueAt(node, ['breakers'])).flatMap(([kind, breaker]): Finding[] => {
    const [tripped, limit, size] = ['tripped', 'limit_size_in_bytes', 'estimated_size_in_bytes'].map((key) =>
      figureAt(breaker, key),
    );
    const isNear = (size ?? 0) >= breakerShare * (limit ?? 0) && (limit ?? 0) > 0;
    if ((tripped ?? 0) === 0 && !isNear) return [];
    return [
      {
        severity: isNear ? 'high' : 'medium',
        weight: tripped ?? 0,
        evidence: `the circuit breaker ${kind} of node ${readName(node)} is at ${formatBytes(size ?? 0)} of ${formatBytes(limit ?? 0)}, and refused ${tripped} requests since the node started`,
        consequence: 'A refused request fails with status 429, so that the node does not run out of heap.',
        next: 'diagnose check=activity shows what runs; smaller aggregations and fewer buckets need less.',
      },
    ];
  });
}

function judgeContexts(node: unknown, settings: ClusterSettings | undefined): Finding[] {
  const limit = readFigure(settings?.values.get('search.max_open_scroll_context'));
  const open = figureAt(node, 'indices', 'search', 'open_contexts');
  if (limit <= 0 || open < limitShares.medium * limit) return [];
  return [
    {
      severity: 'medium',
      weight: open,
      evidence: `node ${readName(node)} keeps ${open} searches open, and ${limit} scrolls are the limit`,
      consequence: 'At the limit no scroll can be opened. Each keeps deleted documents and their files.',
      next: 'Clients should close what they open: DELETE /_search/scroll and DELETE /_pit; shorter keep_alive times help.',
    },
  ];
}

function judgeFiles(node: unknown): Finding[] {
  const open = figureAt(node, 'process', 'open_file_descriptors');
  const maxOpen = figureAt(node, 'process', 'max_file_descriptors');
  if (maxOpen <= 0 || open < limitShares.medium * maxOpen) return [];
  return [
    {
      severity: open >= limitShares.high * maxOpen ? 'high' : 'medium',
      weight: open,
      evidence: `node ${readName(node)} has ${open} of ${maxOpen} files open`,
      consequence: 'At the limit it can open no shard and accept no connection.',
      next: 'Raise the limit of the service (nofile 65535 or more); diagnose check=tables shows where many small shards are.',
    },
  ];
}

function judgeMasters(nodes: readonly unknown[]): Finding[] {
  const eligible = nodes.filter((node) => {
    const roles = valueAt(node, ['roles']);
    return Array.isArray(roles) && roles.some((role) => role === 'master' || role === 'cluster_manager');
  });
  if (eligible.length !== 2) return [];
  return [
    {
      severity: 'medium',
      weight: 0,
      evidence: `2 nodes can become master: ${eligible.map(readName).join(' and ')}`,
      consequence: 'When one of them fails, the other may not form a majority, and the cluster stops.',
      next: 'Add a third, which may be a small one that votes only: node.roles: [master, voting_only].',
    },
  ];
}
