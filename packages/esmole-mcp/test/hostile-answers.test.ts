import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import type { TestClient } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeNode, startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const root = '{"version":{"number":"9.1.0","build_flavor":"default"},"tagline":"You Know, for Search"}';
const health = '{"cluster_name":"c","status":"red","active_shards":1,"unassigned_shards":9}';
const spaces = ' '.repeat(1_100_000);
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

interface Case {
  title: string;
  tool: string;
  args?: object;
  /** The part of the path that is answered so. */
  path: string;
  answer: () => Iterable<string>;
  expected: RegExp;
}

function* repeat(part: string, count: number): Generator<string> {
  for (let at = 0; at < count; at += 1_000) yield part.repeat(Math.min(1_000, count - at));
}

const nest = (levels: number, open: string, inner: string, close: string) =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
const found = (source: string) => `{"took":1,"hits":{"total":1,"hits":[{"_id":"1","_source":${source}}]}}`;
const aggregated = (aggregations: string) => `{"took":1,"hits":{"total":1,"hits":[]},"aggregations":${aggregations}}`;
const search = { tool: 'es_search', args: { index: 'a' }, path: '_search' };
const aggregate = { ...search, args: { index: 'a', aggs: { a: { terms: { field: 'a' } } } } };
const list = { tool: 'es_list_indices', path: '_cat/indices' };
const mapping = { tool: 'es_get_mapping', args: { index: 'a' }, path: '_mapping' };
const shards = { tool: 'es_cluster_health', path: '_cat/shards' };

