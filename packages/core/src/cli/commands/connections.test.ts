import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeDefinition } from '../../testing/fakes/fake-definition.ts';
import { createFakeEngine } from '../../testing/fakes/fake-engine.ts';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { Audit } from '../../tools/connections/connection-tools.ts';
import { runProgram } from '../command-line.ts';

const folder = useTempFolder();
let engine: ReturnType<typeof createFakeEngine>;
beforeEach(() => {
  engine = createFakeEngine({ password: 's3cret-typed' });
});

const definition = (overrides: { audit?: () => Promise<Audit> } = {}) =>
  createFakeDefinition({
    createBackend: engine.createBackend,
    ping: async (backend, signal) => [`it says ${await backend.get('greeting', signal)}`],
    ...overrides,
  });

type Options = Parameters<typeof createFakeTerminal>[0] & { audit?: Audit };

async function run(words: string[], { audit, ...options }: Options = {}) {
  const terminal = createFakeTerminal({ folder: folder.path, argv: ['connections', ...words], ...options });
  const code = await runProgram(definition(audit && { audit: async () => audit }), terminal);
  return { code, out: terminal.printed, err: terminal.complained, asked: terminal.asked };
}

const place = () => [`host=${engine.address.host}`, `port=${engine.address.port}`, 'user=me'];
const storePath = () => folder.at('.config', 'thing', 'connections.json');
const store = () => JSON.parse(readFileSync(storePath(), 'utf8'));

const saved = () => (existsSync(storePath()) ? store().connections : []);

describe('connections add', () => {
  const account = { host: '', port: 0, user: 'me' };
  beforeEach(() => {
    engine.data.set('greeting', 'hello');
    Object.assign(account, { host: engine.address.host, port: engine.address.port });
  });

  it('tries a connection with what a person types unseen, and saves it read-only', async () => {
    const added = await run(['add', 'main', ...place()], { secrets: ['s3cret-typed'] });
    expect(added.out).toMatch(
      /^main answers: it says hello\nAdded main, read-only, to .*\nTo allow changes: .*readonly=false\n$/,
    );
    expect(saved()).toEqual([{ name: 'main', ...account, readonly: true, password: 's3cret-typed' }]);
    const listed = await run(['list']);
    expect(listed.out).toMatch(
      /^name\s+host\s+port\s+user\s+readonly\s+from\nmain\s+\S+\s+\d+\s+me\s+true\s+\S+connections.json\n$/,
    );
    expect(`${added.out}${listed.out}`).not.toContain('s3cret-typed');
  });

  it('says that it can be written to where a person wants that', async () => {
    const { out } = await run(['add', 'main', ...place(), 'readonly=false'], { secrets: ['s3cret-typed'] });
    expect(out).toMatch(/^Added main, writable, to .*\n$/m);
    expect(out).not.toContain('To allow changes');
  });

  it('says what the account could do beyond reading', async () => {
    const audit = { findings: ['This account can also: do anything.'], reader: ['make one;'], shared: [] };
    const { out } = await run(['add', 'main', ...place()], { secrets: ['s3cret-typed'], audit });
    expect(out).toContain('This account can also: do anything.\n');
    expect(out).not.toContain('make one');
  });

  it('names --password-stdin when a password is piped without it', async () => {
    const { code, err } = await run(['add', 'main', ...place()], { input: 's3cret-typed' });
    expect(code).toBe(1);
    expect(err).toMatch(/^E_AUTH.*\nPass --password-stdin to read the password from standard input\.\nPass --yes/);
  });

  it('asks for the password again when it is wrong', async () => {
    const { code, err, asked } = await run(['add', 'main', ...place()], { secrets: ['wrong', 's3cret-typed'] });
    expect({ code, asked: asked.length }).toEqual({ code: 0, asked: 2 });
    expect(err).toContain('E_AUTH');
    expect(saved()).toMatchObject([{ password: 's3cret-typed' }]);
  });

  it.each([
    ['n', 1, []],
    [undefined, 1, []],
    ['y', 0, [{ name: 'main', port: 1 }]],
  ])('saves what does not answer only after a yes: %j', async (answer, code, expected) => {
    const words = ['add', 'main', 'host=127.0.0.1', 'port=1', 'user=me', 'password=x'];
    const tried = await run(words, { answers: [answer] });
    expect(tried.code).toBe(code);
    expect(tried.err).toMatch(/^E_/);
    expect(tried.asked).toEqual(['Save main anyway? [y/N] ']);
    expect(saved()).toMatchObject(expected);
    if (answer === undefined) expect(tried.err).toContain('Pass --yes');
  });

  it('saves without asking with --yes', async () => {
    const { code, asked } = await run(['add', 'main', 'host=127.0.0.1', 'port=1', 'user=me', 'password=x', '--yes']);
    expect({ code, asked, saved: saved() }).toMatchObject({ code: 0, asked: [], saved: [{ name: 'main' }] });
  });

  it('refuses a name that is taken before it asks anything', async () => {
    await run(['add', 'main', ...place(), 'password=s3cret-typed']);
    const { code, err, asked } = await run(['add', 'main', ...place()], { secrets: ['s3cret-typed'] });
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(err).toContain('there is already a connection "main"');
  });

  it.each([
    [['a b', 'host=h', 'user=me'], 'name'],
    [['main', 'host=h', 'user=me', 'prt=1'], '"prt" is unknown'],
    [['main', 'host=h', 'user=me', 'readonly=perhaps'], 'readonly'],
  ])('refuses %j before it asks for a password', async (words, text) => {
    const { code, asked, err } = await run(['add', ...words], { secrets: ['s3cret-typed'] });
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(err).toContain(text);
  });

  it('takes a name that a project file would define which was never allowed', async () => {
    writeFileSync(folder.at('.thing.json'), JSON.stringify({ version: 1, connections: [{ name: 'main' }] }));
    await run(['add', 'main', ...place(), 'password=s3cret-typed']);
    expect(saved()).toMatchObject([{ name: 'main' }]);
  });

  it('reads the password from a pipe', async () => {
    await run(['add', 'main', ...place(), '--password-stdin'], { input: 's3cret-typed\n' });
    expect(saved()).toMatchObject([{ password: 's3cret-typed' }]);
    expect(await run(['add', 'two', ...place(), '--password-stdin'], { input: '' })).toMatchObject({ code: 2 });
  });

  it('may hold references, which no tool may write, and what a shell would not understand', async () => {
    const { asked } = await run(['add', 'main', ...place(), 'password={"env":"THE_PASSWORD"}', 'ssh=bastion', '-y']);
    expect(asked).toEqual([]);
    expect(saved()[0]).toMatchObject({ password: { env: 'THE_PASSWORD' }, ssh: 'bastion' });
  });

  it('takes every field in its own type', async () => {
    await run(['add', 'main', ...place(), 'password=x', 'timeoutMs=5000', 'description=what is in there', '-y']);
    expect(saved()[0]).toMatchObject({ timeoutMs: 5000, description: 'what is in there' });
    expect((await run(['list'])).out).toMatch(/^main .*what is in there/m);
  });
});

