import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createManager } from '../../manager/manager.ts';
import type { TestClient, TestReply } from '../../testing/client.ts';
import { connectTestClient } from '../../testing/client.ts';
import { createFakeEngine, isFakeStaleError } from '../../testing/fakes/fake-engine.ts';
import { createFakeTunnel } from '../../testing/fakes/fake-tunnel.ts';
import { type ExampleConnection, eachInRegistryWorld, example, type RegistryWorld } from '../../testing/fakes/registry-world.ts';
import { toolConnectionShape } from '../../tools/connections/connection-tool-schema.ts';
import { registerConnectionTools } from '../../tools/connections/connection-tools.ts';
import { createToolServer } from '../../tools/tool-server.ts';
import type { RegistryOptions } from '../registry.ts';

/** What a model can do with the tools, beside a connection that a person made read-only. */
let world: RegistryWorld;
const clients: TestClient[] = [];
eachInRegistryWorld((one) => {
  world = one;
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

type Options = Partial<RegistryOptions<ExampleConnection>>;

const names: Readonly<Record<string, readonly string[]>> = {
  'db.internal': ['10.0.0.5', '2001:db8::5'],
  'alias.internal': ['10.0.0.5'],
  'six.internal': ['2001:DB8:0::5'],
  'mapped.internal': ['::ffff:10.0.0.5'],
  'other.internal': ['10.0.0.6'],
  'loop.internal': ['127.0.0.1'],
  'bücher.internal': ['10.0.0.7'],
  'bastion.internal': ['10.0.0.8'],
};

const asked: string[] = [];
const lookup = async (host: string): Promise<readonly string[]> => {
  asked.push(host);
  const found = names[host];
  if (found === undefined) throw new Error(`ENOTFOUND ${host}`);
  return found;
};

async function openTools(options: Options = {}): Promise<TestClient> {
  asked.length = 0;
  const registry = world.another({ lookup, ...options });
  const manager = createManager(registry, {
    createBackend: createFakeEngine().createBackend,
    createTunnel: async () => createFakeTunnel({}),
    resolvePort: () => 1,
  });
  const server = createToolServer({ name: 'example', version: '1', instructions: '', log: () => undefined });
  registerConnectionTools(server, {
    manager,
    registry,
    fullSchema: z.strictObject({ ...toolConnectionShape, type: z.string(), database: z.string().optional() }),
    publicView: ({ host, port }) => ({ host, port }),
    descriptions: { list: '', add: '', update: '', remove: '', test: '' },
    ping: async () => [],
    isStaleError: isFakeStaleError,
  });
  const client = await connectTestClient(server);
  clients.push(client);
  return client;
}

const readCode = (reply: TestReply) => reply.structured?.code;
const guard = (fields: object) => world.writeStore({ ...example, name: 'guarded', port: 5, readonly: true, ...fields });
const added = { ...example, name: 'twin', port: 5 };

describe('add_connection on a server that only reads', () => {
  it('saves the connection as read-only for servers that may write, too', async () => {
    const tools = await openTools({ readonly: true });
    expect((await tools.call('add_connection', { ...added, name: 'one' })).text).toMatch(/^Added one, readonly, in /);
    expect((await tools.call('add_connection', { ...added, name: 'two', readonly: true })).isError).toBe(false);
    const refused = await tools.call('add_connection', { ...added, name: 'three', readonly: false });
    expect(readCode(refused)).toBe('E_READONLY_LOCKED');
    const later = await (await openTools()).call('update_connection', { name: 'one', readonly: false });
    expect(readCode(later)).toBe('E_READONLY_LOCKED');
    const stored = (await world.another({}).list()).entries.map(({ name, config }) => [name, config?.readonly]);
    expect(stored).toEqual([
      ['one', true],
      ['two', true],
    ]);
  });
});

describe('add_connection beside a read-only place', () => {
  it.each([
    [
      'db.internal',
      ['alias.internal', 'six.internal', 'mapped.internal', '10.0.0.5', '::ffff:a00:5', '[2001:db8::5]', 'Alias.Internal.'],
    ],
    ['10.0.0.5', ['db.internal', 'alias.internal', 'mapped.internal', '0xa.5', '167772165', '012.0.0.5']],
    ['2001:db8::5', ['db.internal', 'six.internal']],
    ['localhost', ['loop.internal', '127.1', '0', '::1', '::ffff:7f00:1', 'LOCALHOST.']],
    ['loop.internal', ['localhost', '127.0.0.2', '0.0.0.0', '::', '[::1]', '0x7f000001', '0177.1']],
    ['10.0.0.7', ['bücher.internal', 'BÜCHER.internal', 'xn--bcher-kva.internal']],
  ])('refuses a writable connection to %s by another name or address of it', async (host, spellings) => {
    guard({ host });
    const unicode = { ...names, 'xn--bcher-kva.internal': ['10.0.0.7'] };
    const tools = await openTools({ lookup: async (name) => unicode[name as keyof typeof unicode] ?? [] });
    for (const spelling of spellings) {
      expect([spelling, readCode(await tools.call('add_connection', { ...added, host: spelling }))]).toEqual([
        spelling,
        'E_READONLY_LOCKED',
      ]);
    }
    expect((await tools.call('add_connection', { ...added, host: 'other.internal' })).isError).toBe(false);
  });

  it('refuses every name that /etc/hosts gives a loopback address', async () => {
    guard({ host: '127.0.0.1' });
    const tools = await openTools({ lookup: undefined });
    const lines = readFileSync('/etc/hosts', 'utf8').split('\n');
    const aliases = lines.filter((line) => /^(127\.|::1\s)/.test(line)).flatMap((line) => line.trim().split(/\s+/).slice(1));
    expect(aliases).toContain('localhost');
    for (const host of aliases) {
      const reply = await tools.call('add_connection', { ...added, host });
      expect([host, readCode(reply)]).toEqual([host, 'E_READONLY_LOCKED']);
    }
  });

  it('says which read-only host has that address', async () => {
    guard({ host: 'db.internal' });
    const { text } = await (await openTools()).call('add_connection', { ...added, host: 'alias.internal' });
    expect(text).toContain('alias.internal port 5, which has an address of db.internal, so no tool can add a writable one');
  });

  it('compares a name that does not resolve as it is written', async () => {
    guard({ host: 'unknown.internal' });
    const tools = await openTools();
    expect(readCode(await tools.call('add_connection', { ...added, host: 'UNKNOWN.internal' }))).toBe('E_READONLY_LOCKED');
    expect((await tools.call('add_connection', { ...added, host: 'strange.internal' })).isError).toBe(false);
  });

  it('does not wait for a resolver that does not answer', async () => {
    guard({ host: 'db.internal' });
    const tools = await openTools({ lookup: () => new Promise(() => undefined), lookupMs: 50 });
    expect((await tools.call('add_connection', { ...added, host: 'slow.internal' })).isError).toBe(false);
  });

  it('resolves no name for another port or a read-only connection', async () => {
    guard({ host: 'db.internal' });
    const tools = await openTools();
    expect((await tools.call('add_connection', { ...added, host: 'alias.internal', port: 6 })).isError).toBe(false);
    const readonly = { ...added, name: 'reader', host: 'alias.internal', readonly: true };
    expect((await tools.call('add_connection', readonly)).isError).toBe(false);
    expect(asked).toEqual([]);
  });

  it('refuses a place that was read-only until a tool removed the connection', async () => {
    guard({ host: 'db.internal' });
    const tools = await openTools();
    await tools.call('remove_connection', { name: 'guarded' });
    expect(readCode(await tools.call('add_connection', { ...added, host: 'alias.internal' }))).toBe('E_READONLY_LOCKED');
  });

  it('refuses another node of a read-only cluster', async () => {
    guard({ host: 'db.internal', mirror: 'other.internal', type: 'south' });
    const otherPlaces = ({ mirror }: ExampleConnection) => (mirror === undefined ? [] : [{ host: mirror, port: 5 }]);
    const tools = await openTools({ otherPlaces });
    for (const host of ['other.internal', '10.0.0.6', 'alias.internal']) {
      expect([host, readCode(await tools.call('add_connection', { ...added, host }))]).toEqual([host, 'E_READONLY_LOCKED']);
    }
    await tools.call('remove_connection', { name: 'guarded' });
    expect(readCode(await tools.call('add_connection', { ...added, host: '10.0.0.6' }))).toBe('E_READONLY_LOCKED');
  });

  it('refuses another name of a place that a person narrowed', async () => {
    guard({ host: 'db.internal', mirror: 'only-this', type: 'south', readonly: false });
    const tools = await openTools({ restrictionFields: ['mirror'] });
    const reply = await tools.call('add_connection', { ...added, host: 'alias.internal', readonly: true });
    expect(readCode(reply)).toBe('E_PERSON_ONLY');
  });

  it('keeps a connection that another process adds while names are resolved', async () => {
    guard({ host: 'db.internal' });
    const meanwhile = world.another();
    const tools = await openTools({
      lookup: async (host) => {
        if (host === 'other.internal') await meanwhile.person.add({ ...example, name: 'second', host: 'six.internal', port: 5 });
        return lookup(host);
      },
    });
    expect((await tools.call('add_connection', { ...added, host: 'other.internal' })).isError).toBe(false);
    expect(world.readStore().connections.map(({ name }) => name)).toEqual(['guarded', 'second', 'twin']);
  });

  it('lets a person add another name of a read-only place', async () => {
    guard({ host: 'db.internal' });
    const registry = world.another({ lookup });
    await registry.person.add({ ...added, host: 'alias.internal' });
    expect(world.readStore().connections).toHaveLength(2);
  });
});

describe('update_connection beside a read-only place', () => {
  it('refuses to move a writable connection to another name of it', async () => {
    const mine = { ...example, name: 'mine', host: 'other.internal', port: 5 };
    world.writeStore({ ...example, name: 'guarded', host: 'db.internal', port: 5, readonly: true }, mine);
    const tools = await openTools();
    for (const host of ['alias.internal', '10.0.0.5', 'mapped.internal']) {
      expect(readCode(await tools.call('update_connection', { name: 'mine', host }))).toBe('E_READONLY_LOCKED');
    }
    await tools.call('update_connection', { name: 'mine', host: 'alias.internal', port: 6 });
    expect(readCode(await tools.call('update_connection', { name: 'mine', port: 5 }))).toBe('E_READONLY_LOCKED');
  });
});

describe('behind an SSH server', () => {
  it('compares a name as it is written and as it resolves here', async () => {
    guard({ host: 'db.internal', ssh: 'bastion.internal' });
    const tools = await openTools();
    for (const host of ['DB.internal', '10.0.0.5', 'alias.internal']) {
      for (const ssh of ['bastion.internal', { host: 'elsewhere' }]) {
        expect(readCode(await tools.call('add_connection', { ...added, host, ssh }))).toBe('E_READONLY_LOCKED');
      }
      expect(readCode(await tools.call('add_connection', { ...added, host }))).toBe('E_READONLY_LOCKED');
    }
  });

  it.each(['db.internal', 'alias.internal', { host: '10.0.0.5' }])(
    'takes loopback addresses for the server itself (%j)',
    async (ssh) => {
      guard({ host: 'db.internal' });
      const tools = await openTools();
      for (const host of ['localhost', '127.0.0.1', '::1']) {
        expect(readCode(await tools.call('add_connection', { ...added, host, ssh }))).toBe('E_READONLY_LOCKED');
      }
      guard({ host: 'localhost', ssh });
      expect(readCode(await tools.call('add_connection', { ...added, host: '10.0.0.5' }))).toBe('E_READONLY_LOCKED');
    },
  );
});

describe('a stored password', () => {
  it.each(['db.internal', 'loop.internal', 'localhost', '${HERE}', 'unknown.internal'])(
    'is not sent to another port of %s',
    async (host) => {
      world.env.HERE = 'localhost';
      for (const ssh of [{}, { ssh: 'bastion.internal' }]) {
        world.writeStore({ ...example, host, password: 'stored-password', ...ssh });
        const tools = await openTools();
        for (const change of [{ port: 7 }, { type: 'south' }]) {
          const reply = await tools.call('update_connection', { name: 'prod', ...change });
          expect([change, readCode(reply)]).toEqual([change, 'E_SECRET_REDIRECT']);
          expect(reply.text).toContain('with another port it would be sent elsewhere');
        }
        expect(world.readStore().connections).toEqual([{ ...example, host, password: 'stored-password', ...ssh }]);
        const own = await tools.call('update_connection', { name: 'prod', port: 7, password: 'another-password' });
        expect(own.isError).toBe(false);
      }
    },
  );

  it('allows writing out the port that was implied', async () => {
    world.writeStore({ ...example, password: 'stored-password' });
    expect((await (await openTools()).call('update_connection', { name: 'prod', port: 1, database: 'x' })).isError).toBe(false);
  });

  it('a stored password of a connection that could not be read is not sent to another port either', async () => {
    world.writeStore({ ...example, password: 'stored-password', prt: 1 });
    const tools = await openTools({ lookup });
    const repair = (fields: object) => world.another({ lookup }).update('prod', { prt: null, ...fields });
    await expect(repair({ port: 7 })).rejects.toMatchObject({ code: 'E_SECRET_REDIRECT' });
    await expect(repair({ type: 'south' })).rejects.toMatchObject({ code: 'E_SECRET_REDIRECT' });
    await repair({ database: 'x' });
    expect(readCode(await tools.call('update_connection', { name: 'prod', port: 7 }))).toBe('E_SECRET_REDIRECT');
  });
});
