import { linkSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fileConnectionShape } from '../connection.ts';
import { joinUrl, orIssue } from '../connection-url.ts';
import { redact } from '../redact/redact.ts';
import { failureOf } from '../testing/failure-of.ts';
import { type FakeConnection, fakeSchema } from '../testing/fakes/fake-definition.ts';
import { writeConnections } from '../testing/fakes/registry-world.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { createRegistry, type Registry, type RegistryOptions } from './registry.ts';
import { allowProjectFile } from './trust/trust.ts';

/** Connections that lead to a file of this machine, beside others that lead to a server. */
const folder = useTempFolder();
const env: Record<string, string | undefined> = {};
const storePath = () => folder.at('config', 'connections.json');
const stored = () => JSON.parse(readFileSync(storePath(), 'utf8'));
const box = { name: 'box', type: 'box', file: 'app.db' } as const;
let registry: Registry<FakeConnection>;

function open(more: Partial<RegistryOptions<FakeConnection>> = {}): Registry<FakeConnection> {
  const resolvePort = ({ port }: { port?: number | undefined }) => port ?? 1;
  const paths = { storePath: storePath(), cwd: folder.at('work'), home: folder.at('home'), projectFileName: '.thing.json' };
  return createRegistry({
    ...paths,
    env,
    envVar: 'THINGS',
    schema: fakeSchema,
    logPrefix: 'x',
    log: () => undefined,
    resolvePort,
    ...more,
  });
}

const createFile = (...path: string[]) => {
  const file = folder.at(...path);
  writeFileSync(file, 'a file');
  return file;
};
const writeStore = (...connections: object[]) => writeConnections(storePath(), connections);
const fileOf = async (name = 'box') => (await registry.get(name)).config.file;

beforeEach(() => {
  for (const name of Object.keys(env)) delete env[name];
  for (const name of ['work', 'home', 'config', 'elsewhere']) mkdirSync(folder.at(name));
  createFile('work', 'app.db');
  registry = open();
});

describe('the file of a connection', () => {
  it.each([
    ['app.db', ['config', 'app.db']],
    ['../elsewhere/./a.db', ['elsewhere', 'a.db']],
    ['~/a.db', ['home', 'a.db']],
    ['/srv/a.db', undefined],
    ['${DIR}/a.db', ['elsewhere', 'a.db']],
    ['data/${NAME:-x}.db', ['config', 'data', 'x.db']],
  ])('is read from %s as an absolute path', async (file, path) => {
    env.DIR = folder.at('elsewhere');
    writeStore({ ...box, file });
    expect((await registry.resolve()).config.file).toBe(path === undefined ? file : folder.at(...path));
  });

  it('begins at the project file that defines it, once that is allowed', async () => {
    const path = folder.at('work', '.thing.json');
    writeConnections(path, [{ ...box, file: './data/app.db' }]);
    expect(await failureOf(registry.get('box'))).toMatchObject({ code: 'E_NOT_ALLOWED' });
    await allowProjectFile({ trustPath: folder.at('config', 'allowed.json'), file: path });
    expect(await fileOf()).toBe(folder.at('work', 'data', 'app.db'));
  });

  it('is listed as it is written while it depends on a variable', async () => {
    writeStore({ ...box, file: '${DIR}/a.db' });
    env.DIR = '/srv/private';
    expect(await fileOf()).toBe('${DIR}/a.db');
    delete env.DIR;
    expect(await failureOf(registry.resolve())).toMatchObject({ code: 'E_ENV_UNSET' });
  });

  it('the file of a connection that is an option begins at the working directory when a person adds it', async () => {
    await registry.person.add(box);
    expect(stored().connections).toEqual([{ ...box, file: folder.at('work', 'app.db') }]);
    await registry.person.update('box', { file: '../elsewhere/b.db' });
    expect(await fileOf()).toBe(folder.at('elsewhere', 'b.db'));
    await registry.person.update('box', { file: '${DIR}/b.db' });
    expect(stored().connections).toEqual([{ ...box, file: '${DIR}/b.db' }]);
  });

  it('the file of a connection that is part of a URL is stored as a field', async () => {
    const parseUrl = (text: string): { password?: string } => Object({ type: 'box', file: text.slice('box:'.length) });
    const withUrl = z
      .strictObject({
        ...fileConnectionShape,
        type: z.literal('box').optional(),
        file: z.string().optional(),
        url: z.string().optional(),
      })
      .transform(({ url, ...fields }, context) =>
        url === undefined ? fields : orIssue(context, () => joinUrl(fields, url, parseUrl)),
      )
      .pipe(z.strictObject({ ...fileConnectionShape, type: z.literal('box') }));
    const urls = open({ schema: withUrl, parseUrl });
    await urls.add({ name: 'box', url: 'box:app.db' });
    await urls.person.add({ name: 'other', url: 'box:../elsewhere/a.db' });
    expect(stored().connections).toMatchObject([{ file: folder.at('work', 'app.db') }, { file: folder.at('elsewhere', 'a.db') }]);
  });

  it.each([
    [{ ssh: 'bastion' }, 'the key "ssh" is not accepted (this engine opens a file, which no SSH server can lead to)'],
    [{ host: 'db.internal' }, 'the key "host" is not accepted (this engine opens a file and has no host)'],
    [{ port: 1 }, 'the key "port"'],
    [{ user: 'me' }, 'the key "user"'],
    [{ file: undefined }, 'the key "file" is missing'],
    [{ type: 'thing', host: 'h', user: 'me' }, 'the key "file" is not accepted (this engine is a server and opens no file)'],
  ])('goes with nothing that belongs to a server: %j', async (change, message) => {
    writeStore({ ...box, ...change });
    const failures = [failureOf(registry.get('box')), failureOf(registry.add({ ...box, name: 'other', ...change }))];
    for (const failure of await Promise.all(failures)) expect(failure.message).toContain(message);
  });
});

