import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import { findUnusedPort, openSilentServer } from '../loopback.ts';
import { type Able, type BackendHarness, type ContractRig, createContractRig } from './contract-rig.ts';

export interface BackendContract<C extends BaseConnection, B extends Backend> {
  name: string;
  start(): Promise<BackendHarness<C, B>>;
}

interface Suite<C extends BaseConnection, B extends Backend> {
  harness(): BackendHarness<C, B>;
  /** A manager over these connections, closed after the test. */
  open(...configs: C[]): ContractRig<C, B>;
}

/** What every backend owes the manager; each server runs it over each of its real engines. */
export function describeBackendContract<C extends BaseConnection, B extends Backend>({
  name,
  start,
}: BackendContract<C, B>): void {
  describe(`backend contract: ${name}`, () => {
    let harness: BackendHarness<C, B> | undefined;
    const rigs: ContractRig<C, B>[] = [];
    beforeAll(async () => {
      harness = await start();
    });
    afterEach(async () => {
      await Promise.all(rigs.splice(0).map((rig) => rig.manager.disposeAll()));
    });
    afterAll(async () => await harness?.stop());

    const running = () => harness ?? expect.fail('the harness did not start');
    const open = (...configs: C[]) => {
      const rig = createContractRig(running(), configs);
      rigs.push(rig);
      return rig;
    };
    describeOpening({ harness: running, open });
    describeFailures({ harness: running, open });
    describeLife({ harness: running, open });
  });
}

function describeOpening<C extends BaseConnection, B extends Backend>({ harness, open }: Suite<C, B>): void {
  it('opens once for many first calls', async () => {
    const rig = open(harness().connection({}));
    await Promise.all(Array.from({ length: 20 }, () => rig.ping()));
    expect(rig.targets).toHaveLength(1);
  });

  it('is told the configured host as server name', async ({ skip }) => {
    requireNetwork(harness(), skip);
    const config = harness().connection({});
    const rig = open(config);
    await rig.ping();
    expect(rig.targets).toMatchObject([{ serverName: config.host, connectHost: config.host, config: { name: config.name } }]);
    expect(rig.targets[0]).not.toHaveProperty('dial');
  });

  it('sends every byte through the tunnel, and gets a new one when it is lost', async ({ skip }) => {
    requireNetwork(harness(), skip);
    const host = 'behind-the-bastion.invalid';
    const rig = open(harness().connection({ host, ssh: 'bastion' }));
    await rig.ping();
    expect(rig.targets).toMatchObject([{ serverName: host, connectHost: host }]);
    expect(rig.tunnels[0]?.dialled).toContain(`${host}:${rig.targets[0]?.connectPort}`);
    rig.tunnels[0]?.lose(new Error('the network went away'));
    await rig.ping();
    await rig.manager.disposeAll();
    expect(rig.tunnels.map(({ closings }) => closings)).toEqual([1, 1]);
  });
}

function describeFailures<C extends BaseConnection, B extends Backend>({ harness, open }: Suite<C, B>): void {
  it('does not remember a failed opening', async () => {
    const rig = open(harness().connection({}));
    rig.failNextOpening();
    await expect(rig.ping()).rejects.toMatchObject({ name: 'Failure' });
    await rig.ping();
    expect(rig.targets).toHaveLength(2);
  });

  it('says that the password is wrong, and works with the right one', async ({ skip }) => {
    ableTo(harness().passwords, skip);
    const rig = open(harness().connection({ password: 'not-the-password' }));
    await expect(rig.ping()).rejects.toMatchObject({ name: 'Failure', kind: 'auth' });
    rig.registry.set(harness().connection({}));
    await rig.ping();
  });

  it('says soon, and with a next step, that nothing listens', async ({ skip }) => {
    requireNetwork(harness(), skip);
    const rig = open(harness().connection({ host: '127.0.0.1', port: await findUnusedPort() }));
    const failure = { name: 'Failure', kind: 'connection', hint: expect.stringMatching(/\w/) };
    await expect(rig.ping(AbortSignal.timeout(10_000))).rejects.toMatchObject(failure);
  });

  it('is not slowed by a connection that hangs, and lets go of it when told', async ({ skip }) => {
    requireNetwork(harness(), skip);
    const silent = await openSilentServer();
    const rig = open(harness().connection({}), harness().connection({ name: 'silent', host: '127.0.0.1', port: silent.port }));
    const stop = new AbortController();
    const hanging = rig.ping(stop.signal, 'silent').catch((error: unknown) => error);
    await rig.ping();
    expect(await Promise.race([hanging, delay(0, 'hangs')])).toBe('hangs');
    stop.abort();
    expect(await hanging).toMatchObject({ name: 'Failure', kind: 'cancelled' });
    await vi.waitFor(() => expect(rig.opening).toBe(0), 15_000);
    await silent.close();
  });
}

function describeLife<C extends BaseConnection, B extends Backend>({ harness, open }: Suite<C, B>): void {
  it('ends a slow call when it is cancelled, and stays usable', async ({ skip }) => {
    const slow = ableTo(harness().slow, skip);
    const rig = open(harness().connection({}));
    await rig.ping();
    const stop = new AbortController();
    const call = rig.use(slow, stop.signal).catch((error: unknown) => error);
    expect(await Promise.race([call, delay(200, 'runs')])).toBe('runs');
    stop.abort();
    expect(await Promise.race([call, delay(10_000, 'runs', { ref: false })])).toMatchObject({
      name: 'Failure',
      kind: 'cancelled',
    });
    await rig.ping();
  });

  it('leaves no session on the server', async ({ skip }) => {
    const sessions = ableTo(harness().sessions, skip);
    const before = await sessions();
    const rig = open(harness().connection({}));
    await rig.ping();
    // The session of an earlier call may end meanwhile.
    const during = await sessions();
    expect(during).toBeGreaterThan(0);
    await rig.manager.disposeAll();
    const left = Math.min(before, during - 1);
    await vi.waitFor(async () => expect(await sessions()).toBeLessThanOrEqual(left), 10_000);
  });

  it('outlives a restart of the server: the next call works', async ({ skip }) => {
    const restart = ableTo(harness().restart, skip);
    const rig = open(harness().connection({}));
    await rig.ping();
    await restart();
    await rig.ping();
    expect(rig.targets.length).toBeLessThanOrEqual(2);
  });
}

function requireNetwork({ network }: { network?: { missing: string } }, skip: (reason: string) => never): void {
  if (network !== undefined) skip(network.missing);
}

/** The capability, or skips the test with the reason why it is missing. */
function ableTo<T>(capability: Able<T>, skip: (reason: string) => never): T {
  return isMissing(capability) ? skip(capability.missing) : capability;
}

function isMissing<T>(capability: Able<T>): capability is { missing: string } {
  return typeof capability === 'object' && capability !== null && 'missing' in capability;
}
