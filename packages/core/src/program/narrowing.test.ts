import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { respond } from '../answer/respond.ts';
import { connectTestClient } from '../testing/client.ts';
import { createFakeDefinition, type FakeConnection } from '../testing/fakes/fake-definition.ts';
import { createFakeEngine, type FakeBackend } from '../testing/fakes/fake-engine.ts';
import { useTempFolder } from '../testing/use-temp-folder.ts';
import { withManaged } from '../tools/connections/managed.ts';
import { defineTool } from '../tools/tool.ts';
import { createApp, type Workplace } from './app.ts';
import type { Settings } from './settings.ts';

const folder = useTempFolder();

function registerTools({ manager, toolServer }: Workplace<FakeConnection, FakeBackend>): void {
  const input = () => z.strictObject({ connection: z.string().optional() });
  for (const effect of ['read', 'destroy'] as const) {
    toolServer.register(
      defineTool({
        name: effect === 'read' ? 'look' : 'change',
        title: effect,
        description: effect,
        effect,
        input,
        handler: async ({ connection }, { signal, onFound }) => {
          const use = async (_: FakeBackend, { name, config }: { name: string; config: { readonly: boolean } }) =>
            respond.text(`${name} is ${config.readonly ? 'read-only' : 'writable'}`);
          return await withManaged(manager, connection, use, { signal, onFound, isStaleError: () => false });
        },
      }),
    );
  }
}

function openApp(settings: Settings = {}) {
  const engine = createFakeEngine();
  const { host, port } = engine.address;
  const list = ['north', 'south'].map((name) => ({ name, host, port, user: 'me' }));
  const definition = createFakeDefinition<FakeBackend>({
    createBackend: engine.createBackend,
    ownConnections: [{ from: 'this test', list }],
    register: registerTools,
  });
  const app = createApp(definition, { env: {}, cwd: folder.path, home: folder.path, settings, log: () => undefined });
  return { app, engine };
}

describe('the view of one client', () => {
  it('is the whole server where nothing narrows it', async () => {
    const { app } = openApp();
    const client = await connectTestClient(app.openView({}));
    expect((await client.call('change', { connection: 'north' })).text).toBe('north is writable');
    await app.dispose();
  });

  it('has only the connections that it may use, and the one that is left needs no name', async () => {
    const { app } = openApp();
    const client = await connectTestClient(app.openView({ connections: ['south', 'missing'] }));
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['list_connections', 'test_connection', 'look', 'change']);
    expect((await client.call('list_connections')).text).not.toContain('north');
    expect((await client.call('look')).text).toBe('south is writable');
    const refused = await client.call('look', { connection: 'north' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('there is no connection "north"') });
    await app.dispose();
  });

  it('reads only where the client asks for that, through backends that others write with', async () => {
    const { app, engine } = openApp();
    const reader = await connectTestClient(app.openView({ readonly: true }));
    const writer = await connectTestClient(app.toolServer);
    expect((await reader.call('look', { connection: 'north' })).text).toBe('north is read-only');
    expect((await writer.call('change', { connection: 'north' })).text).toBe('north is writable');
    expect(engine.openings).toBe(1);
    const { tools } = await reader.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('change');
    await app.dispose();
  });

  it('offers no tool that the server does not offer', async () => {
    const { app } = openApp();
    expect(app.openView({ tools: 'look' }).names).toEqual(['look']);
    expect(() => app.openView({ tools: 'change', readonly: true })).toThrow('--readonly leaves out');
    expect(() => app.openView({ tools: 'nothing' })).toThrow('unknown tool "nothing"');
    await app.dispose();
  });

  it('has no tool that changes anything for a client that may only read', async () => {
    const { app } = openApp();
    const view = app.openView({ readonly: true, onlyReadingTools: true });
    expect(view.names).toEqual(['list_connections', 'test_connection', 'look']);
    expect(app.openView({ readonly: true }).names).toContain('add_connection');
    await app.dispose();
  });

  it('leaves out a writing tool that the server was told to offer', async () => {
    const { app } = openApp({ tools: 'look,change' });
    expect(app.openView({ readonly: true }).names).toEqual(['look']);
    expect(app.openView({}).names).toEqual(['look', 'change']);
    await app.dispose();
  });
});