describe('a tool that adds a file', () => {
  it('names one of the working directory, without links', async () => {
    symlinkSync(folder.at('work', 'app.db'), folder.at('work', 'link.db'));
    for (const file of ['app.db', './app.db', folder.at('work', 'app.db'), 'link.db', '../work/app.db']) {
      await registry.add({ ...box, file });
      expect(stored().connections).toEqual([{ ...box, file: folder.at('work', 'app.db'), noLinks: true }]);
      await registry.remove('box');
    }
  });

  it.each(['.git', '.thing.json'])('names one of the project around the working directory, which has a %s', async (marker) => {
    const inside = open({ cwd: folder.at('project', 'api') });
    mkdirSync(folder.at('project', 'api'), { recursive: true });
    const file = createFile('project', 'app.db');
    createFile('elsewhere', 'secret.db');
    symlinkSync(folder.at('elsewhere', 'secret.db'), folder.at('project', 'link.db'));
    expect(await failureOf(inside.add({ ...box, file: '../app.db' }))).toMatchObject({ code: 'E_PERSON_ONLY' });
    createFile('project', marker);
    for (const other of ['../link.db', '../../elsewhere/secret.db'])
      expect(await failureOf(inside.add({ ...box, file: other }))).toMatchObject({ code: 'E_PERSON_ONLY' });
    await inside.add({ ...box, file: '../app.db' });
    expect(stored().connections).toEqual([{ ...box, file, noLinks: true }]);
    // A repository with the home folder in it is no project.
    const homely = open({ cwd: folder.at('project', 'api'), home: folder.at('project', 'home') });
    expect(await failureOf(homely.add({ ...box, name: 'other', file: '../app.db' }))).toMatchObject({ code: 'E_PERSON_ONLY' });
  });

  it('may be served from a folder that is reached by a link', async () => {
    symlinkSync(folder.at('work'), folder.at('link-to-work'));
    await open({ cwd: folder.at('link-to-work') }).add(box);
    expect(stored().connections).toEqual([{ ...box, file: folder.at('work', 'app.db'), noLinks: true }]);
  });

  it.each(['../elsewhere/secret.db', '~/secret.db', '/etc/passwd', '/etc/not-there', 'link.db', 'linked/secret.db', '.'])(
    'cannot name %s',
    async (file) => {
      createFile('elsewhere', 'secret.db');
      createFile('home', 'secret.db');
      symlinkSync(folder.at('elsewhere', 'secret.db'), folder.at('work', 'link.db'));
      symlinkSync(folder.at('elsewhere'), folder.at('work', 'linked'));
      writeStore({ ...box, name: 'mine', file: folder.at('work', 'app.db') });
      for (const work of [registry.add({ ...box, file }), registry.update('mine', { file })])
        expect(await failureOf(work)).toMatchObject({ kind: 'refused', code: 'E_PERSON_ONLY' });
      await registry.person.add({ ...box, file });
    },
  );

  it('names none where the working directory holds the home folder', async () => {
    createFile('home', 'a.db');
    for (const cwd of ['home', '.', '..']) {
      const failure = await failureOf(open({ cwd: folder.at(cwd) }).add({ ...box, file: folder.at('home', 'a.db') }));
      expect([cwd, failure.code]).toEqual([cwd, 'E_PERSON_ONLY']);
    }
  });

  it('names one that exists, and no folder', async () => {
    mkdirSync(folder.at('work', 'folder'));
    for (const file of ['ap.db', 'folder', '${HOME}.db', 'app.db/x'])
      expect(await failureOf(registry.add({ ...box, file }))).toMatchObject({
        kind: 'input',
        message: `there is no file ${folder.at('work', file)}`,
      });
    createFile('work', '${HOME}.db');
    await registry.add({ ...box, file: '${HOME}.db' });
    expect(await fileOf()).toBe(folder.at('work', '${HOME}.db'));
  });
});

