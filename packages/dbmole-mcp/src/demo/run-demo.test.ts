import type { BackendTarget, ServerDefinition } from '@dbmole/core';
import { createFakeTerminal } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { type Connection, connectionSchema } from '../connection/schema.ts';
import { definition } from '../server.ts';
import { runDemo, withDemo } from './run-demo.ts';

const home = '/nowhere';
const newer = { DBMOLE_NODE: process.execPath };
const open = async (env: NodeJS.ProcessEnv, word?: string) => (await withDemo(definition, { env, home }, word)).definition;
const ownOf = async (env: NodeJS.ProcessEnv, word?: string) => (await open(env, word)).connections.ownConnections?.[0];

describe('--demo', () => {
  it.each(['sqlite', 'postgres'])('=%s adds a read-only and a writable connection, which the schema takes', async (word) => {
    const own = await ownOf({ OTHER: 'x' }, word);
    expect(own?.from).toBe('--demo');
    const parsed = own?.list.map((one) => connectionSchema.parse(one));
    expect(parsed?.map(({ name, readonly }) => ({ name, readonly }))).toEqual([
      { name: 'demo', readonly: true },
      { name: 'demo-rw', readonly: false },
    ]);
  });

  it('is listed beside what the person has in the variable, each with where it comes from', async () => {
    const own = [{ name: 'mine', type: 'mysql', host: 'db', user: 'me', password: 'x' }];
    const terminal = createFakeTerminal({
      argv: ['--demo=postgres', 'connections', 'list'],
      env: { DBMOLE_CONNECTIONS: JSON.stringify(own) },
    });
    expect(await runDemo(definition, terminal, 'postgres')).toBe(0);
    expect(terminal.printed).toMatch(/^demo +postgres +embedded .* --demo\ndemo-rw .* --demo\nmine .* DBMOLE_CONNECTIONS$/m);
  });

  it('is SQLite wherever there is a Node for it, and else PostgreSQL', async () => {
    expect((await ownOf(newer))?.list[0]).toMatchObject({ type: 'sqlite' });
    expect((await ownOf(newer, 'postgres'))?.list[0]).toMatchObject({ type: 'postgres' });
    expect((await ownOf({}, 'sqlite'))?.list[0]).toMatchObject({ type: 'sqlite' });
  });

  it('does not hide a connection of the person that has its name', async () => {
    const env = { DBMOLE_CONNECTIONS: '[{"name": "demo", "type": "mysql", "host": "db", "user": "me"}]' };
    await expect(open(env)).rejects.toThrow(
      expect.objectContaining({ kind: 'config', message: expect.stringContaining('"demo"') }),
    );
  });

  it.each(['{oops', '{"version": 1}', '[7]'])('leaves %s for the registry to complain about', async (text) => {
    expect((await ownOf({ DBMOLE_CONNECTIONS: text }))?.list).toHaveLength(2);
  });

  it('shows no address before there is one', async () => {
    const demo = await open({}, 'postgres');
    const [config] = (demo.connections.ownConnections?.[0]?.list ?? []).map((one) => connectionSchema.parse(one));
    if (config === undefined || config.file !== undefined) throw new Error('no connection');
    expect(demo.connections.publicView(config)).toMatchObject({
      type: 'postgres',
      host: 'embedded',
      port: undefined,
      database: 'shop',
    });
    const other = { ...config, host: 'db.internal' };
    expect(demo.connections.publicView(other)).toEqual(definition.connections.publicView(other));
  });

  it('lets every other connection through as it is', async () => {
    const seen: BackendTarget<Connection>[] = [];
    const spy: ServerDefinition<Connection, Awaited<ReturnType<typeof definition.backend.create>>> = {
      ...definition,
      backend: {
        ...definition.backend,
        create: (target) => {
          seen.push(target);
          throw new Error('as far as we need');
        },
      },
    };
    const config = connectionSchema.parse({ name: 'a', type: 'postgres', host: 'db', user: 'u' });
    if (config.file !== undefined) throw new Error('not a server');
    const target = { config, connectHost: 'db', connectPort: 5432, serverName: 'db' };
    const { definition: demo } = await withDemo(spy, { env: {}, home });
    const opened = demo.backend.create(target, new AbortController().signal, {
      folder: home,
    });
    await expect(opened).rejects.toThrow('as far as we need');
    expect(seen).toEqual([target]);
    expect(seen[0]).toBe(target);
  });

  it('tells the model what is there', async () => {
    expect((await open({})).tools.instructions).toContain('demo-rw');
    expect((await open(newer)).tools.instructions).toContain('SQLite file');
    expect(definition.tools.instructions).not.toContain('demo');
  });
});
