import { Readable } from 'node:stream';
import { describeBlocking, type HeavyCall } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { bin } from './bin.ts';
import { type FakeNode, startNode } from './fake-node.ts';

const root = '{"version":{"number":"9.1.0","build_flavor":"default"},"tagline":"You Know, for Search"}';
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const list = (count: number, make: (at: number) => string) => `[${times(count, make).join(',')}]`;
const fields = (count: number, make: (at: number) => string) => `{${times(count, make).join(',')}}`;

const found = (source: string) => `{"took":1,"hits":{"total":1,"hits":[{"_id":"1","_source":${source}}]}}`;
const hits = (count: number, source: (at: number) => string) =>
  `{"took":1,"hits":{"total":{"value":${count},"relation":"eq"},"hits":${list(count, (at) => `{"_index":"a","_id":"${at}","_score":1,"_source":${source(at)}}`)}}}`;
const mapping = (name: string, count: number) =>
  `"${name}":{"mappings":{"properties":${fields(count, (at) => `"${name}_${at}":{"type":"long"}`)}}}`;

const caps = `{"fields":${fields(24_000, (at) => `"f_${at}":{"long":{"type":"long"}}`)}}`;
const aggregations = (text: string) => `{"took":1,"hits":{"total":1,"hits":[]},"aggregations":${text}}`;
const bucket = (at: number) => `{"key":${at},"doc_count":1}`;

