import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BaseConnection } from '../../connection.ts';
import { type App, createApp, type ServerDefinition } from '../../program/app.ts';
import { forgetSecrets } from '../../redact/redact.ts';
import { failureOf } from '../../testing/failure-of.ts';
import { createFakeDefinition, type FakeConnection } from '../../testing/fakes/fake-definition.ts';
import { createFakeEngine, type FakeBackend, FakeEngineError } from '../../testing/fakes/fake-engine.ts';
import { createTempFolder, type TempFolder } from '../../testing/temp-folder.ts';
import { withManaged } from '../../tools/connections/managed.ts';

type Options = { logsInLate?: boolean };

let folder: TempFolder;
let engine: ReturnType<typeof createFakeEngine>;
let app: App<FakeConnection, FakeBackend>;
let definition: ServerDefinition<FakeConnection, FakeBackend>;

/** Prints what the file says, a line each time, and leaves a line for every run. */
const script = 'echo run >> runs; cat secret';
const command = ['sh', '-c', script];
const runs = () =>
  existsSync(folder.at('store', 'runs')) ? readFileSync(folder.at('store', 'runs'), 'utf8').split('\n').length - 1 : 0;
const rotate = (password: string) => {
  engine.behaviour.password = password;
  writeFileSync(folder.at('store', 'secret'), password);
};
const signal = new AbortController().signal;
const call = (name = 'main') =>
  withManaged(app.manager, name, (backend) => backend.get('greeting', signal), { ...definition.backend, signal });

function open(options: Options = {}) {
  definition = createFakeDefinition({
    createBackend: options.logsInLate ? createLateBackend : engine.createBackend,
    ping: async (backend, ending) => [String(await backend.get('greeting', ending))],
  });
  const env = { PATH: process.env.PATH, THING_STORE: folder.at('store', 'connections.json') };
  app = createApp(definition, { env, cwd: folder.path, home: folder.path, log: () => undefined });
}

/** Says who it is with every request and not when it is opened. */
async function createLateBackend({ config }: { config: BaseConnection }): Promise<FakeBackend> {
  const get = async () => {
    if (config.password !== engine.behaviour.password) throw new FakeEngineError('auth');
    return 'hello';
  };
  return { get, slow: async () => undefined, dispose: async () => undefined };
}

function writeStore(...connections: object[]) {
  mkdirSync(folder.at('store'), { recursive: true });
  const full = connections.map((one) => ({
    name: 'main',
    type: 'thing',
    ...engine.address,
    user: 'me',
    password: { command },
    ...one,
  }));
  writeFileSync(folder.at('store', 'connections.json'), JSON.stringify({ version: 1, connections: full }), { mode: 0o600 });
}

beforeEach(() => {
  folder = createTempFolder();
  engine = createFakeEngine();
  engine.data.set('greeting', 'hello');
  writeStore({});
  rotate('first-password');
  open();
});
afterEach(async () => {
  vi.useRealTimers();
  await app.dispose();
  folder[Symbol.dispose]();
  forgetSecrets();
});

describe('a secret that a program gives', () => {
  it('is asked for once, however often a connection is opened', async () => {
    for (let time = 0; time < 4; time += 1) {
      expect(await call()).toBe('hello');
      engine.restart();
    }
    expect(engine.openings).toBe(4);
    expect(runs()).toBe(1);
  });

  it('is asked for once by connections that open at the same time', async () => {
    writeStore({}, { name: 'second' }, { name: 'third' }, { name: 'other', password: { command: ['sh', '-c', `${script} #`] } });
    expect(await Promise.all(['main', 'second', 'third', 'other'].map(call))).toEqual(['hello', 'hello', 'hello', 'hello']);
    expect(runs()).toBe(2);
  });

  it('a changed secret works at the next call', async () => {
    await call();
    rotate('second-password');
    engine.restart();
    expect(await call()).toBe('hello');
    expect(runs()).toBe(2);
    engine.restart();
    await call();
    expect(runs()).toBe(2);
  });

  it('a changed secret works for all callers that find out at once', async () => {
    writeStore({}, { name: 'second' }, { name: 'third' });
    await Promise.all(['main', 'second', 'third'].map(call));
    rotate('second-password');
    engine.restart();
    expect(await Promise.all(['main', 'second', 'third'].map(call))).toEqual(['hello', 'hello', 'hello']);
    expect(runs()).toBeLessThanOrEqual(4);
  });

  it('is tried again only when another one comes out', async () => {
    await call();
    engine.behaviour.password = 'wrong-password';
    engine.restart();
    const before = engine.openings;
    expect(await failureOf(call())).toMatchObject({ kind: 'auth' });
    expect(engine.openings - before).toBe(1);
    expect(runs()).toBe(2);
  });

  it('a secret that was wrong when it was read is read again by the next call, and not before', async () => {
    engine.behaviour.password = 'wrong-password';
    expect(await failureOf(call())).toMatchObject({ kind: 'auth' });
    expect([runs(), engine.openings]).toEqual([1, 1]);
    rotate('wrong-password');
    expect(await call()).toBe('hello');
    expect(runs()).toBe(2);
  });

  it('is not renewed for an unrelated error', async () => {
    await call();
    engine.restart();
    engine.behaviour.failOpens = 1;
    expect(await failureOf(call())).toMatchObject({ kind: 'connection' });
    expect(await call()).toBe('hello');
    expect(runs()).toBe(1);
  });

  it('is found to be old before it is used where logging in comes later', async () => {
    await app.dispose();
    open({ logsInLate: true });
    expect(await call()).toBe('hello');
    rotate('second-password');
    await app.manager.close('main');
    expect(await call()).toBe('hello');
    expect(runs()).toBe(2);
  });

  it('is read again after a quarter of an hour', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await call();
    engine.restart();
    vi.advanceTimersByTime(14 * 60_000);
    await call();
    expect(runs()).toBe(1);
    engine.restart();
    vi.advanceTimersByTime(2 * 60_000);
    await call();
    expect(runs()).toBe(2);
  });

  it('is not kept when the program fails, and the connection that asked is named', async () => {
    writeStore({ password: { command: ['sh', '-c', 'echo run >> runs; exit 3'] } });
    const failures = await Promise.all([failureOf(call()), failureOf(call())]);
    expect(failures.map(({ code }) => code)).toEqual(['E_SECRET_COMMAND', 'E_SECRET_COMMAND']);
    expect(failures[0]?.message).toContain('password of connection "main"');
    await failureOf(call());
    expect(runs()).toBe(2);
  });
});