describe('connections update', () => {
  beforeEach(async () => {
    engine.data.set('greeting', 'hello');
    await run(['add', 'main', ...place(), 'password=s3cret-typed']);
  });

  it('lets a person open a connection to writing again', async () => {
    expect(await run(['update', 'main', 'readonly=false'])).toMatchObject({ code: 0, asked: [] });
    expect(saved()[0]).toMatchObject({ readonly: false });
  });

  it('asks for a new password unseen, and tries it', async () => {
    const wrong = await run(['update', 'main', 'password'], { secrets: ['other'], answers: ['n'] });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('E_AUTH') });
    expect(wrong.asked).toEqual(['New password: ', expect.stringContaining('Password'), 'Save main anyway? [y/N] ']);
    expect(saved()[0]).toMatchObject({ password: 's3cret-typed' });
    const again = await run(['update', 'main', 'password'], { secrets: ['other', 's3cret-typed'] });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Updated main') });
    const right = await run(['update', 'main', 'password'], { secrets: ['s3cret-typed'] });
    expect(right).toMatchObject({ code: 0, out: expect.stringContaining('main answers: it says hello') });
    expect((await run(['update', 'main', '--password-stdin'], { input: 's3cret-typed\n' })).code).toBe(0);
    expect(saved()[0]).toMatchObject({ password: 's3cret-typed' });
  });

  it('changes nothing when no password is typed or can be', async () => {
    expect(await run(['update', 'main', 'password'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--password-stdin'),
    });
    expect(await run(['update', 'main', 'password'], { secrets: [''] })).toMatchObject({ code: 2 });
    expect(await run(['update', 'main'])).toMatchObject({ code: 2, err: expect.stringContaining('nothing to change') });
    expect(saved()[0]).toMatchObject({ password: 's3cret-typed' });
  });

  it('removes a password only after a yes', async () => {
    const kept = await run(['update', 'main', 'password='], { answers: ['n'] });
    expect(kept).toMatchObject({ code: 1, asked: [expect.stringContaining('Remove the password of main?')] });
    expect(saved()[0]).toHaveProperty('password');
    await run(['update', 'main', 'password=', '--yes']);
    expect(saved()[0]).not.toHaveProperty('password');
  });

  it('tries what leads elsewhere, and saves what does not work only when a person wants it', async () => {
    const before = saved()[0];
    const { code, err } = await run(['update', 'main', 'port=1']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^E_[\s\S]*Pass --yes[\s\S]*main was not changed\./) });
    expect(saved()[0]).toEqual(before);
    expect(await run(['update', 'main', 'port=1'], { answers: ['y'] })).toMatchObject({ code: 0 });
    expect(saved()[0]).toMatchObject({ port: 1 });
    expect(await run(['update', 'main', 'port=2', '--yes'])).toMatchObject({ code: 0 });
    expect(saved()[0]).toMatchObject({ port: 2 });
  });
});

