import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import { thisProcess } from '../../files/process-identity.ts';
import { failureOf, readHint } from '../../testing/failure-of.ts';
import { writeConnections } from '../../testing/fakes/registry-world.ts';
import { createTempFolder, type TempFolder } from '../../testing/temp-folder.ts';
import { createStore, type Store } from './store.ts';

let folder: TempFolder;
let path: string;
let store: Store;
let logged: string[];
beforeEach(() => {
  folder = createTempFolder();
  path = folder.at('config', 'app', 'connections.json');
  logged = [];
  store = createStore({ path, log: (_level, message) => logged.push(message), lockWaitMs: 300 });
});
afterEach(() => folder[Symbol.dispose]());

const add = (name: string, to: Store = store) => to.change(({ list }) => ({ connections: [...list, { name }] }));
const names = (of: Store = store) => of.read().candidates.map(({ name }) => name);
const read = (file = path): unknown => JSON.parse(readFileSync(file, 'utf8'));
const readMode = (file: string) => statSync(file).mode & 0o777;
/** The lock of a process that has ended. */
const deadLock = { ...thisProcess(), start: '1', nonce: 'abc123', at: Date.now() };

describe('a store', () => {
  it('is empty without a file, and creates a private one', async () => {
    expect(names()).toEqual([]);
    expect(existsSync(path)).toBe(false);
    await add('one');
    expect(names()).toEqual(['one']);
    expect([readMode(path), readMode(folder.at('config', 'app'))]).toEqual([0o600, 0o700]);
    expect(read()).toEqual({ version: 1, connections: [{ name: 'one' }] });
    expect(readdirSync(folder.at('config', 'app'))).toEqual(['connections.json']);
  });

  it('keeps what it does not know, and the state before the change', async () => {
    mkdirSync(folder.at('config', 'app'), { recursive: true });
    const before = {
      $schema: 'x',
      version: 1,
      later: { a: [1] },
      connections: [{ name: 'one', unknown: { b: null } }, 7, { name: '?' }],
    };
    writeFileSync(path, `\uFEFF${JSON.stringify(before)}`, { mode: 0o600 });
    await add('two');
    expect(read()).toEqual({ ...before, connections: [...before.connections, { name: 'two' }] });
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe(`\uFEFF${JSON.stringify(before)}`);
    expect(readMode(`${path}.bak`)).toBe(0o600);
  });

  it('changes nothing when the change throws', async () => {
    await add('one');
    const before = readFileSync(path);
    const failure = await failureOf(
      store.change(() => {
        throw new Error('no');
      }),
    );
    expect(failure.message).toBe('no');
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder.at('config', 'app'))).toEqual(['connections.json']);
  });

  it('loses nothing when two servers change it at once', async () => {
    const other = createStore({ path });
    const all = Array.from({ length: 20 }, (_, index) => add(`n${index}`, index % 2 ? store : other));
    await Promise.all(all);
    expect(names()).toHaveLength(20);
    expect(names(other)).toEqual(names());
  });

  it('follows links and keeps them', async () => {
    writeConnections(folder.at('real.json'), [{ name: 'one' }]);
    mkdirSync(folder.at('config', 'app'), { recursive: true });
    symlinkSync(folder.at('real.json'), path);
    await add('two');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(read(folder.at('real.json'))).toMatchObject({ connections: [{ name: 'one' }, { name: 'two' }] });
    expect(existsSync(folder.at('real.json.bak'))).toBe(true);
  });

  it('writes through a link that leads to nothing yet, and refuses one that leads in a circle', async () => {
    mkdirSync(folder.at('config', 'app'), { recursive: true });
    symlinkSync('../../new/real.json', path);
    expect(names()).toEqual([]);
    await add('one');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(read(folder.at('new', 'real.json'))).toMatchObject({ connections: [{ name: 'one' }] });
    symlinkSync('loop', folder.at('loop'));
    expect((await failureOf(add('x', createStore({ path: folder.at('loop') })))).message).toContain('loop');
  });

  it('is closed to others, with a warning', () => {
    writeConnections(path, [{ name: 'one' }]);
    chmodSync(path, 0o644);
    expect(names()).toEqual(['one']);
    expect(readMode(path)).toBe(0o600);
    expect(logged).toEqual([expect.stringContaining('open to other users')]);
    expect(names()).toEqual(['one']);
    expect(logged).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')(
    'is not used, nor closed, while everybody may write it: who knows what they wrote',
    async () => {
      writeConnections(path, [{ name: 'one' }]);
      chmodSync(path, 0o646);
      expect(readHint(store.read().problems[0])).toContain(`chmod 600 ${path}`);
      expect(names()).toEqual([]);
      expect((await failureOf(add('two'))).message).toContain('can be written by every user');
      expect(readMode(path)).toBe(0o646);
      chmodSync(path, 0o600);
      expect(names()).toEqual(['one']);
    },
  );

  it.skipIf(process.geteuid?.() !== 0)('is not used when another user owns it', async () => {
    writeConnections(path, [{ name: 'one' }]);
    chownSync(path, 4_321, 4_321);
    expect(store.read().problems[0]?.message).toContain('belongs to another user (uid 4321');
    expect(names()).toEqual([]);
    expect((await failureOf(add('two'))).message).toContain('belongs to another user');
    expect(read()).toMatchObject({ connections: [{ name: 'one' }] });
  });

  it.each([
    ['{"version": 1, "connections": [', 'E_JSON', 'line 1, column 32'],
    ['', 'E_JSON', 'line 1, column 1'],
    ['{}', 'E_CONFIG_VERSION', 'has no "version"'],
    ['{"version": "1"}', 'E_CONFIG_VERSION', 'does not know'],
    ['{"version": 0}', 'E_CONFIG_VERSION', 'does not know'],
    ['[]', 'E_CONFIG', 'holds a list'],
    ['7', 'E_CONFIG', 'holds a single value'],
    ['{"version": 1, "connections": {}}', 'E_CONFIG', 'not a list'],
    ['{"version": 1, "__proto__": {"x": 1}}', 'E_JSON', '__proto__'],
  ])('that holds %j is shown as broken and never overwritten', async (text, code, message) => {
    mkdirSync(folder.at('config', 'app'), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    const [problem] = store.read().problems;
    expect(problem).toMatchObject({ kind: 'config', code });
    expect(problem?.message).toContain(message);
    expect(problem?.message).toContain(path);
    expect(await failureOf(add('one'))).toMatchObject({ kind: 'config', code });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('names the copy when it is broken', async () => {
    await add('one');
    await add('two');
    writeFileSync(path, '{');
    expect(readHint(createStore({ path }).read().problems[0])).toContain(`${path}.bak`);
  });

  it('a store of a later version is read and not changed', async () => {
    mkdirSync(folder.at('config', 'app'), { recursive: true });
    writeFileSync(path, '{"version": 2, "connections": [{"name": "one"}]}', { mode: 0o600 });
    expect(names()).toEqual(['one']);
    expect(store.read().problems[0]).toMatchObject({ code: 'E_CONFIG_VERSION' });
    expect(await failureOf(add('two'))).toMatchObject({ code: 'E_CONFIG_VERSION' });
    expect(read()).toMatchObject({ version: 2 });
  });

  it('says which key beside the list it does not know', () => {
    mkdirSync(folder.at('config', 'app'), { recursive: true });
    writeFileSync(path, '{"version": 1, "conections": [{"name": "one"}], "$schema": "x"}', { mode: 0o600 });
    const { problems } = store.read();
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('unknown key "conections" (did you mean "connections"?)'),
    ]);
  });

  it('sees edits by hand, also of the same length at the same moment, and keeps the last good state', async () => {
    await add('one');
    const seen = store.read();
    expect(store.read()).toBe(seen);
    writeFileSync(path, JSON.stringify(read()).replace('one', 'two'));
    expect(names()).toEqual(['two']);
    writeFileSync(path, JSON.stringify(read()).replace('two', 'abc'));
    expect(names()).toEqual(['abc']);
    writeFileSync(path, '{\n  "version": 1,\n  oops');
    expect(names()).toEqual(['abc']);
    expect(store.read().problems[0]?.message).toMatch(
      /line 3, column 3: .*; the connections it held before are used until then$/,
    );
    writeConnections(path, [{ name: 'good' }]);
    expect(names()).toEqual(['good']);
    expect(store.read().problems).toEqual([]);
  });

  it('says that it cannot be written', async () => {
    writeFileSync(folder.at('config'), 'a file where a folder should be');
    expect(await failureOf(add('one'))).toMatchObject({ kind: 'config', code: 'E_STORE_WRITE' });
    expect(names()).toEqual([]);
  });

  it('never waits on what is no file', () => {
    mkdirSync(path, { recursive: true });
    expect(store.read().problems[0]?.message).toContain('not a regular file');
  });
});