const cases: Case[] = [
  {
    ...search,
    title: 'a number without an end',
    answer: () => [`{"a":${spaces}`, ...repeat('1', 9_000_000)],
    expected: /number or word/,
  },
  {
    ...search,
    title: 'a word without an end',
    answer: () => [`{"a":${spaces}`, ...repeat('a', 9_000_000)],
    expected: /number or word/,
  },
  {
    ...search,
    title: 'a search nested 50,000 deep',
    answer: () => [nest(50_000, '[', '', ']')],
    expected: /more than 1000 levels/,
  },
  { ...search, title: 'a text that is not JSON', answer: () => ['<html>'], expected: /it is not JSON/ },
  {
    ...search,
    title: 'a document with a field at each of 900 levels',
    answer: () => [found(nest(900, `{"x":1,"${'k'.repeat(200)}":`, '1', '}'))],
    expected: /^Hit 1 of 1/,
  },
  {
    ...search,
    title: 'a document with many fields below a long name',
    answer: () => [found(`{"${'k'.repeat(4_000)}":{${times(30_000, (at) => `"${at}":1`).join(',')}}}`)],
    expected: /^Hit 1 of 1/,
  },
  {
    ...aggregate,
    title: 'aggregations with a number at each of 900 levels',
    answer: () => [aggregated(nest(900, `{"doc_count":1,"${'k'.repeat(2_000)}":`, '1', '}'))],
    expected: /^No hits|^Total|docs=1/,
  },
  {
    ...aggregate,
    title: 'many aggregations below a long name',
    answer: () => [aggregated(`{"${'k'.repeat(4_000)}":{${times(40_000, (at) => `"${at}":{"value":1}`).join(',')}}}`)],
    expected: /agg_offset=\d+/,
  },
  {
    ...aggregate,
    title: 'buckets inside of buckets with a key of many parts',
    answer: () => [
      aggregated(
        `{"a":{"buckets":[{"key":{${times(20_000, (at) => `"${at}":1`).join(',')}},"doc_count":1,"b":{"buckets":[${times(20_000, () => '{"key":1,"doc_count":1}').join(',')}]}}]}}`,
      ),
    ],
    expected: /20000|more rows/i,
  },
  {
    ...aggregate,
    title: 'buckets nested 240 deep, many at the end',
    answer: () => [
      aggregated(
        nest(
          240,
          '{"a":{"buckets":[{"key":1,"doc_count":1,"b":1,"n":',
          `{"a":{"buckets":[${times(20_000, () => '{"key":1}').join(',')}]}}`,
          '}]}}',
        ),
      ),
    ],
    expected: /docs/,
  },
  {
    ...aggregate,
    title: 'buckets that have no column in common',
    answer: () => [
      aggregated(`{"a":{"buckets":[${times(20_000, (at) => `{"key":${at},"doc_count":1,"m${at}":{"value":1}}`).join(',')}]}}`),
    ],
    expected: /agg_offset=\d+/,
  },
  {
    ...list,
    title: 'names of 105,000 characters',
    answer: () => [JSON.stringify(times(8, (at) => ({ index: `.ds-${'-123456'.repeat(15_000)}${at}`, health: 'green' })))],
    expected: /8 indices/,
  },
  {
    ...list,
    title: '100,000 indices of one data stream',
    answer: () => [`[${times(100_000, (at) => `{"index":".ds-a-${String(at).padStart(6, '0')}"}`).join(',')}]`],
    expected: /25000 indices, 1 data stream.*too long to read completely/,
  },
  {
    ...list,
    title: 'a list of 3,000,000 empty objects',
    answer: () => ['[', ...repeat('{},', 3_000_000), '{}]'],
    expected: /too long to read completely/,
  },
  {
    ...mapping,
    title: 'a mapping nested 20,000 deep',
    answer: () => [nest(20_000, '{"a":', '1', '}')],
    expected: /more than 1000 levels/,
  },
  {
    ...mapping,
    title: 'a mapping with a name of 16,000 characters at each of 490 levels',
    answer: () => [
      `{"a":{"mappings":${nest(490, `{"dynamic":"strict","properties":{"${'k'.repeat(16_000)}":`, '{"type":"long"}', '}}')}}}`,
    ],
    expected: /field names have more than/,
  },
  {
    ...mapping,
    title: '200,000 fields below a long name',
    answer: () => [
      `{"a":{"mappings":{"properties":{"${'k'.repeat(16_000)}":{"properties":{`,
      ...times(200, (part) => times(1_000, (at) => `"${part}-${at}":{},`).join('')),
      '"z":{}}}}}}}',
    ],
    expected: /field names have more than/,
  },
  {
    ...shards,
    title: '200,000 missing shards',
    answer: () => ['[', ...repeat('{"state":"UNASSIGNED","index":"a"},', 200_000), '{}]'],
    expected: /200000 unassigned replicas|unassigned replicas/,
  },
];

describe('an answer that is made to do harm', () => {
  let node: FakeNode;
  let tools: TestClient;
  let current: Case | undefined;

  const send = ({ answer }: Case, response: ServerResponse) =>
    Readable.from(answer(), { objectMode: false, highWaterMark: 64 * 1024 })
      .on('error', () => undefined)
      .pipe(response);

  beforeAll(async () => {
    node = await startNode({
      answer: (response, { url = '' }) => {
        response.setHeader('content-type', 'application/json').setHeader('x-elastic-product', 'Elasticsearch');
        if (current !== undefined && url.includes(current.path)) send(current, response);
        else response.end(url.includes('_cluster/health') ? health : root);
      },
    });
    tools = await openTools({ scheme: 'http', host: node.host, port: node.port });
  });
  afterAll(async () => {
    await tools.close();
    await node.close();
  });

  it.each(cases)('answers in time and without blocking: $title', async (one) => {
    current = { ...one, answer: () => parts };
    const parts = [...one.answer()];
    await tools.call('list_connections', {});
    const delay = monitorEventLoopDelay({ resolution: 10 });
    const before = process.memoryUsage().rss;
    const started = performance.now();
    delay.enable();
    const { text } = await tools.call(one.tool, { ...one.args });
    delay.disable();
    expect(text).toMatch(one.expected);
    expect(text).not.toContain('E_INTERNAL');
    expect(text.length).toBeLessThan(40_000);
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(delay.max / 1e6).toBeLessThan(1_500);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });
});
