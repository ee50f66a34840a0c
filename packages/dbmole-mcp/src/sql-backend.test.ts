import { setTimeout as delay } from 'node:timers/promises';
import { type BackendTarget, Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { EngineModules } from './backend.ts';
import type { RowSink, Session, SessionTarget } from './engine.ts';
import type { Connection } from './schema.ts';
import { openSqlBackend, type SqlBackendOptions } from './sql-backend.ts';

const signal = new AbortController().signal;
const notAsked = () => expect.fail('the catalog was asked');

interface World {
  opened: (string | undefined)[];
  closed: (string | undefined)[];
  /** Thrown by the next opening. */
  refusal?: Failure;
  /** How many rows a read gives, and how long it takes. */
  rows: number;
  ms: number;
}

function createWorld(): { world: World; modules: EngineModules } {
  const world: World = { opened: [], closed: [], rows: 1, ms: 0 };
  const none = { catalog: { listDatabases: notAsked, listTables: notAsked, describeTables: notAsked, search: notAsked } };
  const modules: EngineModules = {
    engine: {
      defaultPort: 1,
      toFailure: (error) => new Failure('connection', String(error)),
      identify: async (run) => ({ product: String((await run('who'))[0]?.[0]), version: '1', user: 'me', database: undefined }),
      async openSession({ database }: SessionTarget) {
        const { refusal } = world;
        if (refusal !== undefined) throw refusal;
        world.opened.push(database);
        return fakeSession(world, database);
      },
    },
    catalog: { ...none.catalog, tableNames: notAsked, columnNames: notAsked },
    plan: { statement: notAsked, condense: notAsked },
  };
  return { world, modules };
}

function fakeSession(world: World, database: string | undefined): Session {
  const fill = async (sink: RowSink) => {
    await delay(world.ms);
    sink.columns([{ name: 'a', type: 'text' }]);
    for (let i = 0; i < world.rows; i++) if (!sink.row([{ text: 'cut', length: 9 }])) break;
  };
  return {
    alive: true,
    async read(_request, sink) {
      await fill(sink);
      return { timeZone: undefined };
    },
    write: async () => ({ changed: 1, command: 'INSERT' }),
    close: async () => void world.closed.push(database),
  };
}

// Only what the backend looks at.
const target = { config: { type: 'postgres', name: 'x', database: 'main' } } as BackendTarget<Connection>;

async function open(options: SqlBackendOptions = {}) {
  const { world, modules } = createWorld();
  return { world, backend: await openSqlBackend(modules, target, signal, options) };
}

describe('a backend', () => {
  it('opens a session at once, so that a wrong password is known when it is opened', async () => {
    const { world, modules } = createWorld();
    world.refusal = new Failure('auth', 'wrong password');
    await expect(openSqlBackend(modules, target, signal)).rejects.toMatchObject({ kind: 'auth' });
    const { backend, world: good } = await open();
    expect(good.opened).toEqual(['main']);
    await backend.dispose();
    expect(good.closed).toEqual(['main']);
  });

  it('asks who it is through a session', async () => {
    const { backend, world } = await open();
    expect(await backend.identify({ signal })).toMatchObject({ product: 'cut' });
    expect(world.opened).toEqual(['main']);
  });

  it('has sessions of its own for another database', async () => {
    const { backend, world } = await open();
    await backend.identify({ signal, database: 'other' });
    await backend.identify({ signal, database: 'main' });
    await backend.identify({ signal, database: 'other' });
    expect(world.opened).toEqual(['main', 'other']);
  });

  it('closes the database that was not used for longest when there are too many', async () => {
    const { backend, world } = await open({ databases: 2 });
    for (const database of ['a', 'main', 'b']) await backend.identify({ signal, database });
    expect(world.closed).toEqual(['a']);
  });

  it('closes no database on which a call runs', async () => {
    const { backend, world } = await open({ databases: 1 });
    world.ms = 50;
    const running = backend.identify({ signal });
    await expect(backend.identify({ signal, database: 'other' })).rejects.toMatchObject({ code: 'E_POOL_BUSY' });
    await running;
    await backend.identify({ signal, database: 'other' });
    expect(world.closed).toEqual(['main']);
  });

  it('says that it is stale when its password is wrong by now, so that the secret is read again', async () => {
    const { backend, world } = await open();
    world.ms = 20;
    const running = backend.identify({ signal });
    world.refusal = new Failure('auth', 'wrong password');
    await expect(backend.identify({ signal })).rejects.toMatchObject({ code: 'E_STALE' });
    await expect(backend.identify({ signal, database: 'forbidden' })).rejects.toMatchObject({ kind: 'auth' });
    await running;
  });

  it('gives no more of the catalog than it can keep', async () => {
    const { backend, world } = await open();
    world.rows = 20_000;
    expect(await backend.catalogRun({ signal })('all')).toHaveLength(20_000);
    world.rows = 10_000_000;
    await expect(backend.catalogRun({ signal })('all')).rejects.toMatchObject({ kind: 'limit' });
  });
});
