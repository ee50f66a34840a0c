import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { respond } from '../../answer/respond.ts';
import type { Workplace } from '../../program/app.ts';
import { createFakeDefinition, type FakeConnection } from '../../testing/fakes/fake-definition.ts';
import { createFakeEngine, type FakeBackend } from '../../testing/fakes/fake-engine.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { withManaged } from '../../tools/connections/managed.ts';
import { defineTool } from '../../tools/tool.ts';
import type { MoleOptions, MoleProgress } from './mole.ts';
import { openMole } from './open-mole.ts';

const folder = useTempFolder();

function registerTools({ manager, toolServer }: Workplace<FakeConnection, FakeBackend>): void {
  for (const effect of ['read', 'destroy'] as const) {
    toolServer.register(
      defineTool({
        name: effect === 'read' ? 'look' : 'change',
        title: effect,
        description: effect,
        effect,
        input: () => z.strictObject({ connection: z.string().optional(), waits: z.boolean().default(false) }),
        handler: async ({ connection, waits }, { signal, onFound, progress }) => {
          progress(1, 2, 'half of it');
          const use = async (_: FakeBackend, { name }: { name: string }) => {
            if (waits) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
            return respond.text(`this is ${name}`);
          };
          return await withManaged(manager, connection, use, { signal, onFound, isStaleError: () => false });
        },
      }),
    );
  }
}

function createDefinition() {
  const engine = createFakeEngine();
  const { host, port } = engine.address;
  const connection = (name: string) => ({ name, host, port, user: 'me' });
  const passwords: unknown[] = [];
  const definition = createFakeDefinition<FakeBackend>({
    createBackend(target, signal) {
      passwords.push(target.config.password);
      return engine.createBackend(target, signal);
    },
    register: registerTools,
  });
  return { engine, definition, connection, passwords };
}

async function open(options: (connection: ReturnType<typeof createDefinition>['connection']) => unknown) {
  const { engine, definition, connection, passwords } = createDefinition();
  // A program without types could pass this as well.
  const mole = await openMole(definition, options(connection) as MoleOptions<unknown>);
  return { mole, engine, passwords };
}

const north = (connection: ReturnType<typeof createDefinition>['connection']) => ({ connections: [connection('north')] });

