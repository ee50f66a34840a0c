import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { respond } from '../answer/respond.ts';
import { runProgram } from '../cli/command-line.ts';
import { connectTestClient, type TestClient } from '../testing/client.ts';
import { createFakeDefinition } from '../testing/fakes/fake-definition.ts';
import { createFakeEngine, type FakeBackend } from '../testing/fakes/fake-engine.ts';
import { createFakeTerminal } from '../testing/fakes/fake-terminal.ts';
import { writeConnections } from '../testing/fakes/registry-world.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { withManaged } from '../tools/connections/managed.ts';
import { defineTool } from '../tools/tool.ts';
import { type App, createApp } from './app.ts';

/** A program whose connections lead to servers and to files, through both of its doors. */
const folder = useTempFolder();
let engine: ReturnType<typeof createFakeEngine>;
const storePath = () => folder.at('.config', 'thing', 'connections.json');
const saved = () => (existsSync(storePath()) ? JSON.parse(readFileSync(storePath(), 'utf8')).connections : []);
const appFile = () => folder.at('app.db');

beforeEach(() => {
  engine = createFakeEngine();
  engine.data.set('greeting', 'hello');
  writeFileSync(appFile(), 'a file');
});

const define = () =>
  createFakeDefinition<FakeBackend>({
    createBackend: engine.createBackend,
    ping: async (backend, signal) => [`it says ${await backend.get('greeting', signal)}`],
    register: registerWrite,
  });

/** A tool that writes, as those of a real program do. */
function registerWrite({ manager, toolServer }: Pick<App<never, FakeBackend>, 'manager' | 'toolServer'>): void {
  const write = defineTool({
    ...{ name: 'write', title: 'Write', description: 'writes', effect: 'destroy' },
    input: () => z.strictObject({ connection: z.string() }),
    handler: async ({ connection }, { signal, onFound }) => {
      const work = async (backend: FakeBackend) => (await backend.get('greeting', signal)) ?? '';
      const text = await withManaged(manager, connection, work, { signal, onFound, isStaleError: () => false });
      return respond.text(text);
    },
  });
  toolServer.register(write);
}

describe('the command line', () => {
  async function run(argv: string[], options: Parameters<typeof createFakeTerminal>[0] = {}) {
    const terminal = createFakeTerminal({ folder: folder.path, argv, ...options });
    const code = await runProgram(define(), terminal);
    return { code, out: terminal.printed, err: terminal.complained, asked: terminal.asked };
  }

  it('adds a file by its path, asks for no password, and shows where it leads', async () => {
    const added = await run(['connections', 'add', 'main', './app.db']);
    expect(added).toMatchObject({
      code: 0,
      asked: [],
      out: expect.stringMatching(/^main answers: it says hello\nAdded main, read-only/),
    });
    expect(saved()).toEqual([{ name: 'main', file: appFile(), readonly: true }]);
    expect((await run(['connections', 'list'])).out).toMatch(/^name +file +readonly +from\nmain +\S+app\.db +true /);
    expect((await run(['connections', 'show', 'main'])).out).toMatch(/^file +\S+app\.db$/m);
    expect((await run(['connections', 'test'])).out).toMatch(/^main +ok/m);
    expect((await run(['doctor'])).out).toMatch(/ok {2}main \(.*read-only\): it says hello$/m);
  });

  it('says what is wrong with a file, before and after it is saved', async () => {
    const missing = await run(['connections', 'add', 'main', 'file=gone.db'], { answers: ['y'] });
    expect(missing.err).toContain(`E_CONNECTION: cannot open ${folder.at('gone.db')}`);
    expect(missing.asked).toEqual(['Save main anyway? [y/N] ']);
    expect((await run(['doctor', 'main'])).out).toMatch(/!! {2}main .*E_CONNECTION: cannot open \S+gone\.db/);
    expect(await run(['connections', 'update', 'main', 'file=app.db'])).toMatchObject({ code: 0 });
    expect(saved()).toEqual([{ name: 'main', file: appFile(), readonly: true }]);
  });

  it('refuses an SSH server in front of a file', async () => {
    const refused = await run(['connections', 'add', 'main', './app.db', 'ssh=bastion']);
    expect(refused).toMatchObject({ code: 2, out: '', asked: [] });
    expect(refused.err).toContain('"ssh" is not accepted (this engine opens a file, which no SSH server can lead to)');
    await run(['connections', 'add', 'main', './app.db']);
    expect((await run(['trust', 'main'])).err).toContain('"main" has no "ssh"');
  });

  it('removes a file from the connections, and not from the disk', async () => {
    await run(['connections', 'add', 'main', './app.db']);
    expect((await run(['connections', 'remove', 'main', '--yes'])).code).toBe(0);
    expect(saved()).toEqual([]);
    expect(existsSync(appFile())).toBe(true);
  });
});

describe('the tools', () => {
  let app: ReturnType<typeof open>;
  let client: TestClient;
  const paths = () => ({ cwd: folder.path, home: '/home-of-no-project' });
  const open = () => createApp(define(), { env: { THING_STORE: storePath() }, ...paths(), log: () => undefined });
  const read = (name: string) => client.call(name, {}).then(({ text }) => text);

  beforeEach(async () => {
    app = open();
    client = await connectTestClient(app.toolServer);
  });
  afterEach(async () => {
    await client.close();
    await app.dispose();
  });

  it('add, list, test and remove a file', async () => {
    expect((await client.call('add_connection', { name: 'main', file: 'app.db' })).text).toMatch(/^Added main, writable, in /);
    expect(await read('list_connections')).toMatch(/\nname,file,readonly,state,from\nmain,\S+app\.db,false,closed,store /);
    expect(await read('test_connection')).toMatch(/^main answers \(\d+ ms\)\..*\nit says hello$/);
    expect(await read('list_connections')).toContain('app.db,false,open,');
    expect((await client.call('remove_connection', { name: 'main' })).isError).toBe(false);
    expect(saved()).toEqual([]);
  });

  it('name neither files elsewhere nor SSH servers in front of one', async () => {
    const codeOf = async (fields: object) => (await client.call('add_connection', { name: 'main', ...fields })).structured?.code;
    expect(await codeOf({ file: '/etc/passwd' })).toBe('E_PERSON_ONLY');
    expect(await codeOf({ file: 'app.db', ssh: 'bastion' })).toBe('E_INPUT');
    expect(await codeOf({ file: 'app.db', host: 'db.internal' })).toBe('E_INPUT');
    expect(saved()).toEqual([]);
  });

  it('do not write to another file than the one that was used before', async () => {
    const other = folder.at('other.db');
    writeFileSync(other, 'another file');
    writeConnections(storePath(), [{ name: 'main', file: appFile() }]);
    expect((await client.call('write', { connection: 'main' })).text).toBe('hello');
    writeConnections(storePath(), [{ name: 'main', file: other }]);
    const refused = await client.call('write', { connection: 'main' });
    expect(refused).toMatchObject({ isError: true, structured: { code: 'E_CONNECTION_CHANGED' } });
    expect(refused.text).toContain(`file ${other} (was ${appFile()}); nothing was sent`);
    expect((await client.call('write', { connection: 'main' })).text).toBe('hello');
  });

  it('say that a file is gone, and use it again when it is back', async () => {
    writeConnections(storePath(), [{ name: 'main', file: appFile() }]);
    rmSync(appFile());
    expect(await read('test_connection')).toContain(`cannot open ${appFile()}`);
    writeFileSync(appFile(), 'back');
    expect(await read('test_connection')).toContain('it says hello');
  });
});
