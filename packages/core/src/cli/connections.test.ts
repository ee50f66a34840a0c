import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { baseConnectionShape } from '../connection.ts';
import { createApp, type Leaf } from '../program/app.ts';
import { createFakeEngine, type FakeBackend, formatFakeError, isFakeStaleError } from '../testing/fake-engine.ts';
import { createFakeTerminal } from '../testing/fake-terminal.ts';
import { createTempFolder, type TempFolder } from '../testing/temp-folder.ts';
import { toolConnectionShape } from '../tools/connection-tool-schema.ts';
import { connections } from './connections.ts';

const own = { type: z.literal('thing').default('thing'), url: z.string().optional() };
const schema = z.strictObject({ ...baseConnectionShape, ...own });
type Thing = z.output<typeof schema>;

let folder: TempFolder;
let engine: ReturnType<typeof createFakeEngine>;
beforeEach(() => {
  folder = createTempFolder();
  engine = createFakeEngine({ password: 's3cret-typed' });
});
afterEach(() => folder[Symbol.dispose]());

function leaf(): Leaf<Thing, FakeBackend> {
  return {
    name: 'thing-mcp',
    version: '1',
    app: 'thing',
    summary: '',
    instructions: '',
    schema,
    toolSchema: z.strictObject({ ...toolConnectionShape, ...own }),
    routeFields: [],
    descriptions: { list: '', add: '', update: '', remove: '', test: '' },
    createBackend: (target, signal) => engine.createBackend(target, signal),
    resolvePort: ({ port }) => port ?? 1,
    ping: async (backend, signal) => [`it says ${await backend.get('greeting', signal)}`],
    publicView: ({ host, port, user }) => ({ host, port, user }),
    isStaleError: isFakeStaleError,
    formatError: formatFakeError,
  };
}

async function run(words: string[], options: Parameters<typeof createFakeTerminal>[0] = {}) {
  const terminal = createFakeTerminal({ folder: folder.path, ...options });
  const app = createApp(leaf(), { env: terminal.env, cwd: folder.path, home: folder.path, log: () => undefined });
  try {
    const code = await connections({ leaf: leaf(), terminal, words, options: {}, serverArgs: [], app: () => app });
    return { code, out: terminal.printed, err: terminal.complained, asked: terminal.asked };
  } finally {
    await app.dispose();
  }
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
