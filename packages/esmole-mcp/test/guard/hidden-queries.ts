import type { RunningEngine } from '@dbmole/engines';
import { expect, it } from 'vitest';
import { openTools } from '../open-tools.ts';
import type { RawNode } from './raw-node.ts';

interface Place {
  readonly engine: RunningEngine;
  readonly node: RawNode;
}

/** The keys of the document that the connection of these tests may not read. */
const lookup = { terms: { t: { index: 'g-lookup', id: '1', path: 'keys' } } };
const script = { source: "ctx._source.query = ['terms': ['t': ['index': 'g-' + 'lookup', 'id': '1', 'path': 'keys']]]" };

/** Queries that are not where a request has its query: the node runs them, and so they are refused. */
export function describeHiddenQueries(place: () => Place): void {
  it('refuses queries that are stored or encoded, on a connection that may not read what they name', async () => {
    const { engine, node } = place();
    const tools = await openTools(engine, { readonly: false, indices: ['g-percolate', 'g-shop'] });
    const encoded = `\u0001${Buffer.from('{"term":{"k":"a"}}').toString('base64')}`;
    const wrapped = { query: { wrapper: { query: encoded } } };
    const percolate = { query: { percolate: { field: 'query', document: { t: 'a' } } } };
    try {
      for (const [method, path, body] of [
        ['PUT', '/g-percolate/_doc/x', { query: lookup }],
        ['POST', '/g-shop/_bulk', [{ index: { _index: 'g-percolate', _id: 'x' } }, { query: lookup }]],
        ['POST', '/g-percolate/_update/x', { script, scripted_upsert: true, upsert: {} }],
        ['POST', '/g-shop/_search', wrapped],
      ] as const) {
        const reply = await tools.call('es_request', { method, path, body });
        expect(reply.structured, `${method} ${path}`).toMatchObject({ code: 'E_INDEX_REFUSED' });
        if (path === '/g-percolate/_doc/x') expect((await node.send(method, `${path}?refresh=true`, body)).status).toBe(201);
      }
      // The node does what was refused.
      expect((await node.send('POST', '/g-percolate/_search', percolate)).text).toContain('"_id":"x"');
      expect((await node.send('POST', '/g-shop/_search', wrapped)).json).toMatchObject({ hits: { total: { value: 2 } } });
      expect(
        (await tools.call('es_request', { method: 'PUT', path: '/g-shop/_doc/9', body: { index: 'g-lookup' } })).isError,
      ).toBe(false);
    } finally {
      await tools.close();
      await node.send('DELETE', '/g-percolate/_doc/x?refresh=true');
      await node.send('DELETE', '/g-shop/_doc/9?refresh=true');
    }
  });
}
