import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../answer/answer.ts';
import { createIdentifier, unknownCluster } from './identify.ts';
import { formatPath } from './path.ts';

const never = new AbortController().signal;

function answer(status: number, json: unknown, more: Partial<Answer> = {}): Answer {
  const base = { status, json, text: JSON.stringify(json) ?? '', cut: undefined, contentType: 'application/json' };
  return { ...base, warnings: [], warnedBy: undefined, product: undefined, ...more };
}

const elastic = { product: 'Elasticsearch' };
const denied = { error: { type: 'security_exception', reason: 'no' }, status: 403 };

/** A cluster that answers by path; what is not in the table is forbidden. */
function clusterOf(answers: Record<string, Answer | Error>) {
  const asked: string[] = [];
  const identifier = createIdentifier(async ({ segments }, { signal }) => {
    const path = formatPath(segments);
    asked.push(path);
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const found = answers[path] ?? answer(403, denied);
    if (found instanceof Error) throw found;
    return found;
  });
  return { ...identifier, asked };
}

const nodesPath = '/_nodes/_all/os';

describe('probe', () => {
  it.each([
    [
      '7.17',
      { version: { number: '7.17.29', build_flavor: 'default' }, cluster_name: 'c' },
      elastic,
      { product: 'elasticsearch', major: 7, minor: 17, flavour: 'default', clusterName: 'c' },
    ],
    [
      'an old one without the header',
      { version: { number: '7.10.2' }, tagline: 'You Know, for Search' },
      {},
      { product: 'elasticsearch', major: 7 },
    ],
    [
      'OpenSearch',
      { version: { number: '3.6.0', distribution: 'opensearch' }, tagline: 'The OpenSearch Project' },
      {},
      { product: 'opensearch', major: 3, minor: 6 },
    ],
    [
      'OpenSearch that says it is 7.10',
      { version: { number: '7.10.2', distribution: 'opensearch' } },
      {},
      { product: 'opensearch', version: '7.10.2' },
    ],
    [
      'one of no fixed version',
      { version: {}, cluster_name: 'c' },
      elastic,
      { product: 'elasticsearch', version: undefined, major: undefined },
    ],
  ])('recognises %s', async (_name, json, head, identity) => {
    expect(await clusterOf({ '/': answer(200, json, head) }).probe(never)).toMatchObject(identity);
  });

  it.each([400, 403, 404, 405])('asks the nodes when / answers %i', async (status) => {
    const nodes = { cluster_name: 'c', nodes: { a: { version: '9.10.0' }, b: { version: '9.2.0' }, c: { version: '10.0.0' } } };
    const cluster = clusterOf({ '/': answer(status, { error: 'x', status }, elastic), [nodesPath]: answer(200, nodes) });
    expect(await cluster.probe(never)).toMatchObject({ product: 'elasticsearch', version: '9.2.0', minor: 2, clusterName: 'c' });
  });

  it('tells OpenSearch by its version where only the nodes answer', async () => {
    const nodes = { nodes: { a: { version: '2.19.6' } } };
    const cluster = clusterOf({ '/': answer(403, denied), [nodesPath]: answer(200, nodes) });
    expect(await cluster.probe(never)).toMatchObject({ product: 'opensearch', major: 2 });
  });

  it('takes the version from a warning, or does without', async () => {
    const warnedBy = 'Elasticsearch-8.19.21-abcdef';
    expect(await clusterOf({ '/': answer(403, denied, { ...elastic, warnedBy }) }).probe(never)).toMatchObject({
      version: '8.19.21',
    });
    expect(await clusterOf({ '/': answer(403, denied, elastic) }).probe(never)).toMatchObject({
      product: 'elasticsearch',
      version: undefined,
      major: undefined,
    });
    expect(await clusterOf({}).probe(never)).toEqual(unknownCluster);
  });

  it.each([
    ['a page', answer(200, undefined, { text: '<h1>hello</h1>' }), 'E_NOT_CLUSTER'],
    ['other JSON', answer(200, { hello: 1 }), 'E_NOT_CLUSTER'],
    ['a missing page', answer(404, undefined, { text: 'not found' }), 'E_NOT_CLUSTER'],
    ['a refused login', answer(401, denied, elastic), 'E_AUTH'],
    ['a login of a proxy', answer(401, undefined, { text: '<html>' }), 'E_AUTH'],
    ['a refusal of a proxy', answer(403, undefined, { text: '<html>' }), 'E_FORBIDDEN'],
    ['a cluster that starts', answer(503, { error: 'x', status: 503 }, elastic), 'E_UNAVAILABLE'],
    ['a way to somewhere else', answer(302, undefined), 'E_REDIRECT'],
  ])('says what is wrong with %s', async (_name, root, code) => {
    await expect(clusterOf({ '/': root }).probe(never)).rejects.toMatchObject({
      name: 'Failure',
      code,
      hint: expect.any(String),
    });
  });
});

describe('identify', () => {
  const good = answer(200, { version: { number: '8.19.21' } }, elastic);

  it('asks once for several callers', async () => {
    const cluster = clusterOf({ '/': good });
    const found = await Promise.all([cluster.identify(never), cluster.identify(never), cluster.identify(never)]);
    expect(found.map(({ major }) => major)).toEqual([8, 8, 8]);
    await cluster.identify(never);
    expect(cluster.asked).toEqual(['/']);
  });

  it('continues when one of its callers cancels', async () => {
    const cluster = clusterOf({ '/': good });
    const stop = new AbortController();
    const first = cluster.identify(stop.signal);
    const second = cluster.identify(never);
    stop.abort();
    await expect(first).rejects.toMatchObject({ kind: 'cancelled' });
    expect(await second).toMatchObject({ major: 8 });
  });

  it('leaves unknown what cannot be found out, and asks again', async () => {
    const answers = { '/': answer(401, denied, elastic) };
    const cluster = clusterOf(answers);
    expect(await cluster.identify(never)).toEqual(unknownCluster);
    answers['/'] = good;
    expect(await cluster.identify(never)).toMatchObject({ major: 8 });
  });

  it('says at once that the cluster cannot be reached', async () => {
    const down = new Failure('connection', 'down', { code: 'E_CONNECT_REFUSED' });
    const answers: Record<string, Answer | Error> = { '/': down };
    const cluster = clusterOf(answers);
    await expect(cluster.identify(never)).rejects.toBe(down);
    answers['/'] = good;
    expect(await cluster.identify(never)).toMatchObject({ major: 8 });
  });
});
