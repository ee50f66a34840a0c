import type { Connection } from 'mysql2/promise';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { fillCase, type GuardCase, isFor, readCases } from './case-file.ts';
import { guardDatabase } from './mysql-fixture.ts';
import { connectDirectly, type GuardServer, guardEngines, serverOf, useGuardServer } from './mysql-guarded.ts';
import { compareStates, type ServerState } from './mysql-server-state.ts';
import { readSessionState } from './mysql-session-state.ts';
import { useSite } from './mysql-site.ts';

/**
 * The proof that the other tests would see something: the same statements without a guard. What changes nothing here would prove
 * nothing there.
 */
const site = useSite();
const cases = readCases('mysql-attacks').filter(({ notes }) => notes.control !== undefined);

/** What goes with the session. */
const held = ['lock', 'writer', 'locker', 'prepared'];

describe.each(guardEngines)('without a guard, on %s', (id) => {
  const server = useGuardServer(id, site);
  const all = cases.filter((one) => isFor(one, serverOf(id)));
  let before: ServerState;
  beforeAll(async () => {
    before = await server().readState();
  });

  it('many attacks are tried', () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
  });

  it.for(all)('$id has an effect', async (one, { skip }) => {
    if (one.notes.needs === 'library' && site.noLibrary !== undefined) skip(site.noLibrary);
    let effects = await effectsOf(one);
    // What was there for it to change, one before it may have taken.
    if (effects.length === 0) {
      await server().rebuild();
      before = await server().readState();
      effects = await effectsOf(one);
    }
    expect(effects, one.sql).not.toEqual([]);
  });

  async function effectsOf(one: GuardCase): Promise<string[]> {
    // A session needs its database.
    const connection = await connectDirectly(server().engine, 'superuser', guardDatabase).catch(() => undefined);
    if (connection === undefined) return [];
    let onSession: string[] = [];
    let after = before;
    try {
      const start = await runDirectly(server(), one, connection);
      // Looked at while the session lives, since what it holds is an effect too.
      after = await server().readState();
      onSession = compareStates(start, await readSession(connection));
    } finally {
      await endSession(server(), connection);
    }
    const onServer = compareStates(before, after);
    before = held.some((name) => after[name] !== before[name]) ? await server().readState() : after;
    return [...onServer, ...onSession];
  }
});

/** Waits until the server has removed it, so that the next session is not mistaken for it. */
async function endSession({ observer }: GuardServer, connection: Connection): Promise<void> {
  connection.destroy();
  const sql = `SELECT 1 FROM information_schema.processlist WHERE id = ${connection.threadId}`;
  await vi.waitUntil(async () => JSON.stringify((await observer.query(sql))[0]) === '[]', { timeout: 10_000, interval: 5 });
}

/** Answers how the session was before. */
async function runDirectly(server: GuardServer, one: GuardCase, connection: Connection): Promise<ServerState> {
  if (one.notes.mode !== undefined) await connection.query(`SET sql_mode = '${one.notes.mode}'`);
  if (one.notes.control === 'transaction') await connection.query('START TRANSACTION');
  const start = await readSession(connection);
  // Some say at the end that they failed, after what they did.
  await connection.query(fillCase(one.sql, server.values('superuser'))).catch(() => undefined);
  return start;
}

async function readSession(connection: Connection): Promise<ServerState> {
  return await readSessionState(async (sql) => {
    const [rows] = await connection.query({ sql, rowsAsArray: true });
    // As asked for with `rowsAsArray`.
    return rows as unknown as unknown[][];
  });
}
