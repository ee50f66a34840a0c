import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { Method } from '../methods.ts';
import type { ClusterIdentity } from '../request.ts';
import { guardRequest } from './guard.ts';
import { namesOf } from './params.ts';
import { type Route, routes, table } from './table.ts';

const clusters: readonly ClusterIdentity[] = [
  ['elasticsearch', 7, 17],
  ['elasticsearch', 8, 19],
  ['elasticsearch', 9, 2],
  ['opensearch', 3, 6],
].map(([product, major, minor]) => ({
  // The list above holds these two words.
  product: product as 'elasticsearch' | 'opensearch',
  version: `${major}.${minor}.0`,
  major: Number(major),
  minor: Number(minor),
  flavour: 'default',
  clusterName: undefined,
}));

const samples: Readonly<Record<string, string>> = {
  index: 'shop',
  one: 'shop',
  id: '1',
  name: 'x',
  node: '_local',
  fields: 'a,b.*',
  scroll: 'FGluY2x1ZGVfY29udGV4dA==',
  task: 'abc:12',
  statistic: 'docs,store',
  'node-statistic': 'os',
  'node-info': 'os,process',
  'state-part': 'nodes',
  'state-blocks': 'blocks',
  jobs: 'datafeeds',
  licence: 'basic_status',
};

/** A value that each parameter may have. */
const values = ['true', '1', '1s', 'open', 'cluster', 'AND', 'json', 'query_then_fetch', 'FGluY2x1ZGVfY29udGV4dA=='];

const partsOf = ({ template }: Route) =>
  template.parts.map((part) => ('literal' in part ? part.literal : (samples[part.slot] ?? '')));
const nameOf = (route: Route) => `${route.method} /${partsOf(route).join('/')}`;

function verdict(method: string, parts: readonly string[], identity = clusters[1], params: Record<string, string> = {}) {
  if (identity === undefined) throw new TypeError('there are clusters');
  // Also what is no method, which the guard has to refuse.
  const request = { method: method as Method, path: `/${parts.map(encodeURIComponent).join('/')}`, params, body: undefined };
  try {
    return guardRequest(request, { identity, systemIndices: false });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

describe('each line of the table', () => {
  it.each(routes.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
    const check = (identity?: ClusterIdentity, params?: Record<string, string>) =>
      verdict(route.method, partsOf(route), identity, params);
    const there = clusters.find((identity) => !(check(identity) instanceof Failure));
    expect(there).toBeDefined();
    // All that stands on one line takes the same parameters.
    if (routes.find(({ line }) => line === route.line) !== route) return;
    for (const name of namesOf(route.line.params ?? '')) {
      expect(
        values.some((value) => !(check(there, { [name]: value }) instanceof Failure)),
        name,
      ).toBe(true);
    }
    for (const unknown of ['refresh', 'source', 'wait_for_completion', 'index', 'pipeline', 'no_such']) {
      const refusal = check(there, { [unknown]: 'true' });
      expect(refusal).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ' });
      expect(String(refusal)).toContain(`may not take the parameter ${unknown}`);
    }
  });

  it('is refused with a method that is not its own', () => {
    const known = new Set(routes.map(nameOf));
    const others = routes.flatMap((route) =>
      ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'].map((method) => ({ ...route, method })),
    );
    const wrong = others.filter((route) => !known.has(nameOf(route)));
    expect(wrong.length).toBeGreaterThan(500);
    for (const route of wrong) {
      expect(verdict(route.method, partsOf(route)), nameOf(route)).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ' });
    }
  });

  it('is refused as the end, the beginning or the middle of another path', () => {
    for (const route of routes.filter(({ template }) => template.parts.length > 0)) {
      const parts = partsOf(route);
      for (const other of [
        [...parts, '_nothing'],
        ['_scripts', ...parts],
        parts.with(-1, `${parts.at(-1)}_`),
        parts.with(-1, `x_${parts.at(-1)}`),
      ]) {
        const isKnown = routes.some(
          (one) => one.method === route.method && one.template.parts.length === other.length && verdictOf(other, one),
        );
        if (!isKnown)
          expect(verdict(route.method, other), other.join('/')).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ' });
      }
    }
  });

  it('has no method that only writes, and deletes nothing but what reads on', () => {
    const methods = new Set(table.flatMap(({ allow }) => allow.split(' ').slice(0, -1)));
    expect([...methods].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'POST']);
    const deleting = table.filter(({ allow }) => allow.includes('DELETE')).map(({ allow }) => allow);
    expect(deleting).toEqual(['DELETE /_search/scroll[/{scroll}]', 'DELETE /_pit', 'DELETE /_search/point_in_time']);
  });
});

/** A name may end in anything, so a changed name is a name again. */
function verdictOf(parts: readonly string[], { template }: Route): boolean {
  return template.parts.every((part, at) => !('literal' in part) || part.literal === parts[at]);
}

describe('a refusal', () => {
  const refuse = (method: string, path: string, readonly?: boolean) => {
    const request = { method: method as Method, path, params: {}, body: undefined };
    const [, identity] = clusters;
    if (identity === undefined) throw new TypeError('there are clusters');
    try {
      guardRequest(request, { identity, systemIndices: false, ...(readonly === undefined ? {} : { readonly }) });
    } catch (error) {
      if (error instanceof Failure) return error;
    }
    throw new TypeError('it was accepted');
  };

  it('names what is nearest', () => {
    expect(refuse('POST', '/shop/_serach').nearest).toContain('POST /{index}/_search');
    expect(refuse('GET', '/_cat/indexes').nearest[0]).toBe('GET /_cat/indices');
    expect(refuse('PUT', '/shop/_mapping').nearest).toEqual(['GET /{index}/_mapping']);
    expect(refuse('POST', '/shop/_delete_by_query').nearest).toEqual(['POST /{index}/_count']);
    expect(refuse('GET', '/_cat/indices?hlep').nearest).toEqual(['help']);
  });

  it('says who can change that', () => {
    expect(refuse('POST', '/_bulk').hint).toBe('The connection is readonly, and only a person can change that.');
    expect(refuse('POST', '/_bulk', false).hint).toBe('Use es_request, on a connection that is not readonly.');
  });

  it('does not repeat long names', () => {
    expect(refuse('POST', `/${'x'.repeat(3_000)}/_bulk`).message.length).toBeLessThan(200);
  });
});
