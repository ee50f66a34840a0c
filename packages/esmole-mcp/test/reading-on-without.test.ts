import type { TestClient } from '@dbmole/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeNode, startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const total = 10_030;

/** A cluster of documents with the numbers from 0 on, of which all have the same sort value. */
function answerSearch(text: string): unknown {
  const { from = 0, size = 10 }: { from?: number; size?: number } = JSON.parse(text);
  if (from + size > 10_000)
    return { error: { type: 'illegal_argument_exception', reason: 'Result window is too large' }, status: 400 };
  const count = Math.max(0, Math.min(size, total - from));
  const hits = Array.from({ length: count }, (_, at) => ({
    _index: 'a',
    _id: String(from + at),
    _source: { event_id: from + at, tag: 'x' },
    sort: [7],
  }));
  return { took: 1, timed_out: false, _shards: { total: 1, failed: 0 }, hits: { total: { value: total, relation: 'eq' }, hits } };
}

describe('reading on without a point in time', () => {
  let node: FakeNode;
  let tools: TestClient;
  const open = async (version: string, pit: [status: number, json: unknown]) => {
    node = await startNode({
      answer: (response, { url = '', body }) => {
        const root = { version: { number: version, build_flavor: 'default' }, tagline: 'You Know, for Search' };
        const json = url.includes('_search') ? answerSearch(body) : url.includes('_pit') ? pit[1] : root;
        response.statusCode = url.includes('_pit') ? pit[0] : 200;
        response
          .setHeader('content-type', 'application/json')
          .setHeader('x-elastic-product', 'Elasticsearch')
          .end(JSON.stringify(json));
      },
    });
    tools = await openTools({ scheme: 'http', host: node.host, port: node.port });
  };
  const line = async (args: object) => (await tools.call('es_search', { index: 'a', ...args })).text.split('\n')[0];
  afterEach(async () => {
    await tools.close();
    await node.close();
  });

  it('continues by offset on a version without points in time, and explains it', async () => {
    await open('7.5.0', [404, {}]);
    const first = await line({ sort: ['tag'] });
    expect(first).toContain(
      'more: same call with from=10 (without a point in time, as this version has none: documents that change',
    );
    expect(await line({ sort: ['tag'], from: 9_900, size: 1_000 })).toMatch(
      /^Hits 9901-10000 of 10030 .*more: same call with search_after=\[7\], which skips documents with equal sort values: add a unique field to sort, such as event_id\./,
    );
    expect(await line({ from: 9_900, size: 1_000 })).toContain('more: only with a sort by a unique field');
    expect(node.seen.some(({ url }) => url?.includes('_pit'))).toBe(false);
  });

  it('says why the cluster opens no point in time', async () => {
    await open('8.19.0', [403, { error: { type: 'security_exception', reason: 'not for you' }, status: 403 }]);
    const cursor = /cursor=([\w.]+)\./.exec((await line({})) ?? '')?.[1];
    const second = await line({ cursor });
    expect(second).toMatch(/^Hits 11-20 of 10030 .*same call with from=20 \(without a point in time, as .*not for you/);
  });

  it('opens no point in time for a single page', async () => {
    await open('8.19.0', [200, { id: 'x'.repeat(40) }]);
    expect(await line({ from: 9_999, size: 1, query: { match_all: {} } })).toContain('Hit 10000 of 10030');
    expect(node.seen.some(({ url }) => url?.includes('_pit'))).toBe(false);
  });
});
