import { createLazyStream } from '@dbmole/core/testing';
import { type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ClusterBackend } from '../src/backend.ts';
import { get, openCluster, post, write } from './open-cluster.ts';
import { fillSlowIndex, slowSearch } from './slow-search.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

describe.each(engines)('an abandoned search on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let backend: ClusterBackend;
  let index: string;
  const within = () => ({ signal: AbortSignal.timeout(60_000) });

  beforeAll(async () => {
    backend = await open(engine());
    index = `slow-${process.pid}-${Date.now()}`;
    await fillSlowIndex(backend, index);
  }, 120_000);
  afterAll(async () => {
    await backend.send(write('DELETE', `/${index}`), within());
    await backend.dispose();
  });

  /** Counts the searches of this index that the cluster is running. */
  const running = async () => {
    const { text } = await backend.send(get('/_tasks?actions=*search*&detailed=true'), within());
    return text.split(index).length - 1;
  };

  const slow = (by: ClusterBackend, signal: AbortSignal) =>
    by.send(post(`/${index}/_search`, slowSearch()), { signal }).then(
      ({ text }) => expect.fail(`it was not slow: ${text.slice(0, 500)}`),
      (error: unknown) => error,
    );

  const expectGone = async () => {
    const stopped = performance.now();
    await vi.waitFor(async () => expect(await running()).toBe(0), { timeout: 10_000, interval: 10 });
    return performance.now() - stopped;
  };

  it('stops a cancelled search in the cluster', async () => {
    const stop = new AbortController();
    const call = slow(backend, stop.signal);
    await vi.waitFor(async () => expect(await running()).toBeGreaterThan(0), 10_000);
    stop.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    expect(await expectGone()).toBeLessThan(10_000);
  });

  it('stops a search in the cluster at its timeout', async () => {
    const call = slow(backend, AbortSignal.timeout(500));
    await vi.waitFor(async () => expect(await running()).toBeGreaterThan(0), 10_000);
    expect(await call).toMatchObject({ kind: 'timeout' });
    await expectGone();
  });

  it('stops a search through a tunnel', async () => {
    const { host, port } = engine();
    const tunnelled = await open(engine(), { dial: () => createLazyStream(host, port) });
    const stop = new AbortController();
    const call = slow(tunnelled, stop.signal);
    await vi.waitFor(async () => expect(await running()).toBeGreaterThan(0), 10_000);
    stop.abort();
    await call;
    await expectGone();
    await tunnelled.dispose();
  });

  it('stops a search when the backend is closed', async () => {
    const other = await open(engine());
    const call = slow(other, new AbortController().signal);
    await vi.waitFor(async () => expect(await running()).toBeGreaterThan(0), 10_000);
    await other.dispose();
    expect(await call).toMatchObject({ name: 'Failure' });
    await expectGone();
  });
});

function open({ host, port }: RunningEngine, target = {}): Promise<ClusterBackend> {
  return openCluster({ host, port }, target);
}
