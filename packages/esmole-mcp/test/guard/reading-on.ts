import { expect, it } from 'vitest';
import type { ClusterIdentity } from '../../src/call/cluster-request.ts';
import type { Method } from '../../src/call/path.ts';
import { guardRequest } from '../../src/guard/guard.ts';
import { readPitNames } from '../../src/guard/pit-id.ts';
import { formatWire } from '../../src/http/wire.ts';
import { findChanges, takeFingerprint } from './fingerprint.ts';
import type { RawNode } from './raw-node.ts';

interface Place {
  readonly node: RawNode;
  readonly identity: ClusterIdentity;
}

type Send = (request: string, body?: object) => Promise<unknown>;

/** What is opened through the guard can be read and closed through it, and then nothing is left. */
export function describeReadingOn(place: () => Place): void {
  it('opens, reads and closes a scroll', async () => {
    await leavesNothing(place(), async (send) => {
      const first = await send('POST /g-shop/_search?scroll=1m', { size: 1 });
      const id = textAt(first, '_scroll_id');
      const second = await send('POST /_search/scroll', { scroll_id: id, scroll: '1m' });
      await send(`GET /_search/scroll/${encodeURIComponent(id)}?scroll=1m`);
      await send('DELETE /_search/scroll', { scroll_id: [textAt(second, '_scroll_id')] });
      const other = textAt(await send('GET /_search?scroll=10s&size=1'), '_scroll_id');
      await send(`DELETE /_search/scroll/${encodeURIComponent(other)}`);
    });
  });

  it('opens, reads and closes a point in time', async () => {
    await leavesNothing(place(), async (send) => {
      const isOpenSearch = place().identity.product === 'opensearch';
      const open = isOpenSearch ? '_search/point_in_time' : '_pit';
      const opened = await send(`POST /g-shop/${open}?keep_alive=1m`);
      const id = textAt(opened, isOpenSearch ? 'pit_id' : 'id');
      const page = await send('POST /_search', { pit: { id, keep_alive: '1m' }, size: 1, sort: ['n'] });
      expect(JSON.stringify(page)).toContain('g-shop');
      const close = isOpenSearch ? 'DELETE /_search/point_in_time' : 'DELETE /_pit';
      await send(close, isOpenSearch ? { pit_id: [id] } : { id: textAt(page, 'pit_id') });
    });
  });

  checkPitNames(place);

  it('reads and closes no point in time of other indices', async () => {
    const { node, identity } = place();
    const isOpenSearch = identity.product === 'opensearch';
    const open = (index: string) =>
      node.send('POST', `/${index}/${isOpenSearch ? '_search/point_in_time' : '_pit'}?keep_alive=1m`);
    const idOf = async (index: string) => textAt((await open(index)).json, isOpenSearch ? 'pit_id' : 'id');
    const [hidden, visible] = [await idOf('.g-secret'), await idOf('g-shop')];
    const search = (id: string, indices?: string[]) => () =>
      guardRequest(
        { method: 'POST', path: '/_search', params: {}, body: { pit: { id } } },
        { identity, systemIndices: false, ...(indices && { indices }) },
      );
    expect(search(hidden)).toThrow('.g-secret');
    expect(search(visible, ['g-lookup'])).toThrow('"g-shop" is not among');
    expect(search(visible, ['g-s*'])).not.toThrow();
    expect(search('AAAA', ['g-s*'])).toThrow('has an unknown form');
    for (const id of [hidden, visible]) await close(node, isOpenSearch, id);
  });
}

function checkPitNames(place: () => Place): void {
  it('reads the indices of each of 60 points in time exactly', async () => {
    const { node, identity } = place();
    const isOpenSearch = identity.product === 'opensearch';
    const path = isOpenSearch ? '_search/point_in_time' : '_pit';
    for (let at = 0; at < 60; at++) {
      const { json } = await node.send('POST', `/g-shop,g-lookup,.g-secret/${path}?keep_alive=1m`);
      const id = textAt(json, isOpenSearch ? 'pit_id' : 'id');
      expect(readPitNames(id)?.toSorted(), id).toEqual(['.g-secret', 'g-lookup', 'g-shop']);
      await close(node, isOpenSearch, id);
    }
  });
}

async function close(node: RawNode, isOpenSearch: boolean, id: string): Promise<void> {
  const path = isOpenSearch ? '/_search/point_in_time' : '/_pit';
  expect((await node.send('DELETE', path, isOpenSearch ? { pit_id: [id] } : { id })).status).toBe(200);
}

async function leavesNothing({ node, identity }: Place, work: (send: Send) => Promise<void>): Promise<void> {
  const before = await takeFingerprint(node);
  await work(async (request, body) => {
    const [method = '', path = ''] = request.split(' ');
    // The requests above begin with a method.
    const given = { method: method as Method, path, params: {}, body };
    const wire = formatWire(guardRequest(given, { identity, systemIndices: false }));
    const { status, json, text } = await node.send(wire.method, wire.path, wire.body, wire.contentType);
    expect(status, `${request}: ${text.slice(0, 300)}`).toBe(200);
    return json;
  });
  expect(findChanges(before, await takeFingerprint(node))).toEqual([]);
}

function textAt(value: unknown, key: string): string {
  const found: unknown = Reflect.get(Object(value), key);
  if (typeof found !== 'string') throw new Error(`no ${key} in ${JSON.stringify(value)}`);
  return found;
}
