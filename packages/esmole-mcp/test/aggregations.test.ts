import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];
const hours = 600;

const metrics = {
  average: { avg: { field: 'took' } },
  spread: { extended_stats: { field: 'took' } },
  ranks: { percentiles: { field: 'took', percents: [50, 95] } },
  first: { top_hits: { size: 2, sort: [{ took: 'desc' }], _source: ['took', 'path'] } },
};
const terms = (field: string, size: number, aggs: object = {}) => ({ terms: { field, size }, aggs });
const aggs = {
  services: terms('service', 2, { paths: terms('path', 2, metrics), hosts: terms('host', 1), ...metrics }),
  errors: { filter: { term: { status: 500 } }, aggs: { paths: terms('path', 5), latest: { max: { field: 'at' } } } },
  kinds: { filters: { filters: { good: { term: { status: 200 } }, bad: { term: { status: 500 } } } }, aggs: metrics },
  speed: { range: { field: 'took', ranges: [{ to: 100 }, { key: 'slow', from: 100 }] }, aggs: { hosts: terms('host', 3) } },
  spans: { nested: { path: 'spans' }, aggs: { names: terms('spans.name', 3, { ms: { sum: { field: 'spans.ms' } } }) } },
  pairs: { composite: { size: 5, sources: [{ s: { terms: { field: 'service' } } }, { h: { terms: { field: 'host' } } }] } },
  all: { global: {}, aggs: { distinct: { cardinality: { field: 'path' } } } },
};

/** The numbers of an answer as the cluster sent it; what is formatted counts as its text. */
function collect(value: unknown): (number | string)[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    const said: unknown = Reflect.get(value, `${name}_as_string`);
    if (typeof one === 'number' && typeof said === 'string') return [said];
    return one === 0 ? [] : collect(one);
  });
}

describe.each(engines)('aggregations of %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const index = `aggregations-${id}`;
  let tools: TestClient;
  let writer: TestClient;

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    const keyword = { type: 'keyword' };
    const span = { type: 'nested', properties: { name: keyword, ms: { type: 'long' } } };
    const numbers = { took: { type: 'long' }, status: { type: 'integer' }, at: { type: 'date' } };
    const properties = { service: keyword, path: keyword, host: keyword, ...numbers, spans: span };
    await writer.call('es_request', { method: 'PUT', path: `/${index}`, body: { mappings: { properties } } });
    const lines = Array.from({ length: hours }, (_, at) => [
      { index: { _index: index, _id: String(at) } },
      {
        service: `s${at % 5}`,
        path: `/p${at % 7}`,
        host: `h${at % 3}`,
        took: at * 3 + 1,
        status: at % 4 === 0 ? 500 : 200,
        at: new Date(Date.UTC(2024, 0, 1, at)).toISOString(),
        spans: [{ name: `n${at % 4}`, ms: at }],
      },
    ]).flat();
    const written = await writer.call('es_request', { method: 'POST', path: '/_bulk', params: { refresh: true }, body: lines });
    expect(written.text).toContain('"errors":false');
  }, 60_000);

  afterAll(async () => {
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    await Promise.all([tools.close(), writer.close()]);
  });

  const search = async (args: object): Promise<string> => (await tools.call('es_search', { index, ...args })).text;

  it('shows every number of nested sibling buckets', async () => {
    const text = await search({ aggs, aggs_only: true });
    const response = await fetch(`${engine().url}/${index}/_search?size=0`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ aggs }),
    });
    const { aggregations }: { aggregations?: unknown } = JSON.parse(await response.text());
    const wanted = collect(aggregations);
    expect(wanted.length).toBeGreaterThan(200);
    const found = new Set((text.match(/-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g) ?? []).map(Number));
    expect(wanted.filter((one) => !(typeof one === 'number' ? found.has(one) : text.includes(one)))).toEqual([]);
    expect(text).toMatch(/^Total 600, \d+ ms\. Aggregations cover all matches\. Data/);
    expect(text).toContain('\nservices > paths > first:\nservices,paths,_id,');
  });

  it('counts all matches, and continues with agg_offset', async () => {
    const hourly = { hours: { date_histogram: { field: 'at', fixed_interval: '1h' }, aggs: metrics } };
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const text = await search({ aggs: hourly, agg_offset: offset, size: 2 });
      expect(text.length).toBeLessThanOrEqual(32_000);
      expect(text).toMatch(offset === 0 ? /^Hits 1-2 of 600/ : /^Total 600/);
      const rows: string = /\nhours(?: \(.*?\))?:\n.*\n((?:2024-.*\n?)*)/.exec(text)?.[1] ?? '';
      seen.push(...rows.split('\n').flatMap((row) => /^2024-[^,]*/.exec(row)?.[0] ?? []));
      const next: string | undefined = /same call with agg_offset=(\d+)/.exec(text.split('\n')[0] ?? '')?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(Array.from({ length: hours }, (_, at) => new Date(Date.UTC(2024, 0, 1, at)).toISOString()));
  });
});
