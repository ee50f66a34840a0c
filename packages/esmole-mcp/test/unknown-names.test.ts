import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

describe.each(engines)('names that do not exist, on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const index = `unknown-${id}`;
  let tools: TestClient;
  let writer: TestClient;

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    const properties = {
      service: { properties: { name: { type: 'keyword' } } },
      labels: { type: id === 'opensearch3' ? 'flat_object' : 'flattened' },
      status: { type: 'long' },
      unused: { type: 'keyword' },
    };
    await writer.call('es_request', { method: 'PUT', path: `/${index}`, body: { mappings: { properties } } });
    const body = { service: { name: 'auth' }, status: 200, items: [{ name: 'a' }, { name: 'b' }], labels: { env: 'x' } };
    await writer.call('es_request', { method: 'PUT', path: `/${index}/_doc/1`, params: { refresh: true }, body });
  }, 60_000);

  afterAll(async () => {
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    await Promise.all([tools.close(), writer.close()]);
  });

  const line = async (args: object) => (await tools.call('es_search', { index, ...args })).text.split('\n')[0];
  const note = 'No mapped field is called "servce.name"; nearest: service.name.';

  it.each<[string, object, string]>([
    ['no hits', { query: { match: { 'servce.name': 'auth' } } }, note],
    ['no hits of a text in Lucene syntax', { q: 'servce.name:auth' }, note],
    ['no buckets', { aggs: { s: { terms: { field: 'servce.name' } } }, aggs_only: true }, note],
    [
      'a metric without a value',
      { aggs: { a: { avg: { field: 'statsu' } } } },
      'No mapped field is called "statsu"; nearest: status.',
    ],
    [
      'a column of a bucket without a value',
      { aggs: { s: { terms: { field: 'status' }, aggs: { a: { avg: { field: 'statsu' } } } } } },
      'No mapped field is called "statsu"; nearest: status.',
    ],
    ['a source that no document has', { source: ['servce.name', 'status'] }, note],
    ['fields that no document has', { fields: ['servce.name'] }, note],
    ['a pattern of fields', { source: ['servce.*', 'status'] }, 'No mapped field matches "servce.*"'],
  ])('are told of %s', async (_title, args, expected) => {
    expect(await line(args)).toContain(expected);
  });

  it.each<[string, object]>([
    ['exist and have nothing', { query: { term: { unused: 'x' } }, source: ['unused'] }],
    ['are inside of a field that has any', { query: { term: { 'labels.region': 'x' } } }],
    ['are objects', { source: ['service'] }],
    ['are inside of lists', { source: ['items.name'] }],
    ['are there', { aggs: { s: { terms: { field: 'service.name' } } } }],
  ])('are not told of names that %s', async (_title, args) => {
    expect(await line(args)).not.toContain('No field');
  });

  it('reports an unknown sort field with the nearest names', async () => {
    const { structured, text } = await tools.call('es_search', { index, sort: ['statsu:desc'] });
    expect(text).toMatch(/^E_UNKNOWN_FIELD \(400\): there is no field "statsu" to sort by/);
    expect(structured).toMatchObject({ code: 'E_UNKNOWN_FIELD', nearest: ['status'] });
  });

  it('reports patterns that match no index', async () => {
    const wrong = `unknwn-${id}*`;
    const expected = new RegExp(`No (?:open )?index matches "${wrong.replace('*', '\\*')}"; nearest: [^.]*${index}`);
    expect(await line({ index: wrong })).toMatch(expected);
    for (const tool of ['es_list_indices', 'es_get_mapping'])
      expect((await tools.call(tool, { index: wrong })).text.split('\n')[0], tool).toMatch(expected);
    expect((await tools.call('es_list_indices', { index: wrong })).text).toMatch(/^No rows\./);
  });
});
