import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeEngine } from '../testing/fake-engine.ts';
import { createFakeLeaf } from '../testing/fake-leaf.ts';
import { createFakeTerminal } from '../testing/fake-terminal.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { runLeaf } from './command-line.ts';

const folder = useTempFolder();
let engine: ReturnType<typeof createFakeEngine>;
beforeEach(() => {
  engine = createFakeEngine({ password: 's3cret-typed' });
});

const leaf = () =>
  createFakeLeaf({
    createBackend: engine.createBackend,
    ping: async (backend, signal) => [`it says ${await backend.get('greeting', signal)}`],
  });

async function run(words: string[], options: Parameters<typeof createFakeTerminal>[0] = {}) {
  const terminal = createFakeTerminal({ folder: folder.path, argv: ['connections', ...words], ...options });
  const code = await runLeaf(leaf(), terminal);
  return { code, out: terminal.printed, err: terminal.complained, asked: terminal.asked };
}

const place = () => [`host=${engine.address.host}`, `port=${engine.address.port}`, 'user=me'];
const store = () => JSON.parse(readFileSync(folder.at('.config', 'thing', 'connections.json'), 'utf8'));

describe('connections', () => {
  it('are added with what a person types unseen, tested at once, and listed', async () => {
    engine.data.set('greeting', 'hello');
    const added = await run(['add', 'main', ...place(), 'readonly=true'], { secrets: ['s3cret-typed'] });
    expect(added).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Added main to .*\n.*\nmain\s+yes\s+\d+\s+it says hello/),
    });
    expect(store().connections).toEqual([
      {
        name: 'main',
        host: engine.address.host,
        port: engine.address.port,
        user: 'me',
        readonly: true,
        password: 's3cret-typed',
      },
    ]);
    const listed = await run(['list']);
    expect(listed.out).toMatch(
      /^name\s+host\s+port\s+user\s+readonly\s+from\nmain\s+\S+\s+\d+\s+me\s+true\s+\S+connections.json\n$/,
    );
    expect(`${added.out}${listed.out}`).not.toContain('s3cret-typed');
  });

  it('may hold references, which no tool may write, and what a shell would not understand', async () => {
    const { code, asked } = await run(['add', 'main', ...place(), 'password={"env":"THE_PASSWORD"}', 'ssh=bastion']);
    expect({ code, asked }).toEqual({ code: 1, asked: [] });
    expect(store().connections[0]).toMatchObject({ password: { env: 'THE_PASSWORD' }, ssh: 'bastion' });
  });

  it('can be opened to writing again by a person, and by nobody else', async () => {
    await run(['add', 'main', ...place(), 'readonly=true', 'password=x']);
    expect((await run(['update', 'main', 'readonly=false', 'password='])).code).toBe(0);
    expect(store().connections[0]).toMatchObject({ readonly: false });
    expect(store().connections[0]).not.toHaveProperty('password');
  });

  it('are removed when a person says so', async () => {
    await run(['add', 'main', ...place(), 'password=x']);
    expect((await run(['remove', 'main'], { answers: ['no'] })).code).toBe(1);
    expect(await run(['remove', 'main'])).toMatchObject({ code: 1, err: expect.stringContaining('pass --yes') });
    expect((await run(['remove', 'main'], { answers: ['y'] })).code).toBe(0);
    expect((await run(['list'])).err).toContain('connections add');
    expect(await run(['remove', 'man'], { answers: ['y'] })).toMatchObject({ code: 1, err: expect.stringContaining('"man"') });
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
    expect(err).toMatch(/^E_CONFIG: connection "broken" .*\(did you mean "port"\?\).* Correct it in THING_CONNECTIONS;.*\n$/);
    expect(code).toBe(1);
    expect((await run(['test', 'nobody'], { env })).out).toContain('`thing-mcp connections list` shows the names');
  });

  it('are tested all at once, each with what is wrong with it', async () => {
    await run(['add', 'good', ...place(), 'password=s3cret-typed']);
    await run(['add', 'bad', 'host=127.0.0.1', 'port=1', 'user=me', 'password=x']);
    engine.data.set('greeting', 'hello');
    const { code, out } = await run(['test']);
    expect(code).toBe(1);
    expect(out).toMatch(/^good\s+yes/m);
    expect(out).toMatch(/^bad\s+no\s+E_/m);
  });

  it.each([['list'], ['test'], ['test', 'main'], []])('are told of a broken project file once, by %j %j', async (...words) => {
    writeFileSync(folder.at('.thing.json'), '{ "version": 1, }');
    const said = async () => {
      const { out, err, code } = await run(words);
      return { code, count: `${out}${err}`.split('.thing.json was found').length - 1 };
    };
    expect(await said()).toEqual({ code: 1, count: 1 });
    await run(['add', 'main', ...place(), 'password=x']);
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
    [['add', 'main', 'ssh={'], 2, 'ssh begins like JSON'],
    [['add', 'main', 'host=a', 'user=b', 'password=c', 'prt=1'], 2, '"prt" is unknown'],
    [['update', 'main', 'host=a'], 1, 'no connections yet'],
  ])('refuses %j', async (words, code, text) => {
    expect(await run(words)).toMatchObject({ code, out: '', err: expect.stringContaining(text) });
  });
});
