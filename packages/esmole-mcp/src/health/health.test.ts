import { describe, expect, it } from 'vitest';
import { formatProblems, formatStatus } from './health-reply.ts';
import { type ClusterHealth, type Shard, shardProblems, unhealthyIndices } from './read-health.ts';

const shard = (index: string, more: Partial<Shard> = {}): Shard => ({
  index,
  label: index,
  shard: 0,
  isPrimary: false,
  state: 'unassigned',
  reason: 'NODE_LEFT',
  since: '2024-01-01T00:00:00Z',
  details: undefined,
  ...more,
});

const green = {
  cluster_name: 'c',
  status: 'green',
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_shards: 3,
  unassigned_shards: 0,
};

const healthOf = (health: object, shards: readonly Shard[] = [], explanation?: unknown): ClusterHealth => ({
  health: { ...green, ...health },
  problems: shardProblems(shards).map((problem, at) => ({ ...problem, explanation: at === 0 ? explanation : undefined })),
  pending: [],
  missing: [],
});

const node = (explanation: string, decider = 'disk_threshold') => ({
  deciders: [
    { decider, decision: 'NO', explanation },
    { decider: 'x', decision: 'YES', explanation: 'fine' },
  ],
});

describe('the health of a cluster', () => {
  it('formats a healthy cluster as one line', () => {
    expect(formatStatus(healthOf({}), undefined)).toBe('green: 1 node, 1 with data, 3 of 3 shards active.');
    expect(formatProblems(healthOf({}))).toBe('cluster: c');
  });

  it('counts missing shards, and says what could not be found out', () => {
    const wrong = { status: 'red', number_of_nodes: 3, unassigned_shards: 1, relocating_shards: 2, number_of_pending_tasks: 4 };
    expect(formatStatus({ ...healthOf(wrong), missing: ['It is secret.'] }, 'a')).toBe(
      'red (these indices only): 3 nodes, 1 with data, 3 of 4 shards active (75.0 %), 1 unassigned, 2 relocating, 4 pending tasks. It is secret.',
    );
  });

  it('names the affected indices with the reason', () => {
    const shards = [
      ...Array.from({ length: 40 }, (_, at) => shard(`logs-${at}`)),
      shard('orders', { isPrimary: true, reason: 'ALLOCATION_FAILED', details: 'no space' }),
      shard('orders'),
    ];
    const explanation = {
      node_allocation_decisions: [node('too full'), node('too full'), node('a copy is there [[a][0], node[x]]', 'same_shard')],
    };
    expect(formatProblems(healthOf({ status: 'red' }, shards, explanation)).split('\n')).toEqual([
      'cluster: c',
      'red (1): orders',
      'yellow (40): logs-* (40: logs-0 … logs-39)',
      'high: 1 unassigned primary, ALLOCATION_FAILED since 2024-01-01T00:00:00Z, such as orders[0]: no space; disk_threshold: too full (2 nodes)',
      expect.stringMatching(/^ {2}Searches of these indices /),
      '  Next: diagnose check=settings shows the disks; free some space on them, or add a node.',
      'medium: 41 unassigned replicas, NODE_LEFT since 2024-01-01T00:00:00Z, such as logs-0[0]',
      expect.stringMatching(/^ {2}When the node of the other copy fails, /),
      '  Next: Add a node, or keep no copy: PUT /logs-0/_settings {"index":{"number_of_replicas":0}}',
    ]);
  });

  it('advises to free a disk only where that would help', () => {
    const full = { decider: 'disk_threshold', decision: 'NO', explanation: 'too full' };
    const copy = { decider: 'same_shard', decision: 'NO', explanation: 'a copy is there' };
    const of = (...nodes: object[][]) =>
      formatProblems(
        healthOf({ status: 'yellow' }, [shard('a')], { node_allocation_decisions: nodes.map((deciders) => ({ deciders })) }),
      );
    expect(of([copy, full])).toContain('Next: Add a node, or keep no copy: PUT /a/_settings');
    expect(of([copy], [full])).toContain('Next: diagnose check=settings shows the disks');
  });

  it('explains a missing shard that no node explains', () => {
    const shards = [shard('a', { isPrimary: true })];
    const of = (explanation: unknown) =>
      formatProblems(healthOf({ status: 'red' }, shards, explanation))
        .split('\n')
        .find((line) => line.startsWith('high: '));
    expect(of({ allocate_explanation: 'no copy was found' })).toMatch(/such as a\[0\]: no copy was found$/);
    expect(of({ node_allocation_decisions: [{ store: { in_sync: false } }] })).toMatch(/: store: its copy is stale$/);
    for (const odd of [undefined, null, 3, {}, { node_allocation_decisions: [null, { deciders: 1 }] }])
      expect(of(odd)).toMatch(/such as a\[0\]$/);
  });

  it('shows pending tasks, and stays short whatever is wrong', () => {
    const pending = Array.from({ length: 900 }, () => ({ source: 'create-index [x]', priority: 'URGENT', time_in_queue: '1s' }));
    const text = formatProblems({ ...healthOf({}), pending });
    expect(text).toContain('pending tasks (900):\n  create-index [x] (URGENT, waiting 1s)');
    const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const shards = Array.from({ length: 3_000 }, (_, at) =>
      shard(letters(at), { reason: `R${at % 50}`, details: 'x'.repeat(1_000) }),
    );
    const long = formatProblems({ ...healthOf({ status: 'yellow' }, shards), pending });
    expect(long.length).toBeLessThan(6_000);
    expect(long).toContain('and 42 more kinds');
  });

  it('counts an index without a primary as red, not as yellow', () => {
    expect(unhealthyIndices([shard('a'), shard('a', { isPrimary: true }), shard('b')])).toEqual({ red: ['a'], yellow: ['b'] });
  });
});