describe('connections', () => {
  it('are removed when a person says so', async () => {
    await run(['add', 'main', ...place(), 'password=s3cret-typed']);
    expect((await run(['remove', 'main'], { answers: ['no'] })).code).toBe(1);
    expect(await run(['rm', 'main'])).toMatchObject({ code: 1, err: expect.stringContaining('pass --yes') });
    expect((await run(['remove', 'main'], { answers: ['y'] })).code).toBe(0);
    expect((await run(['ls'])).err).toContain('connections add');
    expect(await run(['remove', 'man'], { answers: ['y'] })).toMatchObject({ code: 1, err: expect.stringContaining('"man"') });
  });

  it('are renamed, not to a name that is taken or none', async () => {
    await run(['add', 'main', ...place(), 'password=s3cret-typed']);
    await run(['add', 'two', ...place(), 'password=s3cret-typed']);
    expect(await run(['rename', 'main', 'two'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('already a connection "two"'),
    });
    expect((await run(['rename', 'main', 'a b'])).code).toBe(2);
    expect(await run(['rename', 'main', 'three'])).toMatchObject({ code: 0, out: 'Renamed main to three.\n' });
    expect(saved().map(({ name }: { name: string }) => name)).toEqual(['three', 'two']);
  });

  it('are shown with all fields, and no secret', async () => {
    await run(['add', 'main', ...place(), 'password=s3cret-typed', 'timeoutMs=5000']);
    const { out } = await run(['show', 'main']);
    expect(out).toMatch(/^field\s+value\nname\s+main\n/);
    for (const line of [/^user\s+me$/m, /^password\s+\(stored\)$/m, /^timeoutMs\s+5000$/m, /^from\s+\S+connections.json$/m])
      expect(out).toMatch(line);
    expect(out).not.toContain('s3cret');
  });

  it('say which other ones they hide', async () => {
    await run(['add', 'main', ...place(), 'password=s3cret-typed']);
    const env = { THING_CONNECTIONS: JSON.stringify([{ name: 'main', host: 'h', user: 'me' }]) };
    for (const words of [['list'], ['show', 'main']])
      expect((await run(words, { env })).out).toMatch(/hides the one of this name in store .*connections\.json/);
  });

  it('are listed with what is wrong behind everything else, also when the first one is', async () => {
    const env = {
      THING_CONNECTIONS: JSON.stringify([
        { name: 'broken', prot: 1 },
        { name: 'main', host: 'h', user: 'me' },
      ]),
    };
    const { out, err, code } = await run(['list'], { env });
    expect(out).toMatch(/^name\s+host\s.*\sreadonly\s+from\s+problem\nbroken\s.*\sE_CONFIG\nmain\s/);
    expect(err).toMatch(/^E_CONFIG: connection "broken" .*\(did you mean "port"\?\).* Correct it in THING_CONNECTIONS\..*\n$/);
    expect(code).toBe(1);
    expect((await run(['test', 'missing'], { env })).out).toMatch(/Use one of "\w+", "\w+"/);
  });

  it('are tested all at once, each with what is wrong with it', async () => {
    await run(['add', 'good', ...place(), 'password=s3cret-typed']);
    await run(['add', 'bad', 'host=127.0.0.1', 'port=1', 'user=me', 'password=x', '-y']);
    engine.data.set('greeting', 'hello');
    const { code, out } = await run(['test']);
    expect(code).toBe(1);
    expect(out).toMatch(/^good\s+ok/m);
    expect(out).toMatch(/^bad\s+failed\s+\d+\s+E_/m);
    expect((await run(['test', 'good'])).code).toBe(0);
  });

  it.each([['list'], ['test'], ['test', 'main'], []])('report a broken project file once, by %j %j', async (...words) => {
    writeFileSync(folder.at('.thing.json'), '{ "version": 1, }');
    const said = async () => {
      const { out, err, code } = await run(words);
      return { code, count: `${out}${err}`.split('.thing.json was found').length - 1 };
    };
    expect(await said()).toEqual({ code: 1, count: 1 });
    await run(['add', 'main', ...place(), 'password=x', '-y']);
    expect((await said()).count).toBe(1);
  });

  it('are not all well when there are none to test', async () => {
    expect(await run(['test'])).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('connections add NAME URL'),
      asked: [],
    });
  });

  it.each([
    [['ad'], 2, 'Did you mean add?'],
    [['add', 'main'], 2, 'connections add NAME URL'],
    [['add', 'main', 'what'], 2, '"what" is neither'],
    [['add', 'main', 'host=a', 'host=b'], 2, 'host is given twice'],
    [['add', 'main', 'ssh={'], 2, 'the value of ssh begins like JSON but is not valid'],
    [['add', 'main', 'host=a', 'user=b', 'password=c', 'prt=1'], 2, '"prt" is unknown'],
    [['update', 'main', 'host=a'], 1, 'no connections yet'],
  ])('refuses %j', async (words, code, text) => {
    expect(await run(words)).toMatchObject({ code, out: '', err: expect.stringContaining(text) });
  });
});
