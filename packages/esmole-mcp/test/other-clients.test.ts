import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRawNode, type RawNode } from './guard/raw-node.ts';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

describe.each(engines)('what other clients of %s do', (id) => {
  const engine = useEngine(id, { shared: true });
  const isOpenSearch = id === 'opensearch3';
  const index = `other-${id}`;
  let narrowed: TestClient;
  let closed: TestClient;
  let other: RawNode;

  beforeAll(async () => {
    other = createRawNode(engine());
    for (const name of [index, `secret-${id}`]) {
      for (const at of [1, 2, 3]) await other.send('PUT', `/${name}/_doc/${at}?refresh=true`, { text: `text of ${name}` });
    }
    narrowed = await openTools(engine(), { indices: [index] });
    closed = await openTools(engine());
  }, 60_000);

  afterAll(async () => {
    await other.send('DELETE', `/${index},secret-${id}`);
    other.dispose();
    await Promise.all([narrowed.close(), closed.close()]);
  });

  const request = (tools: TestClient, method: string, path: string, body?: object) =>
    tools.call('es_request', { method, path, ...(body && { body }) });

  function textAt(json: unknown, key: string): string {
    const found: unknown = Reflect.get(Object(json), key);
    if (typeof found !== 'string') throw new Error(`no ${key} in ${JSON.stringify(json)}`);
    return found;
  }

  it('refuses cursors that another connection opened', async () => {
    const opened = await other.send('POST', `/secret-${id}/_search?scroll=1m`, { size: 1 });
    const scroll = textAt(opened.json, '_scroll_id');
    for (const tools of [narrowed, closed]) {
      const found = await request(tools, 'POST', '/_search/scroll', { scroll_id: scroll });
      expect(found.structured).toMatchObject({ code: 'E_INDEX_REFUSED' });
      expect(found.text).not.toContain('text of');
      expect((await request(tools, 'GET', `/_search/scroll?scroll_id=${scroll}`)).structured).toMatchObject({
        code: 'E_INDEX_REFUSED',
      });
    }
    expect((await other.send('POST', '/_search/scroll', { scroll_id: scroll })).status).toBe(200);
    await other.send('DELETE', '/_search/scroll', { scroll_id: scroll });
  });

  it('continues cursors that the connection opened', async () => {
    const first = await request(narrowed, 'POST', `/${index}/_search?scroll=1m`, { size: 1 });
    const scroll = /"_scroll_id":\s*"([^"]+)"/.exec(first.text)?.[1];
    const second = await request(narrowed, 'POST', '/_search/scroll', { scroll_id: scroll, scroll: '1m' });
    expect(second.text).toContain(`text of ${index}`);
    const open = isOpenSearch ? '_search/point_in_time' : '_pit';
    const opened = await request(narrowed, 'POST', `/${index}/${open}?keep_alive=1m`);
    const pit = /"(?:pit_)?id":\s*"([^"]+)"/.exec(opened.text)?.[1];
    const page = await request(narrowed, 'POST', '/_search', { pit: { id: pit, keep_alive: '1m' }, size: 1 });
    expect(page.text).toContain(`text of ${index}`);
  });

  it('leaves other clients out of node statistics', async () => {
    await other.send('GET', `/secret-${id}/_search?q=text:hush`);
    // Each way to the node counts as a client, and shows its last request alone.
    const raw = createRawNode(engine());
    const { text: shown } = await raw.send('GET', '/_nodes/stats/http');
    raw.dispose();
    expect(shown.includes('hush'), 'the node shows it without us').toBe(!isOpenSearch);
    for (const path of [
      '/_nodes/stats/http',
      '/_nodes/stats',
      '/_nodes/stats/_all?filter_path=nodes.*.http.clients,nodes.*.http.total_opened',
    ]) {
      for (const tools of [narrowed, closed]) {
        const { text } = await request(tools, 'GET', path);
        expect(text, path).toContain('total_opened');
        expect(text, path).not.toMatch(/hush|last_uri|secret-/);
      }
    }
  });
});