describe('its lock', () => {
  beforeEach(() => mkdirSync(folder.at('config', 'app'), { recursive: true }));
  const lock = () => `${path}.lock`;

  it('the lock of a process that has ended is taken over at once', async () => {
    writeFileSync(lock(), JSON.stringify({ ...deadLock, pid: 2 ** 22 + 1 }));
    await add('one');
    writeFileSync(lock(), JSON.stringify(deadLock));
    await add('two');
    writeFileSync(lock(), JSON.stringify({ ...deadLock, start: thisProcess().start, boot: 'another' }));
    await add('three');
    expect(names()).toEqual(['one', 'two', 'three']);
    expect(readdirSync(folder.at('config', 'app')).sort()).toEqual(['connections.json', 'connections.json.bak']);
  });

  it.each([
    ['a living process', { ...thisProcess(), nonce: 'abc123', at: 0 }],
    ['another machine, not long ago', { pid: 1, host: `not-${hostname()}`, nonce: 'abc123', at: Date.now() }],
  ])('of %s is waited for, and then named', async (_, holder) => {
    writeFileSync(lock(), JSON.stringify(holder));
    const failure = await failureOf(add('one'));
    expect(failure).toMatchObject({ kind: 'config', code: 'E_LOCKED' });
    expect(failure.message).toContain(`process ${holder.pid}`);
    expect(existsSync(lock())).toBe(true);
  });

  it('the lock of another machine is taken over after a minute', async () => {
    writeFileSync(lock(), JSON.stringify({ pid: 1, host: `not-${hostname()}`, nonce: 'abc123', at: Date.now() - 61_000 }));
    await add('one');
    expect(names()).toEqual(['one']);
  });

  it('a lock that cannot be parsed is respected while it is young', async () => {
    writeFileSync(lock(), '');
    expect(await failureOf(add('one'))).toMatchObject({ code: 'E_LOCKED' });
  });

  it('a lock that is held by another name of the same file counts', async () => {
    writeConnections(folder.at('real.json'), []);
    symlinkSync(folder.at('real.json'), folder.at('link.json'));
    writeFileSync(folder.at('real.json.lock'), JSON.stringify({ ...thisProcess(), nonce: 'abc', at: 0 }));
    expect(await failureOf(add('one', createStore({ path: folder.at('link.json'), lockWaitMs: 50 })))).toMatchObject({
      code: 'E_LOCKED',
    });
  });

  it('is given in the order in which it was asked for, with time for others in between', async () => {
    const done: number[] = [];
    let others = 0;
    const timer = setInterval(() => others++, 1);
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(`n${index}`).then(() => done.push(index))));
    clearInterval(timer);
    expect(done).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(others).toBeGreaterThan(5);
  });

  it('is not taken any more for who was told meanwhile that it failed, in whatever place of the queue', async () => {
    writeFileSync(lock(), JSON.stringify({ ...thisProcess(), nonce: 'abc', at: Date.now() }));
    const patient = createStore({ path, lockWaitMs: 20_000 });
    const gone = new AbortController();
    const reason = new Failure('timeout', 'add_connection did not finish');
    const put = (name: string, signal?: AbortSignal) =>
      patient.change(({ list }) => ({ connections: [...list, { name }] }), signal);
    const first = failureOf(put('first', gone.signal));
    const second = put('second');
    const third = failureOf(put('third', gone.signal));
    gone.abort(reason);
    expect(await first).toBe(reason);
    rmSync(lock());
    await second;
    expect(await third).toBe(reason);
    expect(names()).toEqual(['second']);
    expect(existsSync(lock())).toBe(false);
  });

  it('lets the next one sweep what a killed process left', async () => {
    writeFileSync(folder.at('config', 'app', '.connections.json.999.abc.tmp'), 'half');
    writeFileSync(folder.at('config', 'app', 'mine.tmp'), 'keep');
    await add('one');
    expect(readdirSync(folder.at('config', 'app')).sort()).toEqual(['connections.json', 'mine.tmp']);
  });
});
