import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { TestClient } from '@dbmole/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeNode, startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const root = '{"version":{"number":"9.1.0","build_flavor":"default"},"tagline":"You Know, for Search"}';
const head = '"took":1,"timed_out":false,"_shards":{"total":2,"failed":1}';
const total = '"total":{"value":70,"relation":"gte"}';
const hit = (id: number, source: object, sort: unknown[] = [id]) =>
  JSON.stringify({ _index: 'a', _id: String(id), _source: source, sort });

describe('a search whose answer is very long', () => {
  let node: FakeNode;
  let tools: TestClient;
  let answer: () => Iterable<string>;
  let sent = 0;

  const send = (response: ServerResponse) => {
    const counted = function* () {
      for (const part of answer()) {
        sent += part.length;
        yield part;
      }
    };
    Readable.from(counted(), { objectMode: false, highWaterMark: 64 * 1024 })
      .on('error', () => undefined)
      .pipe(response);
  };

  beforeEach(async () => {
    sent = 0;
    node = await startNode({
      answer: (response, { url = '' }) => {
        response.setHeader('content-type', 'application/json').setHeader('x-elastic-product', 'Elasticsearch');
        if (url.includes('_search')) send(response);
        else response.end(root);
      },
    });
    tools = await openTools({ scheme: 'http', host: node.host, port: node.port });
  });
  afterEach(async () => {
    await tools.close();
    await node.close();
  });

  /** Rows of ten characters, so many megabytes of them, and what comes behind. */
  const rows = (megabytes: number, before: string, behind = '') =>
    function* () {
      yield `{${before}"hits":[${hit(0, { n: 'LARGE' })}`.replace('"LARGE"', '9007199254740993');
      const block = Array.from({ length: 1_000 }, (_, id) => `,${hit(id + 1, { n: id })}`).join('');
      for (let length = 0; length < megabytes * 1024 * 1024; length += block.length) yield block;
      yield `]}${behind}}`;
    };
  const search = async (args: object = {}) => (await tools.call('es_search', { index: 'a', size: 10_000, ...args })).text;

  it('stops reading a search when its summary is known', async () => {
    answer = rows(60, `${head},"hits":{${total},`);
    const text = await search({ sort: ['n'] });
    const [line, , first] = text.split('\n');
    const shown = Number(/^Hits 1-(\d+) of at least 70 in a, 1 ms, cut at 32000 characters/.exec(line ?? '')?.[1]);
    expect(shown).toBeGreaterThan(1_000);
    expect(text.split('\n').length - 2).toBe(shown);
    expect(line).toContain(`more: same call with cursor=`);
    expect(line).toContain('1 of 2 shards failed');
    expect(first).toBe('0,9007199254740993');
    expect(sent).toBeLessThan(10 * 1024 * 1024);
    // What was left ends with its connection, and the next call has another one.
    await vi.waitFor(() => expect(node.closed).toBeGreaterThan(0), 5_000);
    expect(await search()).toContain('more: same call with cursor=');
  });

  it.each([
    [
      'for its aggregations',
      { aggs: { s: { sum: { field: 'n' } } } },
      `${head},"hits":{${total},`,
      ',"aggregations":{"s":{"value":7}}',
    ],
    ['for a total that comes last', {}, `"hits":{${total},`, `,${head}`],
  ])('is read to its end %s', async (_why, args, before, behind) => {
    answer = rows(12, before, behind);
    const text = await search(args);
    expect(text).toMatch(/^Hits 1-\d+ of at least 70/);
    expect(text).toContain('1 of 2 shards failed');
    if ('aggs' in args) expect(text).toContain('s: 7');
    expect(sent).toBeGreaterThan(12 * 1024 * 1024);
    expect(node.closed).toBe(0);
  });

  it('takes little memory for a long search', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const parts = rows(100, `${head},"hits":{${total},`, ',"aggregations":{"s":{"value":7}}');
    answer = function* () {
      for (const part of parts()) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        yield part;
      }
    };
    expect(await search({ aggs: { s: { sum: { field: 'n' } } } })).toContain('s: 7');
    expect(most).toBeLessThan(32 * 1024 * 1024);
  });

  it('says how to read on when hits are too large to be kept', async () => {
    const tags = Array.from({ length: 5_000 }, (_, id) => `tag ${id}`);
    answer = () => [
      `{${head},"hits":{${total},"hits":[`,
      Array.from({ length: 20 }, (_, id) => hit(id, { tags })).join(','),
      ']}}',
    ];
    const line = (await search({ size: 20 })).split('\n')[0] ?? '';
    const next = /^Hits 1-(\d+) of .*the others were not kept; more: same call with cursor=\w+\.(\d+)/.exec(line);
    expect(next?.[1]).toBe(next?.[2]);
    expect(Number(next?.[1])).toBeGreaterThan(3);
  });

  it('never offers half a sort value', async () => {
    const long = 'x'.repeat(30_000);
    answer = () => [
      `{${head},"hits":{${total},"hits":[`,
      Array.from({ length: 20 }, (_, id) => hit(id, {}, [long])).join(','),
      ']}}',
    ];
    const text = await search({ size: 20, sort: ['long'], search_after: ['w'] });
    expect(text).toContain('more: only with a sort by a unique field of short values, and search_after.');
    expect(text).not.toContain('xxx');
  });
});