describe('a server inside a program', () => {
  it('lists its tools as a client sees them, without those that change connections', async () => {
    const { mole } = await open(north);
    expect(mole.tools.map(({ name }) => name)).toEqual(['list_connections', 'test_connection', 'look', 'change']);
    expect(mole.tools.at(-1)).toMatchObject({
      inputSchema: { type: 'object', properties: { connection: { type: 'string' } } },
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    await mole.dispose();
  });

  it('opens a connection at the first call, and once for all clients', async () => {
    const { mole, engine } = await open(north);
    expect(engine.openings).toBe(0);
    expect(await mole.call('look')).toEqual({ content: [{ type: 'text', text: 'this is north' }] });
    const { client } = await connect(mole);
    expect(await client.callTool({ name: 'look', arguments: {} })).toMatchObject({ content: [{ text: 'this is north' }] });
    expect(engine.openings).toBe(1);
    await mole.dispose();
  });

  it('answers what fails, and throws for an unknown tool alone', async () => {
    const { mole } = await open(north);
    expect(await mole.call('look', { connection: 'south' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'E_UNKNOWN' },
    });
    expect(await mole.call('look', { wrong: 1 })).toMatchObject({ isError: true, structuredContent: { code: 'E_INPUT' } });
    await expect(mole.call('add_connection', { name: 'x' })).rejects.toThrow('no tool is called "add_connection"');
    await mole.dispose();
  });

  it('stops a call whose signal is aborted', async () => {
    const { mole, engine } = await open(north);
    const controller = new AbortController();
    const call = mole.call('look', { waits: true }, { signal: controller.signal });
    await vi.waitFor(() => expect(engine.openings).toBe(1));
    controller.abort();
    expect(await call).toMatchObject({ isError: true, structuredContent: { code: 'E_CANCELLED' } });
    expect(await mole.call('look', {}, { signal: controller.signal })).toMatchObject({ isError: true });
    await mole.dispose();
  });

  it('reports progress, also to a listener that throws', async () => {
    const { mole } = await open(north);
    const reports: MoleProgress[] = [];
    const onProgress = (one: MoleProgress) => {
      reports.push(one);
      throw new Error('not our problem');
    };
    expect(await mole.call('look', {}, { onProgress })).not.toHaveProperty('isError');
    expect(reports).toEqual([{ progress: 1, total: 2, message: 'half of it' }]);
    await mole.dispose();
  });

  it('leaves out the tools that its options leave out', async () => {
    const names = async (more: object) => {
      const { mole } = await open((connection) => ({ ...north(connection), ...more }));
      await mole.dispose();
      return mole.tools.map(({ name }) => name);
    };
    expect(await names({ readonly: true })).toEqual(['list_connections', 'test_connection', 'look']);
    expect(await names({ tools: ['look', 'change'] })).toEqual(['look', 'change']);
    expect(await names({ tools: 'read,-look' })).toEqual(['list_connections', 'test_connection']);
    await expect(names({ tools: ['nothing'] })).rejects.toThrow('unknown tool "nothing"');
  });

  it('limits the time of a call', async () => {
    for (const timeout of [20, '20ms']) {
      const { mole } = await open((connection) => ({ ...north(connection), timeout }));
      expect(await mole.call('look', { waits: true })).toMatchObject({ structuredContent: { code: 'E_TIMEOUT' } });
      await mole.dispose();
    }
  });

  it('uses neither variables nor files of the user unless it was asked to', async () => {
    const { host, port } = createFakeEngine().address;
    const stored = { name: 'stored', host, port, user: 'me', type: 'thing' };
    const store = folder.at('store.json');
    writeFileSync(store, JSON.stringify({ version: 1, connections: [stored] }), { mode: 0o600 });
    vi.stubEnv('THING_STORE', store);
    vi.stubEnv('THING_CONNECTIONS', JSON.stringify([{ ...stored, name: 'variable' }]));
    vi.stubEnv('THING_READONLY', '1');
    try {
      const alone = await open(north);
      expect(readText(await alone.mole.call('list_connections'))).not.toMatch(/stored|variable/);
      expect(alone.mole.tools.map(({ name }) => name)).toContain('change');
      const asked = await open((connection) => ({ ...north(connection), fromConfiguration: true, cwd: folder.path }));
      const listed = readText(await asked.mole.call('list_connections'));
      for (const name of ['north', 'stored', 'variable']) expect(listed).toContain(name);
      expect(asked.mole.tools.map(({ name }) => name)).not.toContain('change');
      expect(asked.mole.tools.map(({ name }) => name)).toContain('add_connection');
      await Promise.all([alone.mole.dispose(), asked.mole.dispose()]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('takes a secret from the variable that the connection names, and never shows it', async () => {
    vi.stubEnv('MOLE_TEST_PASSWORD', 'a-secret-of-the-test');
    const { mole, passwords } = await open((connection) => ({
      connections: [{ ...connection('north'), password: { env: 'MOLE_TEST_PASSWORD' } }],
    }));
    await mole.call('look');
    expect(passwords).toEqual(['a-secret-of-the-test']);
    expect(JSON.stringify(await mole.call('look', { connection: 'a-secret-of-the-test' }))).not.toContain('a-secret');
    await mole.dispose();
    vi.unstubAllEnvs();
  });

  it.each([
    ['nothing', undefined, 'createThing was given no connections'],
    ['no connections', {}, 'createThing was given no connections'],
    ['an option that it does not know', { connections: [], readOnly: true }, 'createThing has no option "readOnly"'],
    ['a wrong type', { connections: [], readonly: 'yes' }, 'invalid option readonly of createThing: expected true or false'],
    ['an invalid name', { connections: [{ name: 'a b' }] }, 'invalid option connections[0].name of createThing'],
    ['a connection that cannot be used', { connections: [{ name: 'a', hots: 'x' }] }, 'the key "hots" is unknown'],
    [
      'a URL that is not set',
      { connections: [{ name: 'a', url: undefined }] },
      'connections[0].url of createThing: it is undefined',
    ],
    ['a wrong time', { connections: [], timeout: 'soon' }, 'invalid timeout "soon"'],
  ])('refuses %s', async (_what, options, message) => {
    await expect(open(() => options)).rejects.toThrow(message);
  });

  it('refuses two connections of one name', async () => {
    const twice = open((connection) => ({ connections: [connection('north'), connection('north')] }));
    await expect(twice).rejects.toMatchObject({ code: 'E_DUPLICATE_NAME' });
  });

  it('ends calls, clients and connections when it is disposed', async () => {
    const { mole, engine } = await open(north);
    const { client, closed } = await connect(mole);
    const call = mole.call('look', { waits: true });
    await vi.waitFor(() => expect(engine.openings).toBe(1));
    await mole[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ isError: true, structuredContent: { code: 'E_SHUTTING_DOWN' } });
    expect(await mole.call('look')).toMatchObject({ structuredContent: { code: 'E_SHUTTING_DOWN' } });
    await closed;
    await expect(client.callTool({ name: 'look', arguments: {} })).rejects.toThrow();
    await expect(connect(mole)).rejects.toThrow('was disposed');
    await mole.dispose();
  });

  it('ends the calls of a client that leaves, and tells the owner of the transport', async () => {
    const { mole } = await open(north);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const onclose = vi.fn();
    theirs.onclose = onclose;
    await mole.connect(theirs);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(ours);
    await client.close();
    expect(onclose).toHaveBeenCalledOnce();
    expect(await mole.call('look')).not.toHaveProperty('isError');
    await mole.dispose();
  });
});

async function connect(mole: Awaited<ReturnType<typeof openMole>>) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await mole.connect(theirs);
  const client = new Client({ name: 'test', version: '1' });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(ours);
  return { client, closed };
}

function readText({ content: [first] }: { content: { text: string }[] }): string {
  return first?.text ?? '';
}
