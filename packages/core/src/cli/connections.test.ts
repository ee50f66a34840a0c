import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeEngine } from '../testing/fake-engine.ts';
import { createFakeLeaf } from '../testing/fake-leaf.ts';
import { createFakeTerminal } from '../testing/fake-terminal.ts';
import { runCommand } from '../testing/run-command.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { connections } from './connections.ts';

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
  const terminal = createFakeTerminal({ folder: folder.path, ...options });
  const code = await runCommand(connections, { leaf: leaf(), terminal, words });
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
    await expect(run(['remove', 'main'])).rejects.toMatchObject({ kind: 'refused' });
    expect((await run(['remove', 'main'], { answers: ['y'] })).code).toBe(0);
    expect((await run(['list'])).err).toContain('connections add');
    await expect(run(['remove', 'man'], { answers: ['y'] })).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('are listed with what is wrong behind everything else, also when the first one is', async () => {
    const env = {
      THING_CONNECTIONS: JSON.stringify([
        { name: 'broken', prot: 1 },
        { name: 'main', host: 'h', user: 'me' },
      ]),
    };
    expect((await run(['list'], { env })).out).toMatch(/^name\s+host\s.*\sreadonly\s+from\s+problem\nbroken\s/);
    expect((await run(['test', 'nobody'], { env })).out).toContain('Run `thing-mcp connections list`');
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

  it.each([
    [['ad'], 'input'],
    [['add', 'main'], 'input'],
    [['add', 'main', 'what'], 'input'],
    [['add', 'main', 'host=a', 'host=b'], 'input'],
    [['add', 'main', 'ssh={'], 'input'],
    [['add', 'main', 'host=a', 'user=b', 'password=c', 'prt=1'], 'input'],
    [['update', 'main', 'host=a'], 'unknown'],
  ])('refuses %j', async (words, kind) => {
    await expect(run(words)).rejects.toMatchObject({ kind });
  });
});
