import { Failure, formatHint } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ClusterIdentity } from '../call/cluster-request.ts';
import type { Method } from '../call/path.ts';
import { guardRequest } from './guard.ts';
import { listNames } from './params.ts';
import { type Route, routes, table } from './route-table.ts';

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
  security: 'role',
};

/** A value that each parameter may have. */
const values = ['true', 'false', '1', '1s', 'open', 'cluster', 'AND', 'json', 'query_then_fetch', 'FGluY2x1ZGVfY29udGV4dA=='];

const listParts = ({ template }: Route) =>
  template.parts.map((part) => ('literal' in part ? part.literal : (samples[part.slot] ?? '')));
const readName = (route: Route) => `${route.method} /${listParts(route).join('/')}`;

function verdict(method: string, parts: readonly string[], identity = clusters[1], params: Record<string, string> = {}) {
  if (identity === undefined) throw new TypeError('there are clusters');
  // Some of these are not methods, which the guard has to refuse.
  const request = { method: method as Method, path: `/${parts.map(encodeURIComponent).join('/')}`, params, body: undefined };
  try {
    return guardRequest(request, { identity, systemIndices: false, sensitive: true });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

describe('each line of the table', () => {
  it.each(routes.map((route) => [readName(route), route] as const))('reads the route %s consistently', (_name, route) => {
    const check = (identity?: ClusterIdentity, params?: Record<string, string>) =>
      verdict(route.method, listParts(route), identity, params);
    const there = clusters.find((identity) => !(check(identity) instanceof Failure));
    expect(there).toBeDefined();
    // All routes of one line take the same parameters.
    if (routes.find(({ line }) => line === route.line) !== route) return;
    for (const name of listNames(route.line.params ?? '')) {
      expect(
        values.some((value) => !(check(there, { [name]: value }) instanceof Failure)),
        name,
      ).toBe(true);
    }
    for (const unknown of ['refresh', 'source', 'wait_for_completion', 'index', 'pipeline', 'no_such']) {
      const refusal = check(there, { [unknown]: 'true' });
      expect(refusal).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ' });
      expect(String(refusal)).toContain(`cannot be used with the parameter ${unknown}`);
    }
  });

  it('refuses a path with another method', () => {
    const known = new Set(routes.map(readName));
    const others = routes.flatMap((route) =>
      ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'].map((method) => ({ ...route, method })),
    );
    const wrong = others.filter((route) => !known.has(readName(route)));
    expect(wrong.length).toBeGreaterThan(500);
    for (const route of wrong) {
      expect(verdict(route.method, listParts(route)), readName(route)).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ' });
    }
  });

  it('refuses a path that contains another one', () => {
    for (const route of routes.filter(({ template }) => template.parts.length > 0)) {
      const parts = listParts(route);
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

  it('allows no method that only writes, and deletes only scrolls and points in time', () => {
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

describe('what a writable connection can overwrite', () => {
  const paths = (
    '/_ingest/pipeline/x /_ingest/geoip/database/x /_ingest/ip_location/database/x /_scripts/x /_snapshot/r /_cluster/settings /_synonyms/x ' +
    '/_synonyms/x/y /_query_rules/x /_query_rules/x/y /_application/search_application/x /_application/analytics/x ' +
    '/_inference/sparse_embedding/x /_inference/x /_security/role/x /_security/user/x /_security/role_mapping/x /_security/privilege ' +
    '/_security/api_key /_logstash/pipeline/x /_watcher/watch/x /_connector/x /_autoscaling/policy/x /_ilm/policy/x /_slm/policy/x ' +
    '/_enrich/policy/x /_transform/x /_rollup/job/x /_ml/anomaly_detectors/x /_ml/datafeeds/x /_ml/trained_models/x /_ml/filters/x ' +
    '/_ml/calendars/x /_ml/data_frame/analytics/x /_ccr/auto_follow/x /_template/x /_index_template/x /_component_template/x ' +
    '/_data_stream/x/_lifecycle /_data_stream/x/_options /_nodes/n/shutdown /_license /shop /shop/_settings /shop/_mapping ' +
    '/shop/_alias/x /shop/_doc/1'
  ).split(' ');
  const [, eight] = clusters;
  const ofOpenSearch = ['/_search/pipeline/x', '/_plugins/_ism/policies/x'];

  it.each([...paths.map((path) => [path, eight] as const), ...ofOpenSearch.map((path) => [path, clusters[3]] as const)])(
    'shows what a writable connection can overwrite: %s',
    (path, identity) => {
      if (identity === undefined) throw new TypeError('there are clusters');
      const request = { method: 'GET', path, params: {}, body: undefined } as const;
      expect(() => guardRequest(request, { identity, systemIndices: false, readonly: false })).not.toThrow();
    },
  );
});

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

  it('names the nearest route', () => {
    expect(refuse('POST', '/shop/_serach').nearest).toContain('POST /{index}/_search');
    expect(refuse('GET', '/_cat/indexes').nearest[0]).toBe('GET /_cat/indices');
    expect(refuse('PUT', '/shop/_mapping').nearest).toEqual(['GET /{index}/_mapping']);
    expect(refuse('POST', '/shop/_delete_by_query').nearest).toEqual(['POST /{index}/_count']);
    expect(refuse('GET', '/_cat/indices?hlep').nearest).toEqual(['help']);
  });

  it('says who can change that', () => {
    const offers = (tool: string) => tool === 'es_request';
    const closed = refuse('POST', '/_bulk');
    expect(closed.message).toMatch(/nothing was sent$/);
    expect(formatHint(closed.next, { offers, readonly: true })).toMatch(/^The connection is read-only; only the user/);
    expect(formatHint(closed.next, { program: 'esmole-mcp' })).toMatch(/^This command only reads/);
    const { next } = refuse('POST', '/_bulk', false);
    expect(formatHint(next, { offers, readonly: false })).toBe('Call es_request to send it.');
    expect(formatHint(next, { offers: () => false, readonly: false })).toBe('No tool of this server changes data.');
  });

  it('does not repeat long names', () => {
    expect(refuse('POST', `/${'x'.repeat(3_000)}/_bulk`).message.length).toBeLessThan(200);
  });
});
