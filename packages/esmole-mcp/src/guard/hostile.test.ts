import { Failure } from '@dbmole/core';
import { expect, it } from 'vitest';
import type { ClusterIdentity, ClusterRequest } from '../call/cluster-request.ts';
import { guardRequest } from './guard.ts';
import { acceptNarrowed } from './write/narrowed-write.ts';
import { acceptOpen } from './write/open-write.ts';

/** A machine that does other work needs room; by itself, one of them takes a tenth of it at most. */
const boundMs = 500;

const identity: ClusterIdentity = {
  product: 'elasticsearch',
  version: '9.4.0',
  major: 9,
  minor: 4,
  flavour: 'default',
  clusterName: 'c',
};
const indices = Array.from({ length: 20 }, (_, at) => `logs-*-*-*-${at}`);

const post = (path: string, body?: ClusterRequest['body'], params: ClusterRequest['params'] = {}): ClusterRequest => ({
  method: 'POST',
  path,
  params,
  body,
});
const esql = (query: string) => post('/_query', { query });
const sql = (query: string) => post('/_sql', { query });
const ppl = (query: string) => post('/_plugins/_ppl', { query });
const times = (part: string, count: number) => part.repeat(count);
const many = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));

function nested(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let at = 0; at < depth; at++) value = { a: [value] };
  return value;
}

const hostile: readonly (readonly [what: string, request: ClusterRequest])[] = [
  ['a banner of slashes', esql(`${times('/', 62)}  daily report\nFROM logs-a | LIMIT 1`)],
  ['comments without a gap', esql(`FROM logs-a | ${times('/**/', 34)} LIMIT 1`)],
  ['comments without a gap, as many as there may be', esql(`FROM logs-a | ${times('/**/', 4_900)} LIMIT 1`)],
  ['lines of comments', esql(`${times('/* note */\n', 1_800)}FROM a`)],
  ['many FROM and quotes', esql(`from${times(' from', 400)},${times('"', 17_000)}`)],
  ['many FROM and quotes in SQL', sql(`${times('from ', 300)},${times('"', 4_000)}`)],
  ['many PROMQL and commas', esql(`${times('promql ', 700)}${times('index=', 700)}${times(',', 10_000)}`)],
  ['nested comments', esql(`${times('/*', 5_000)}${times('*/', 4_990)} FROM a`)],
  ['nested parentheses', esql(`FROM a | WHERE ${times('(', 9_900)}1${times(')', 9_900)}`)],
  ['nested subqueries', esql(`${times('FROM a, (', 2_000)}FROM b${times(')', 1_900)}`)],
  ['half subqueries', esql(`FROM a | WHERE ${times('(ts x ', 3_000)}`)],
  ['half subqueries with long names', esql(`FROM a | WHERE ${times(`(ts ${times('x', 900)} `, 20)}`)],
  ['half of a source command each', esql(`FROM a | WHERE ${times('(from "a,b" x) ', 1_200)}`)],
  ['a list of names', esql(`FROM ${times('logs-a-b-c-1,', 1_500)}a`)],
  ['names that are quoted', esql(`FROM "${times('a,', 9_900)}a"`)],
  ['date math', esql(`FROM "<a${times('{now', 4_900)}>"`)],
  ['open quotes', esql(`FROM a | EVAL x = ${times('"a" ', 4_900)}"""`)],
  ['branches', esql(`FROM a | FORK ${times('(LIMIT 1) ', 1_900)}`)],
  ['parentheses of PROMQL', esql(`PROMQL index=a ${times('(', 9_000)}x${times(')', 9_000)}`)],
  ['groups of tables', sql(`SELECT * FROM ${times('(', 9_900)}a${times(')', 9_900)}`)],
  ['joins and comments', sql(`SELECT * FROM a${times(' JOIN/**/b', 1_900)}`)],
  ['quotes that are doubled', sql(`SELECT '${times("''", 9_900)}' FROM a`)],
  ['an EXPLAIN without an end', sql(`${times('EXPLAIN (', 2_200)}`)],
  ['brackets of PPL', ppl(`source=a | where x in ${times('[ source=b ', 1_800)}`)],
  ['backslashes of PPL', ppl(`source=a | eval x = "${times('\\"', 9_900)}"`)],
  ['a name of stars', { method: 'GET', path: `/${times('*-', 250)}x/_search`, params: {}, body: undefined }],
  [
    'names that nearly fit',
    { method: 'GET', path: `/${times(`logs-${times('-', 480)}:,`, 100)}a/_search`, params: {}, body: undefined },
  ],
  ['names in a path', { method: 'GET', path: `/${times('a,', 32_000)}a/_search`, params: {}, body: undefined }],
  ['parts of a path', { method: 'GET', path: times('/_serch', 9_000), params: {}, body: undefined }],
  ['short parts of a path', { method: 'GET', path: times('/a', 32_000), params: {}, body: undefined }],
  ['date math in a path', { method: 'GET', path: `/%3C${times('{now%2F', 9_000)}/_search`, params: {}, body: undefined }],
  ['many parameters', post('/a/_search', {}, Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, 1])))],
  ['a long parameter', post('/a/_search', {}, { expand_wildcards: times('open,', 13_000) })],
  ['a name for many wrong parameters', post('/a/_search', {}, { [times('p', 64)]: 'x' })],
  ['an id of a point in time', post('/_search', { pit: { id: times('FgFh', 16_384) } })],
  ['an id that is too long', post('/_search', { pit: { id: times('FgFh', 250_000) } })],
  [
    'ids of points in time',
    post('/_search', { pit: { id: times('FgFh', 16_384) }, query: many(15, { pit: { id: times('FhYW', 16_384) } }) }),
  ],
  ['many keys', post('/a/_search', JSON.stringify(many(300_000, 1)))],
  ['as many keys as there may be', post('/a/_search', JSON.stringify(many(19_000, { index: 'a' })))],
  ['an object with many keys', post('/a/_search', many(100_000, 1))],
  ['an object that is nested', post('/a/_search', nested(100_000))],
  ['a text that is nested', post('/a/_search', `${times('{"a":[', 50_000)}`)],
  ['lists of names', post('/a/_search', { query: { terms: { index: Array.from({ length: 19_000 }, () => 'logs-a-b-c-1') } } })],
  ['a name of commas', post('/a/_search', { query: { term: { index: times(',', 500_000) } } })],
  ['braces', post('/_render/template', { source: times('{{ ', 300_000) })],
  ['a query in Base64', post('/a/_search', { query: { wrapper: { query: times(' A', 500_000) } } })],
  ['lines of a bulk', post('/logs-a-b-c-1/_bulk', times('{"index":{}}\n{"a":1}\n', 6_000))],
  ['empty lines of a bulk', post('/logs-a-b-c-1/_bulk', times('\n', 1_000_000))],
  ['searches', post('/_msearch', times('{"index":"a"}\n{"query":{"match_all":{}}}\n', 4_000))],
  ['lists in analyzers', post('/_analyze', { filter: Array.from({ length: 6_000 }, () => ({ type: 'hunspell', x_path: [] })) })],
  ['patterns', post('/_analyze', { text: 'x', filter: Array.from({ length: 500 }, () => ({ patterns: times('a|', 990) })) })],
  [
    'groups of patterns',
    post('/_analyze', { text: 'x', filter: [{ patterns: Array.from({ length: 500 }, () => times('[a', 990)) }] }),
  ],
  ['a pattern in a query', esql(`FROM a | EVAL x = ${times('REPLACE(b, ', 900)}"${times('(a*)', 400)}"`)],
  ['a body that looks hidden', post('/_reindex', `${times('": . ', 200_000)}`)],
];

