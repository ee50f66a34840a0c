import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RawNode } from '../guard/raw-node.ts';

/** Planted together with the others: requests, the first line of the finding, and what mends it where its step only shows more. */
export interface MoreDefect {
  check: string;
  plant: readonly Request[];
  found: RegExp;
  mend?: readonly Request[];
  /** Where it can be planted. */
  where?: RegExp;
}

type Request = readonly [method: string, path: string, body?: object | undefined];

export async function sendAll(node: RawNode, requests: readonly Request[]): Promise<void> {
  for (const [method, path, body] of requests) {
    const { status, text } = await node.send(method, path, body);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  }
}

const index = (name: string, settings: object = {}): Request => [
  'PUT',
  `/${name}?timeout=1s`,
  { settings: { number_of_shards: 1, number_of_replicas: 0, ...settings } },
];
const setting = (name: string, value: unknown): readonly Request[] => [
  ['PUT', '/_cluster/settings', { persistent: { [name]: value } }],
];

/** A folder for repositories, with one in it that cannot be read. The node may run as another user. */
export async function makeRepositories(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'esmole-repositories-'));
  await Promise.all(['broken', 'kept'].map((name) => mkdir(join(folder, name))));
  await writeFile(join(folder, 'broken', 'index-0'), 'not JSON');
  await chmod(join(folder, 'kept'), 0o777);
  await chmod(folder, 0o755);
  return folder;
}

const listed: readonly MoreDefect[] = [
  {
    check: 'tables',
    plant: [
      index('bad-roll-000001'),
      index('bad-roll-000002'),
      ['POST', '/_aliases', { actions: [{ add: { index: 'bad-roll-*', alias: 'bad-roll' } }] }],
    ],
    found: /^low: the alias bad-roll has no write index among its 2 indices: bad-roll-000001, bad-roll-000002$/m,
  },
  {
    check: 'tables',
    plant: [
      index('bad-single'),
      ['POST', '/_aliases', { actions: [{ add: { index: 'bad-single', alias: 'bad-one', is_write_index: false } }] }],
    ],
    found: /^medium: the alias bad-one has no write index among its index: bad-single$/m,
  },
  {
    check: 'tables',
    plant: [index('bad-piped', { 'index.default_pipeline': 'bad-gone' })],
    found: /^high: index\.default_pipeline is bad-gone for bad-piped, and there is no such pipeline$/m,
  },
  {
    check: 'tables',
    plant: [index('bad-deep', { 'index.max_result_window': 1_000_000 })],
    found: /^low: 1 index has index\.max_result_window above 100000: bad-deep$/m,
  },
  {
    check: 'tables',
    plant: [
      ['PUT', '/_template/bad-old', { index_patterns: ['bad-tpl-old*'] }],
      ['PUT', '/_index_template/bad-new', { index_patterns: ['bad-tpl*'], priority: 5, template: {} }],
    ],
    found:
      /^medium: the old template bad-old \(bad-tpl-old\*\) is never applied: the index template bad-new \(bad-tpl\*\) matches the same names$/m,
  },
  {
    check: 'tables',
    plant: [],
    found: /^low: 1 index template no index matches: bad-new$/m,
    mend: [['DELETE', '/_index_template/bad-new']],
  },
  {
    check: 'tables',
    plant: [['PUT', '/_component_template/bad-part', { template: {} }]],
    found: /^low: 1 component template no index template uses: bad-part$/m,
    mend: [['DELETE', '/_component_template/bad-part']],
  },
  {
    check: 'tables',
    plant: [
      index('bad-whole'),
      [
        'PUT',
        '/_index_template/bad-whole',
        { index_patterns: ['bad-whole'], composed_of: ['bad-missing'], ignore_missing_component_templates: ['bad-missing'] },
      ],
    ],
    found: /^medium: the index template bad-whole is composed of bad-missing, which does not exist$/m,
    mend: [['DELETE', '/_index_template/bad-whole']],
    where: /^elasticsearch[89]/,
  },
  {
    check: 'indexes',
    plant: [index('bad-lifted', { 'index.mapping.total_fields.limit': 50_000 })],
    found: /^low: bad-lifted may have 50000 fields, and has 0$/m,
  },
  {
    check: 'settings',
    plant: setting('cluster.routing.allocation.total_shards_per_node', 500),
    found: /^low: cluster\.routing\.allocation\.total_shards_per_node is 500$/m,
  },
  {
    check: 'settings',
    plant: setting('cluster.routing.allocation.node_concurrent_recoveries', 0),
    found: /^high: cluster\.routing\.allocation\.node_concurrent_recoveries is 0$/m,
  },
  {
    check: 'settings',
    plant: setting('indices.recovery.max_bytes_per_sec', '1mb'),
    found: /^low: indices\.recovery\.max_bytes_per_sec is 1mb$/m,
  },
  {
    check: 'settings',
    plant: setting('indices.breaker.request.limit', '99%'),
    found: /^medium: indices\.breaker\.request\.limit is 99%$/m,
  },
  {
    check: 'settings',
    plant: setting('search.max_buckets', 2_000_000),
    found: /^medium: search\.max_buckets is 2000000$/m,
  },
  {
    check: 'settings',
    plant: setting('cluster.max_shards_per_node', 20_000),
    found: /^low: cluster\.max_shards_per_node is 20000$/m,
  },
];

export const listMoreDefects = (repositories: string): readonly MoreDefect[] => [
  ...listed,
  {
    check: 'tables',
    plant: [
      [
        'PUT',
        '/_snapshot/bad-broken?verify=false',
        { type: 'fs', settings: { location: join(repositories, 'broken'), readonly: true } },
      ],
    ],
    found: /^high: the snapshot repository bad-broken cannot be read: /m,
    mend: [['DELETE', '/_snapshot/bad-broken']],
  },
  {
    check: 'tables',
    plant: [
      index('bad-lost', { 'index.routing.allocation.require._name': 'nowhere' }),
      ['PUT', '/_snapshot/bad-kept?verify=false', { type: 'fs', settings: { location: join(repositories, 'kept') } }],
      [
        'PUT',
        '/_snapshot/bad-kept/bad-night?wait_for_completion=true',
        { indices: 'bad-lost', partial: true, include_global_state: false },
      ],
    ],
    found: /^(?:medium|high): the last snapshot in the repository bad-kept, bad-night, is (?:PARTIAL|FAILED)$/m,
    mend: [['DELETE', '/_snapshot/bad-kept']],
  },
];
