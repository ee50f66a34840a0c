import { setTimeout as delay } from 'node:timers/promises';
import { type BackendTarget, Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../connection/schema.ts';
import type { RowSink, Session, SessionTarget } from '../engine.ts';
import { grammar } from '../engines/mysql/session/grammar.ts';
import { accept, premiseCode } from '../guard/read-statement.ts';
import type { EngineModules, SqlBackendOptions } from './backend.ts';
import { openSqlBackend } from './sql-backend.ts';

const signal = new AbortController().signal;
const notAsked = () => expect.fail('the catalog was asked');

interface World {
  opened: (string | undefined)[];
  closed: (string | undefined)[];
  /** Thrown by the next opening. */
  refusal?: Failure;
  /** Where it is thrown; everywhere when left out. */
  refusedAt?: string;
  /** How many rows a read gives, and how long it takes. */
  rows: number;
  cell: string;
  ms: number;
  /** What the guard takes for granted, counted up whenever it looks again; and what is true. */
  known: number;
  true: number;
  /** How long the guard takes. */
  checkMs: number;
  /** What ran, and what the guard had known then. */
  ran: string[];
}

function createWorld(): { world: World; modules: EngineModules } {
  const world: World = { opened: [], closed: [], rows: 1, cell: 'cut', ms: 0, known: 0, true: 0, checkMs: 0, ran: [] };
  const none = {
    grammar: {
      ...{
        findTransactionWord: notAsked,
        findUnplannedWord: notAsked,
        isDefinition: notAsked,
        isQuery: notAsked,
        readWriteKind: notAsked,
      },
      ...{ endsWithCall: notAsked, readName: notAsked, placeholders: grammar.placeholders, literals: grammar.literals },
    },
    catalog: {
      listDatabases: notAsked,
      listTables: notAsked,
      describeTables: notAsked,
      search: notAsked,
      findOthers: notAsked,
      readStats: notAsked,
      foreignKeys: notAsked,
      relations: notAsked,
    },
  };
  const modules: EngineModules = {
    engine: {
      hintFor: () => undefined,
      scopeDialect: { systemSchemas: /^sys$/, hasOneLevel: false },
      grammar: none.grammar,
      formatListParam: (value) => JSON.stringify(value),
      changes: { read: notAsked, meter: { begin: notAsked }, commitsItself: notAsked },
      identify: async (run) => ({ product: String((await run('who'))[0]?.[0]), version: '1', user: 'me', database: undefined }),
      createGuard: () => ({
        check: (sql) => delay(world.checkMs, accept(sql, String(world.known)), { ref: false }),
        forget: () => void world.known++,
      }),
      async openSession({ database }: SessionTarget) {
        const { refusal, refusedAt = database } = world;
        if (refusal !== undefined && refusedAt === database) throw refusal;
        world.opened.push(database);
        return fakeSession(world, database);
      },
    },
    catalog: {
      ...none.catalog,
      schemaNames: notAsked,
      tableNames: notAsked,
      columnNames: notAsked,
      audit: notAsked,
      diagnosis: notAsked,
    },
    plan: { statement: notAsked, parse: notAsked, findUnlikeJoins: notAsked, ddl: notAsked, forecaster: notAsked },
  };
  return { world, modules };
}

function fakeSession(world: World, database: string | undefined): Session {
  const fill = async (sink: RowSink) => {
    await delay(world.ms);
    sink.columns([{ name: 'a', type: 'text' }]);
    for (let i = 0; i < world.rows; i++) if (!sink.row([{ text: world.cell, length: 900_000 }])) break;
  };
  return {
    alive: true,
    async read({ statement: { sql, premise } }, sink) {
      if (premise !== undefined && premise !== String(world.true)) {
        throw new Failure('engine', 'the premise is false', { code: premiseCode });
      }
      world.ran.push(`${sql} ${premise}`);
      await fill(sink);
      return { timeZone: undefined };
    },
    async readAll(reads) {
      world.ran.push(reads.map(({ request }) => request.statement.sql).join(' | '));
      return reads.map(({ request: { statement } }) =>
        statement.sql === 'refused' ? new Failure('engine', 'permission denied') : { timeZone: undefined },
      );
    },
    write: async () => ({ changed: 1, command: 'INSERT' }),
    transact: notAsked,
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

  it('sends questions together that are asked together, and each has an answer of its own', async () => {
    const { backend, world } = await open();
    const run = backend.catalogRun({ signal });
    const ends = await Promise.allSettled(['one', 'refused', 'two'].map((sql) => run(sql)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await run('three');
    expect([world.ran, world.opened]).toEqual([['one | refused | two', 'three undefined'], ['main']]);
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
    await expect(backend.identify({ signal, database: 'another' })).rejects.toMatchObject({ code: 'E_STALE' });
    world.refusedAt = 'forbidden';
    await expect(backend.identify({ signal, database: 'forbidden' })).rejects.toMatchObject({ kind: 'auth' });
    await running;
  });

  const read = { sql: 'select', params: [], timeoutMs: 1, keepPerCell: 1, maxRows: 1 };
  const sink = { columns: () => undefined, row: () => true };

  it('asks the guard again, once, when it did not know of a change', async () => {
    const { backend, world } = await open();
    world.true = 1;
    await backend.read(read, sink, { signal });
    expect(world.ran).toEqual(['select 1']);
    world.true = 9;
    await expect(backend.read(read, sink, { signal })).rejects.toMatchObject({ code: premiseCode });
    expect(world).toMatchObject({ known: 2, ran: ['select 1'] });
  });

  it('does not wait for the guard when the caller has given up', async () => {
    const { backend, world } = await open();
    const caller = new AbortController();
    world.checkMs = 10_000;
    const reading = backend.read(read, sink, { signal: caller.signal });
    caller.abort();
    await expect(reading).rejects.toMatchObject({ kind: 'cancelled' });
    expect(world.ran).toEqual([]);
  });

  it('runs statements of our own without a premise', async () => {
    const { backend, world } = await open();
    world.true = 1;
    await backend.catalogRun({ signal })('ours');
    expect(world).toMatchObject({ known: 0, ran: ['ours undefined'] });
  });

  it('sends no write that no statement can be', async () => {
    const { backend } = await open();
    const write = { ...read, dryRun: false };
    await expect(backend.write({ ...write, sql: 'a\u0000b' }, sink, { signal })).rejects.toMatchObject({ kind: 'input' });
    await expect(backend.write({ ...write, sql: ' ' }, sink, { signal })).rejects.toMatchObject({ kind: 'input' });
  });

  it('gives no more of the catalog than it can keep', async () => {
    const { backend, world } = await open();
    world.rows = 20_000;
    expect(await backend.catalogRun({ signal })('all')).toHaveLength(20_000);
    world.rows = 10_000_000;
    await expect(backend.catalogRun({ signal })('all')).rejects.toMatchObject({ kind: 'limit' });
    world.cell = 'x'.repeat(900_000);
    world.rows = 1_000;
    await expect(backend.catalogRun({ signal })('all')).rejects.toMatchObject({ kind: 'limit' });
  });
});