/** Every guard that could see it. */
function guards(request: ClusterRequest): readonly (() => unknown)[] {
  const [closed, narrowed] = [
    { identity, systemIndices: false },
    { identity, systemIndices: false, indices },
  ];
  return [
    () => guardRequest(request, closed),
    () => guardRequest(request, narrowed),
    () => guardRequest(request, { identity, systemIndices: true }),
    () => acceptOpen(request, 'main', { ...closed, readonly: false }),
    () => acceptNarrowed(request, 'main', { ...narrowed, readonly: false }),
  ];
}

/** Measures how long the event loop was blocked; only a Failure may be thrown. */
async function blockedMs(run: () => unknown): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve));
  const start = performance.now();
  const late = new Promise<number>((resolve) => setImmediate(() => resolve(performance.now() - start)));
  try {
    run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return await late;
}

it('hostile requests never block the event loop', async () => {
  const measured: { what: string; ms: number }[] = [];
  for (const [what, request] of hostile) {
    const times: number[] = [];
    // Where it seems slow, a second time: the machine may have been.
    for (const guard of guards(request)) {
      const first = await blockedMs(guard);
      times.push(first < boundMs / 5 ? first : Math.min(first, await blockedMs(guard)));
    }
    measured.push({ what, ms: Math.max(...times) });
  }
  const worst = measured.sort((a, b) => b.ms - a.ms).slice(0, 3);
  process.stderr.write(`slowest: ${worst.map(({ what, ms }) => `${what} ${ms.toFixed(1)} ms`).join(', ')}\n`);
  expect(measured.filter(({ ms }) => ms > boundMs)).toEqual([]);
});
