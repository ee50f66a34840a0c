import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRawNode, type RawNode } from '../guard/raw-node.ts';
import { openCluster } from '../open-cluster.ts';
import { openTools } from '../open-tools.ts';
import { fillSlowIndex, slowSearch } from '../slow-search.ts';
import { defects } from './defects.ts';
import { listMoreDefects, makeRepositories, sendAll } from './more-defects.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];
const checks = ['cluster', 'activity', 'locks', 'slow_queries', 'indexes', 'tables', 'settings', 'privileges'];

/** The disk of the machine may be full, which is not what is tested. */
const settings = {
  'cluster.routing.allocation.disk.threshold_enabled': 'true',
  'cluster.routing.allocation.disk.watermark.low': '3mb',
  'cluster.routing.allocation.disk.watermark.high': '2mb',
  'cluster.routing.allocation.disk.watermark.flood_stage': '1mb',
  'path.repo': tmpdir(),
  'thread_pool.analyze.queue_size': '1',
};

describe.each(engines)('diagnose on %s', (id) => {
  const engine = useEngine(id, { settings });
  let node: RawNode;
  let tools: TestClient;
  const diagnose = async (args: Record<string, unknown> = {}) => (await tools.call('diagnose', args)).text;
  const inspect = async (check: string) => (await diagnose({ check })).split('\nListed:')[0] ?? '';

  beforeAll(async () => {
    node = createRawNode(engine());
    tools = await openTools(engine());
  });
  afterAll(async () => {
    node.dispose();
    await tools.close();
  });

  it('has no finding on a fresh node', async () => {
    const text = await diagnose();
    expect(text).toMatch(/^No check found anything\./);
    for (const check of checks) {
      expect(text).toContain(`\n${check}: ok`);
      expect(await diagnose({ check })).toMatch(new RegExp(`^${check}: No findings\\.`));
    }
  });

  it('has no finding on a node that is used as it should be', async () => {
    await node.send('PUT', '/shop', { settings: { number_of_replicas: 0 } });
    const lines = Array.from({ length: 50 }, (_, at) => `{"index":{}}\n{"name":"customer ${at}","total":${at}}\n`);
    await node.send('POST', '/shop/_bulk?refresh=true', lines.join(''), 'application/x-ndjson');
    for (let at = 0; at < 20; at += 1) await node.send('GET', `/shop/_search?q=name:${at}`);
    expect(await diagnose()).toMatch(/^No check found anything\./);
    expect(await diagnose({ check: 'tables' })).toMatch(/Listed:\n {2}shop: [\d.]+ KB, 50 docs, 1 shard, no replica/);
    expect(await diagnose({ check: 'slow_queries' })).toMatch(/Listed:\n {2}shop: .*20 queries/);
  });

  describe('with a planted defect', () => {
    beforeAll(async () => {
      const { host, port } = engine();
      const backend = await openCluster({ host, port });
      await fillSlowIndex(backend, 'slow');
      await backend.dispose();
    }, 120_000);

    it('finds what has been running for long', async () => {
      const lines = `{}\n${JSON.stringify(slowSearch())}\n`.repeat(60);
      const searching = node.send('POST', '/slow/_msearch?max_concurrent_searches=1', lines, 'application/x-ndjson');
      searching.catch(() => undefined);
      await vi.waitFor(async () => expect(await inspect('activity')).toMatch(/^medium: task /m), {
        timeout: 60_000,
        interval: 500,
      });
      const text = await inspect('activity');
      expect(text.split('\n')[1]).toMatch(
        /^medium: task [\w-]+:\d+ \(read\/msearch\) has been running for \d+ s: (?:requests\[60\]: )?indices\[slow\]/,
      );
      const [show, cancel] = readStep(text, /^medium: task .*$/m).requests;
      expect((await node.send('GET', show?.path ?? '')).text).toContain('msearch');
      expect((await node.send('POST', cancel?.path ?? '')).status).toBe(200);
      await searching;
      // The part that runs on the shard ends a little later.
      await vi.waitFor(async () => expect(await inspect('activity')).toMatch(/^activity: No findings/), {
        timeout: 40_000,
        interval: 200,
      });
    }, 90_000);

    for (const { name, check, plant, found, mend } of defects.filter(({ only = '' }) => id.startsWith(only))) {
      it(`finds ${name}, and names a step that works`, async () => {
        await plant(node);
        const [text, overview] = await Promise.all([inspect(check), diagnose()]);
        const findings = text.split('\n').filter((line) => /^(?:high|medium|low): /.test(line));
        expect(findings.slice(0, 3).join('\n'), text).toMatch(found);
        expect(overview).toMatch(new RegExp(`^${check}: (?:high|medium|low): `, 'm'));
        const step = readStep(text, found);
        for (const { method, path, body } of step.requests) {
          const reply = await node.send(method, path, body);
          expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300);
        }
        for (const one of step.checks) expect(await diagnose({ check: one })).toMatch(new RegExp(`^${one}: `));
        expect(step.requests.length + step.checks.length + Number(mend !== undefined), step.text).toBeGreaterThan(0);
        await mend?.(node);
        await vi.waitFor(async () => expect(await inspect(check)).not.toMatch(found), { timeout: 20_000, interval: 200 });
        await deleteBad();
      }, 60_000);
    }

    it('finds what is planted together, with steps that work', async () => {
      const repositories = await makeRepositories();
      try {
        const more = listMoreDefects(repositories).filter(({ where = /^/ }) => where.test(id));
        await sendAll(
          node,
          more.flatMap(({ plant }) => plant),
        );
        const named = [...new Set(more.map(({ check }) => check))];
        const read = async () => new Map(await Promise.all(named.map(async (check) => [check, await inspect(check)] as const)));
        const texts = await read();
        for (const { check, found } of more) expect(texts.get(check)).toMatch(found);
        for (const { check, found, mend } of more) {
          const { requests, text } = readStep(texts.get(check) ?? '', found);
          expect(requests.length, text).toBeGreaterThan(0);
          await sendAll(node, mend ?? requests.map(({ method, path, body }) => [method, path, body] as const));
        }
        const after = await read();
        for (const { check, found } of more) expect(after.get(check)).not.toMatch(found);
        await deleteBad();
      } finally {
        await rm(repositories, { recursive: true, force: true });
      }
    });

    it('finds a thread pool that has refused requests', async () => {
      const text = 'word '.repeat(40_000);
      await vi.waitFor(
        async () => {
          await Promise.all(Array.from({ length: 8 }, () => node.send('POST', '/_analyze', { analyzer: 'simple', text })));
          expect(await inspect('activity')).toMatch(/^low: the thread pool analyze of node n1 has rejected \d+ requests since /m);
        },
        { timeout: 60_000, interval: 200 },
      );
    });

    async function deleteBad(): Promise<void> {
      for (const { index } of JSON.parse((await node.send('GET', '/_cat/indices/bad-*?format=json&h=index')).text))
        await node.send('DELETE', `/${index}`);
    }
  });

  it('names nothing outside of the indices of the connection', async () => {
    const blocked = { settings: { number_of_replicas: 1, 'index.blocks.read_only': true } };
    for (const name of ['/mine', '/theirs', '/.theirs-hidden']) await node.send('PUT', name, blocked);
    const narrow = await openTools(engine(), { indices: ['mine*'] });
    try {
      const texts = await Promise.all(
        [undefined, ...checks].map(async (check) => (await narrow.call('diagnose', check === undefined ? {} : { check })).text),
      );
      expect(texts.join('\n')).not.toContain('theirs');
      expect(texts[0]).toContain('locks: medium: 1 index is read-only (index.blocks.read_only): mine');
      expect(texts[0]).toContain(
        'activity: not available: it covers all indices, and this connection may read only some. A person can remove `indices` from the connection.',
      );
      expect(texts[0]).not.toContain('failed');
      const all = await Promise.all(checks.map((check) => diagnose({ check })));
      expect(all.join('\n')).toContain('theirs');
      expect(all.join('\n')).not.toContain('theirs-hidden');
    } finally {
      await narrow.close();
      for (const name of ['/mine', '/theirs', '/.theirs-hidden']) {
        await node.send('PUT', `${name}/_settings`, { 'index.blocks.read_only': null });
        await node.send('DELETE', name);
      }
    }
  });

  it('limits the checks to indices, and offers names for one that does not exist', async () => {
    await node.send('PUT', '/closed-one', { settings: { number_of_replicas: 0 } });
    await node.send('POST', '/closed-one/_close');
    expect(await diagnose({ check: 'locks', index: 'closed-one' })).toContain('closed-one');
    expect(await diagnose({ check: 'locks', index: 'shop' })).toMatch(/^locks: No findings/);
    const { structured } = await tools.call('diagnose', { index: 'shopp' });
    expect(structured).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: expect.arrayContaining(['shop']) });
    const pattern = await tools.call('diagnose', { index: 'none-*' });
    expect(pattern.structured).toMatchObject({ code: 'E_UNKNOWN_INDEX' });
    await node.send('DELETE', '/closed-one');
  });
});

interface Step {
  text: string;
  requests: readonly { method: string; path: string; body: object | undefined }[];
  checks: readonly string[];
}

/** What the step of a finding names: requests with their bodies, and checks. */
function readStep(text: string, found: RegExp): Step {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => found.test(line));
  const next = lines[at + 2] ?? '';
  const requests = [...next.matchAll(/\b(GET|PUT|POST|DELETE) (\/[^\s;,]*[^\s;,.])/g)].map((match) => {
    const rest = next.slice(match.index + match[0].length);
    return { method: match[1] ?? '', path: match[2] ?? '', body: readBody(rest) };
  });
  const named = [...next.matchAll(/diagnose check=(\w+)/g)].map(([, name = '']) => name);
  return { text: next, requests, checks: named };
}

/** The JSON that a text begins with. */
function readBody(text: string): object | undefined {
  if (!text.startsWith(' {')) return undefined;
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return JSON.parse(text.slice(1, end + 1));
    } catch {
      // The last brace is not there yet.
    }
  }
  return undefined;
}