describe('a heavy call on Elasticsearch', () => {
  let node: FakeNode;
  let current = '{}';

  const answer = (text: () => string) => () => {
    current = text();
  };
  const search = (title: string, text: () => string): HeavyCall => ({
    title,
    tool: 'es_search',
    args: () => ({ index: 'a' }),
    expected: /^Hits? 1/,
    before: answer(text),
  });
  const aggregate = (title: string, text: () => string): HeavyCall => ({
    title,
    tool: 'es_search',
    args: () => ({ index: 'a', aggs: { a: { terms: { field: 'a' } } } }),
    expected: /agg_offset|no room|too long/,
    before: answer(() => aggregations(text())),
  });
  const request = (title: string, body: () => unknown, expected: RegExp): HeavyCall => ({
    title,
    tool: 'es_request',
    args: () => ({ method: 'POST', path: 'a/_search', body: body() }),
    expected,
    before: answer(() => hits(1, () => '{}')),
  });

  beforeAll(async () => {
    node = await startNode({
      answer: (response, { url = '' }) => {
        response.setHeader('content-type', 'application/json').setHeader('x-elastic-product', 'Elasticsearch');
        const text = url.includes('_field_caps') ? caps : /_search|_cat|_mapping|_stats|_health/.test(url) ? current : root;
        // In pieces, as it comes over a network.
        Readable.from(pieces(Buffer.from(text)), { objectMode: false })
          .on('error', () => undefined)
          .pipe(response);
      },
    });
  });
  afterAll(() => node.close());

  describeBlocking(() => {
    const connection = { name: 'main', type: 'elasticsearch', scheme: 'http', host: node.host, port: node.port, auth: 'none' };
    return { file: bin, env: { ESMOLE_CONNECTIONS: JSON.stringify([connection]) } };
  }, [
    search('a document of 20 MB of escapes', () => found(`{"a":"${'\\"'.repeat(10_000_000)}"}`)),
    search('a document of 90,000 numbers', () => found(`{"a":${list(90_000, String)}}`)),
    search('a document of 480,000 numbers', () => found(`{"a":${list(480_000, () => '1')}}`)),
    search('a document of 4 MB of empty objects', () => found(`{"a":${list(1_400_000, () => '{}')}}`)),
    search('a document of 24,000 fields', () => found(fields(24_000, (at) => `"f${at}":${at}`))),
    search('10,000 small hits', () => hits(10_000, (at) => `{"a${at % 100}":${at},"b":"x"}`)),
    search('30,000 hits of 100 characters', () => hits(30_000, () => `{"a":"${'x'.repeat(100)}"}`)),
    aggregate(
      '10,000 buckets with a metric',
      () => `{"a":{"buckets":${list(10_000, (at) => `{"key":${at},"doc_count":1,"m":{"value":1}}`)}}}`,
    ),
    aggregate('24,000 buckets', () => `{"a":{"buckets":${list(24_000, bucket)}}}`),
    aggregate('150 tables of 150 buckets', () => fields(150, (at) => `"a${at}":{"buckets":${list(150, bucket)}}`)),
    aggregate(
      '80 times 100 buckets with a wide row each',
      () =>
        `{"a":{"buckets":${list(80, (at) => `{"key":${at},"doc_count":1,"b":{"buckets":${list(100, (inner) => `{"key":${inner},"doc_count":1,"m":{"value":2}}`)}}}`)}}}`,
    ),
    aggregate('60,000 aggregations at the top', () => fields(60_000, (at) => `"a${at}":{"value":${at}}`)),
    aggregate(
      '40,000 aggregations under a long name',
      () => `{"${'n'.repeat(900)}":{"doc_count":1,${times(40_000, (at) => `"a${at}":{"value":1}`).join(',')}}}`,
    ),
    aggregate(
      '20,000 tables under a long name',
      () => `{"${'n'.repeat(900)}":{"doc_count":1,${times(20_000, (at) => `"a${at}":{"buckets":[${bucket(at)}]}`).join(',')}}}`,
    ),
    {
      title: '20,000 indices',
      tool: 'es_list_indices',
      args: () => ({}),
      expected: /20000 indices/,
      before: answer(() =>
        list(20_000, (at) => `{"index":"x${at}","health":"green","status":"open","docs.count":"1","store.size":"1"}`),
      ),
    },
    {
      title: 'a mapping of 15,000 fields',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a' }),
      expected: /of 15000/,
      before: answer(() => `{${mapping('a', 15_000)}}`),
    },
    {
      title: 'a mapping of 24,900 fields',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a' }),
      expected: /of 24900/,
      before: answer(() => `{${mapping('a', 24_900)}}`),
    },
    {
      title: 'one of 24,900 fields',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a', fields: '*_24899*' }),
      expected: /^1 field/,
      before: answer(() => `{${mapping('a', 24_900)}}`),
    },
    {
      title: 'a name like none of 24,900 fields',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a', fields: 'b_24899' }),
      expected: /^E_UNKNOWN_FIELD/,
      before: answer(() => `{${mapping('a', 24_900)}}`),
    },
    {
      title: '3,000 mappings of which each is different',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a*' }),
      expected: /of 24000/,
      before: answer(() => `{${times(3_000, (at) => mapping(`a${at}`, 8)).join(',')}}`),
    },
    {
      title: 'a conflict in each of 10,000 fields',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a*' }),
      expected: /differs between indices/,
      before: answer(
        () =>
          `{${times(10, (at) => `"a${at}":{"mappings":{"properties":${fields(10_000, (no) => `"f${no}":{"type":"t${at}"}`)}}}`).join(',')}}`,
      ),
    },
    {
      title: '80 unknown fields beside 24,000 known ones',
      tool: 'es_search',
      args: () => ({ index: 'a', query: { bool: { filter: times(80, (at) => ({ term: { [`fx_${at}*`]: 1 } })) } } }),
      expected: /No mapped field/,
      before: answer(() => '{"took":1,"hits":{"total":0,"hits":[]}}'),
    },
    {
      title: 'the health of 15,000 indices',
      tool: 'es_cluster_health',
      args: () => ({}),
      expected: /./,
      before: answer(
        () =>
          `{"cluster_name":"c","status":"red","indices":${fields(15_000, (at) => `"i${at}":{"status":"red","unassigned_shards":1}`)}}`,
      ),
    },
    {
      title: '3,000 mappings with conflicts',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a*' }),
      expected: /differs between indices/,
      before: answer(
        () =>
          `{${times(3_000, (at) => `"a${at}":{"mappings":{"properties":${fields(8, (no) => `"f${no}":{"type":"t${at % 50}"}`)}}}`).join(',')}}`,
      ),
    },
    {
      title: 'mappings of 300 indices',
      tool: 'es_get_mapping',
      args: () => ({ index: 'a*' }),
      expected: /of 2400/,
      before: answer(() => `{${times(300, (at) => mapping(`a${at}`, 8)).join(',')}}`),
    },
    {
      title: 'an answer of 4 MB of small objects',
      tool: 'es_request',
      args: () => ({ path: '_cluster/stats' }),
      expected: /^Status 200/,
      before: answer(() => `{"a":${list(350_000, (at) => `{"a":${at}}`)}}`),
    },
    request('a body of 15,000 terms', () => ({ query: { terms: { a: times(15_000, String) } } }), /^Status 200/),
    request('a body of 80,000 keys', () => Object.fromEntries(times(80_000, (at) => [`k${at}`, at])), /25000 values was refused/),
    request('a text of 3 MB', () => JSON.stringify({ query: { match: { a: 'x'.repeat(3_000_000) } } }), /^E_BODY/),
    request('a list of 40,000 values', () => times(20_000, () => ({ a: 1 })), /25000 values was refused/),
  ]);
});

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}
