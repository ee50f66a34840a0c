import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { RequestBody } from '../../call/cluster-request.ts';
import { refuseStoredQueries } from './stored-queries.ts';

const rules = { indices: ['logs-*'], systemIndices: false };
const stored = { fields: { query: { percolator: { type: 'percolator' } } } };

/** How the write ends on a cluster that answers so, and the path that it was asked for. */
async function outcome(
  path: string,
  body: RequestBody | undefined,
  status: number,
  json: unknown,
  templates: unknown = {},
): Promise<string> {
  let asked = '';
  try {
    await refuseStoredQueries({ segments: path.split('/'), body }, rules, async (request) => {
      if (request.path.endsWith('_mapping')) return { status, json: templates };
      asked = request.path;
      return { status, json };
    });
    return `sent ${asked}`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${error.code} ${error.message}`;
  }
}

const lookup = { terms: { k: { index: 'other', id: '1', path: 'x' } } };

describe('stored queries on a narrowed connection', () => {
  it('writes where no field stores queries, whatever the document has', async () => {
    expect(await outcome('logs-a/_doc', { index: 'other', path: 'x' }, 200, {})).toBe('sent /logs-a/_field_caps');
    expect(await outcome('logs-a/_update/1', '{"script": "ctx._source.n++"}', 200, {})).toMatch(/^sent/);
    const bulk = '{"index":{"_index":"logs-b"}}\n{"index":"other"}\n{"delete":{"_id":"1"}}\n';
    expect(await outcome('logs-a/_bulk', bulk, 200, {})).toBe('sent /logs-a%2Clogs-b/_field_caps');
    expect(await outcome('logs-a/_doc/1', undefined, 200, stored)).toBe('sent ');
  });

  it('writes nothing where a field does', async () => {
    for (const body of [{ query: lookup }, { script: 'x' }, { doc: {} }, { a: 1 }])
      expect(await outcome('logs-a/_update/1', body, 200, stored)).toMatch(
        /E_INDEX_REFUSED "logs-a" has a field of type percolator/,
      );
    expect(await outcome('logs-a/_doc', {}, 200, undefined)).toMatch(/^E_INDEX_REFUSED/);
    const created = { mappings: { dynamic_templates: [{ queries: { mapping: { type: 'percolator' } } }] } };
    expect(await outcome('logs-a/_doc', {}, 200, {}, { 'logs-a': created })).toMatch(/^E_INDEX_REFUSED/);
  });

  it.each([
    { query: lookup },
    { query: { terms: { k: { index: 'other' } } } },
    { 'query.terms.k.index': 'other' },
    { a: [{ 'query.terms': { k: { index: 'other' } } }] },
    { 'query.geo_shape.p.indexed_shape.id': '1' },
    { query: { geo_shape: { p: { indexed_shape: { id: '1' } } } } },
    { 'query.more_like_this': { like: [{ _index: 'other', _id: '1' }] } },
    { 'query.wrapper.query': 'eyJ0ZXJtcyI6eyJrIjp7ImluZGV4Ijoib3RoZXIiLCJpZCI6IjEifX19' },
    { script: { source: 'x' }, scripted_upsert: true, upsert: {} },
    '{"query": {"terms": {"k": {"index": "other"}}}}',
  ])('refuses a document that could read another index, where the fields cannot be read: %j', async (body) => {
    expect(await outcome('logs-new/_doc', body, 404, {})).toMatch(/^E_INDEX_REFUSED the fields of "logs-new" cannot be read/);
    const line = typeof body === 'string' ? body : JSON.stringify(body);
    expect(await outcome('logs-new/_bulk', `{"index":{}}\n${line}\n`, 403, {})).toMatch(/^E_INDEX_REFUSED/);
  });

  it('reads a large document of an unread index once', async () => {
    const values = Array.from({ length: 15_000 }, (_, at) => ({ 'a.b': at }));
    const body = Array.from({ length: 290 }).reduce<object>((inner) => ({ 'c.d': inner }), values);
    const started = performance.now();
    expect(await outcome('logs-new/_doc', { e: body }, 404, {})).toMatch(/^sent|^E_BODY/);
    expect(performance.now() - started).toBeLessThan(200);
  });

  it('writes the first document of an index', async () => {
    const body = { index: 'logs-new', semantic: { field: 'a', query: 'b' }, 'a.b': { c: 1 }, pit: { id: 1 }, '': 1 };
    expect(await outcome('logs-new/_doc', body, 404, { error: {} })).toMatch(/^sent/);
  });
});