describe('a read-only file', () => {
  const guarded = () => ({ ...box, name: 'guarded', file: folder.at('work', 'app.db'), readonly: true });

  it('cannot be opened for writing by another path to it', async () => {
    symlinkSync(folder.at('work'), folder.at('work', 'here'));
    symlinkSync(folder.at('work', 'app.db'), folder.at('work', 'link.db'));
    linkSync(folder.at('work', 'app.db'), folder.at('work', 'hard.db'));
    createFile('work', 'other.db');
    writeStore(guarded());
    for (const file of ['app.db', './/app.db', 'here/here/app.db', 'link.db', 'hard.db']) {
      const failure = await failureOf(registry.add({ ...box, file }));
      expect([file, failure.code]).toEqual([file, 'E_READONLY_LOCKED']);
      expect(failure.message).toContain(folder.at('work', 'app.db'));
    }
    await registry.add({ ...box, file: 'app.db', readonly: true });
    await registry.add({ ...box, name: 'other', file: 'other.db' });
    expect(await failureOf(registry.update('other', { file: 'hard.db' }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
  });

  it('stays read-only when a tool has removed or moved its connection', async () => {
    writeStore(guarded());
    createFile('work', 'other.db');
    await registry.update('guarded', { file: 'other.db' });
    expect(stored().readonlyPlaces).toEqual([{ file: folder.at('work', 'app.db') }]);
    await registry.remove('guarded');
    for (const file of ['app.db', 'other.db'])
      expect(await failureOf(registry.add({ ...box, file }))).toMatchObject({ code: 'E_READONLY_LOCKED' });
    await registry.person.add({ ...box, file: 'app.db' });
    expect((await registry.get('box')).config.readonly).toBe(false);
  });

  it('is remembered itself, and not the link by which it was named', async () => {
    symlinkSync(folder.at('work', 'app.db'), folder.at('work', 'link.db'));
    writeStore({ ...guarded(), file: folder.at('work', 'link.db') });
    await registry.remove('guarded');
    unlinkSync(folder.at('work', 'link.db'));
    expect(await failureOf(registry.add(box))).toMatchObject({ code: 'E_READONLY_LOCKED' });
  });

  it('is compared although its connection is not valid, and also in a project', async () => {
    writeStore({ ...guarded(), ssh: 'bastion' });
    expect(await failureOf(registry.add(box))).toMatchObject({ code: 'E_READONLY_LOCKED' });
    writeStore();
    const path = folder.at('work', '.thing.json');
    writeConnections(path, [{ ...guarded(), file: 'app.db' }]);
    await allowProjectFile({ trustPath: folder.at('config', 'allowed.json'), file: path });
    expect(await failureOf(registry.add(box))).toMatchObject({ code: 'E_READONLY_LOCKED' });
  });

  it('is another place than a server of that name', async () => {
    writeStore(guarded());
    await registry.add({ name: 'thing', type: 'thing', host: 'app.db', user: 'me' });
    expect((await registry.get('thing')).config).toMatchObject({ host: 'app.db' });
  });
});

describe('a secret of a file', () => {
  it('is removed from every text, and does not go along to another file', async () => {
    createFile('work', 'other.db');
    writeStore({ ...box, file: folder.at('work', 'app.db'), password: 'the-key-of-the-box' });
    await registry.list();
    expect(redact('the-key-of-the-box')).toBe('[secret]');
    const moved = { file: 'other.db' };
    expect(await failureOf(registry.update('box', moved))).toMatchObject({ code: 'E_SECRET_REDIRECT' });
    const toServer = { type: 'thing', file: null, host: 'evil.example', user: 'me' };
    expect(await failureOf(registry.update('box', toServer))).toMatchObject({ code: 'E_SECRET_REDIRECT' });
    await registry.update('box', { ...moved, password: null });
    expect(stored().connections).toEqual([{ ...box, file: folder.at('work', 'other.db'), noLinks: true }]);
  });

  it('a secret of a file of a server is not read by an engine of files', async () => {
    writeStore({ name: 'thing', type: 'thing', host: 'h', user: 'me', password: { env: 'PW' } });
    const change = { type: 'box', file: 'app.db', host: null, user: null };
    expect(await failureOf(registry.update('thing', change))).toMatchObject({ code: 'E_SECRET_REDIRECT' });
  });
});

describe('what a person has narrowed', () => {
  it('is not widened by another connection to the same file', async () => {
    const narrowing = open({ restrictionFields: ['description'] });
    writeStore({ ...box, name: 'narrow', file: folder.at('work', 'app.db'), description: 'only this', readonly: true });
    const failure = await failureOf(narrowing.add({ ...box, readonly: true }));
    expect(failure).toMatchObject({ code: 'E_PERSON_ONLY', message: expect.stringContaining('"narrow"') });
    createFile('work', 'other.db');
    expect(await failureOf(narrowing.update('narrow', { file: 'other.db' }))).toMatchObject({ code: 'E_PERSON_ONLY' });
    expect(await failureOf(narrowing.remove('narrow'))).toMatchObject({ code: 'E_PERSON_ONLY' });
  });
});
