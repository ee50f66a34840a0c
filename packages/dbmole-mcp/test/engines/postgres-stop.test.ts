import { connect, type Socket } from 'node:net';
import { Failure } from '@dbmole/core';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import { engine } from '../../src/engines/postgres/engine.ts';
import {
  countRunning,
  createDatabase,
  dialDirectly,
  direct,
  forever,
  pidOf,
  read,
  targetOf,
  until,
  value,
  withServer,
  withSession,
} from './postgres-fixture.ts';

const busy = 'select count(*) from generate_series(1, 100000) a, generate_series(1, 1000000) b';

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const server = useEngine(id, { restartable: true });
    let address: EngineAddress;

    beforeAll(async () => {
      address = await createDatabase(server(), 'stop_test');
    });

    it.each(['select pg_sleep(60)', busy])('stops in the engine when the caller gives up: %s', async (sql) => {
      await withSession(address, async (session) => {
        const pid = await pidOf(session);
        const caller = new AbortController();
        const running = read(session, `${sql} /* given up */`, { signal: caller.signal });
        const outcome = expect(running).rejects.toMatchObject({ kind: 'cancelled', message: 'enough of it' });
        await until(async () => (await countRunning(address, 'given up')) === 1);
        const from = Date.now();
        caller.abort(new Failure('cancelled', 'enough of it'));
        await outcome;
        expect(await countRunning(address, 'given up')).toBe(0);
        expect(Date.now() - from).toBeLessThan(2_000);
        expect(await pidOf(session)).toBe(pid);
      });
    });

    it('reports an abort by a timer as a timeout, and another as a cancellation', async () => {
      await withSession(address, async (session) => {
        const byTimer = read(session, 'select pg_sleep(60)', { signal: AbortSignal.timeout(50) });
        await expect(byTimer).rejects.toMatchObject({ kind: 'timeout' });
        await expect(read(session, 'select 1', { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'cancelled' });
        expect(await value(session, 'select 1')).toBe('1');
      });
    });

    it('hits no later statement, however early or late the caller gives up', async () => {
      await withSession(address, async (session) => {
        const pid = await pidOf(session);
        for (let round = 0; round < 60; round++) {
          const caller = new AbortController();
          const running = read(session, 'select pg_sleep(0.004)', { signal: caller.signal });
          if (round % 10 === 0) caller.abort();
          else setTimeout(() => caller.abort(), round % 10);
          await running.catch((error: unknown) => expect(error).toMatchObject({ kind: 'cancelled' }));
          expect(await value(session, 'select 1 from pg_sleep(0.003)')).toBe('1');
        }
        expect(await pidOf(session)).toBe(pid);
      });
    });

    it('ends at the time limit of the engine', async () => {
      await withSession(address, async (session) => {
        for (const sql of ['select pg_sleep(60)', busy]) {
          const failure = { kind: 'timeout', engineCode: '57014' };
          await expect(read(session, sql, { timeoutMs: 200 })).rejects.toMatchObject(failure);
        }
        // The limit is of one call.
        expect(await value(session, 'select 1 from pg_sleep(0.4)')).toBe('1');
      });
    });

    it('does not wait for a lock until the time is over', async () => {
      await direct(address, 'create table locked (a int)');
      const locking = 'begin; lock table locked; select pg_sleep(5) /* holder */; commit';
      const holder = direct(address, locking).catch(() => {});
      await until(async () => (await countRunning(address, 'holder')) === 1);
      await withSession(address, async (session) => {
        const failure = { kind: 'timeout', code: 'E_LOCK_TIMEOUT', engineCode: '55P03' };
        await expect(read(session, 'select * from locked', { timeoutMs: 500 })).rejects.toMatchObject(failure);
      });
      await direct(
        address,
        "select pg_cancel_backend(pid) from pg_stat_activity where query like '%holder%' and pid <> pg_backend_pid()",
      );
      await holder;
    });

    it('reports when it was stopped from outside', async () => {
      await withSession(address, async (session) => {
        const running = read(session, 'select pg_sleep(60) /* theirs */');
        const outcome = expect(running).rejects.toMatchObject({ kind: 'cancelled', engineCode: '57014' });
        await until(async () => (await countRunning(address, 'theirs')) === 1);
        await direct(
          address,
          "select pg_cancel_backend(pid) from pg_stat_activity where query like '%theirs%' and pid <> pg_backend_pid()",
        );
        await outcome;
        expect(session.alive).toBe(true);
      });
    });

    it('stops the engine when the sink has enough', async () => {
      await withSession(address, async (session) => {
        const pid = await pidOf(session);
        const endless =
          'with recursive e(n) as (select 1 union all select n + 1 from e) select n, pg_sleep(0.0001) from e /* endless */';
        const from = Date.now();
        const { rows } = await read(session, endless, { maxRows: undefined, takes: 3 });
        // And not when its time was over.
        expect(Date.now() - from).toBeLessThan(20_000);
        expect(rows.map(([n]) => n)).toEqual(['1', '2', '3']);
        expect(await countRunning(address, 'endless')).toBe(0);
        expect(await pidOf(session)).toBe(pid);
      });
    });

    it('stops a statement before it closes', async () => {
      const session = await engine.openSession(targetOf(address), forever);
      const running = read(session, 'select pg_sleep(60) /* closed */');
      const outcome = expect(running).rejects.toMatchObject({ kind: 'cancelled' });
      await until(async () => (await countRunning(address, 'closed')) === 1);
      await session.close();
      await outcome;
      expect(session.alive).toBe(false);
      expect(await countRunning(address, 'closed')).toBe(0);
      await expect(read(session, 'select 1')).rejects.toMatchObject({ code: 'E_STALE' });
      await session.close();
    });

    it('ends in the server by itself when the client is gone', async () => {
      const sockets: Socket[] = [];
      const dial = () => {
        const socket = dialDirectly(address);
        sockets.push(socket);
        return socket;
      };
      const session = await engine.openSession({ ...targetOf(address), dial }, forever);
      const running = read(session, 'select pg_sleep(60) /* left alone */');
      const outcome = expect(running).rejects.toMatchObject({ kind: 'connection', code: 'E_CONNECTION_LOST' });
      await until(async () => (await countRunning(address, 'left alone')) === 1);
      for (const socket of sockets) socket.destroy();
      await outcome;
      await until(async () => (await countRunning(address, 'left alone')) === 0, 20_000);
      await session.close();
    });

    it('gives up on a server that does not stop, and learns later that the statement has ended', async () => {
      const session = await engine.openSession(targetOf(address), forever);
      const pid = Number(await pidOf(session));
      const running = read(session, 'select pg_sleep(60) /* frozen */', { signal: AbortSignal.timeout(300) });
      const outcome = expect(running).rejects.toMatchObject({ kind: 'timeout' });
      await until(async () => (await countRunning(address, 'frozen')) === 1);
      process.kill(pid, 'SIGSTOP');
      const from = Date.now();
      await outcome;
      expect(Date.now() - from).toBeLessThan(10_000);
      expect(session.alive).toBe(false);
      const waiting = new Promise((resolve) => setTimeout(() => resolve('still running'), 2_500));
      expect(await Promise.race([session.pendingEnd, waiting])).toBe('still running');
      process.kill(pid, 'SIGCONT');
      await session.pendingEnd;
      expect(await countRunning(address, 'frozen')).toBe(0);
      await session.close();
    });

    it('learns of the end over another connection when the network has lost the one of the statement', async () => {
      const frozen: Socket[] = [];
      const pass = (near: Socket) => {
        const far = connect(address.port, address.host);
        near.pipe(far).pipe(near);
        near.allowHalfOpen = true;
        near.on('close', () => far.destroy());
        frozen.push(
          near.on('error', () => {}),
          far.on('error', () => {}),
        );
      };
      await withServer(pass, async ({ host, port }) => {
        const session = await engine.openSession(targetOf({ ...address, host, port }), forever);
        const caller = new AbortController();
        const running = read(session, 'select pg_sleep(60) /* out of reach */', { signal: caller.signal });
        const outcome = expect(running).rejects.toMatchObject({ kind: 'timeout' });
        await until(async () => (await countRunning(address, 'out of reach')) === 1);
        for (const socket of frozen) socket.unpipe().removeAllListeners('data').pause();
        caller.abort(new Failure('timeout', 'too long'));
        await outcome;
        expect(session.pendingEnd).toBeInstanceOf(Promise);
        await session.pendingEnd;
        expect(await countRunning(address, 'out of reach')).toBe(0);
      });
    });

    it('notices that it was ended while idle, and while it ran', async () => {
      await withSession(address, async (session) => {
        await direct(address, 'select pg_terminate_backend($1)', [await pidOf(session)]);
        await until(async () => !session.alive);
        await expect(read(session, 'select 1')).rejects.toMatchObject({ kind: 'connection', code: 'E_STALE' });
      });
      await withSession(address, async (session) => {
        const pid = await pidOf(session);
        const running = read(session, 'select pg_sleep(60) /* ended */');
        const outcome = expect(running).rejects.toMatchObject({ kind: 'connection', code: 'E_SHUT_DOWN', engineCode: '57P01' });
        await until(async () => (await countRunning(address, 'ended')) === 1);
        await direct(address, 'select pg_terminate_backend($1)', [pid]);
        await outcome;
        expect(session.alive).toBe(false);
      });
    });

    it('notices a restart and a crash', async () => {
      for (const end of ['shutDown', 'kill'] as const) {
        const session = await engine.openSession(targetOf(address), forever);
        const running = read(session, 'select pg_sleep(60) /* down */');
        const outcome = expect(running).rejects.toMatchObject({ kind: 'connection' });
        await until(async () => (await countRunning(address, 'down')) === 1);
        await server().control?.[end]();
        await outcome;
        expect(session.alive).toBe(false);
        await session.close();
        const refused = { kind: 'connection', code: 'E_CONNECT_REFUSED' };
        await expect(engine.openSession(targetOf(address), forever)).rejects.toMatchObject(refused);
        await server().control?.start();
        expect(await withSession(address, (again) => value(again, 'select 1'))).toBe('1');
      }
    });
  });
}
