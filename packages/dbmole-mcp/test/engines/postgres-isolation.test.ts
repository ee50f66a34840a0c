import { type EngineAddress, useEngine } from '@dbmole/engines';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, direct, read, value, withSession } from './postgres-fixture.ts';

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const server = useEngine(id, { shared: true });
    let address: EngineAddress;

    /** The reader's transactions are serializable unless it asks for something else. */
    beforeAll(async () => {
      const owner = await createDatabase(server(), 'isolation_test');
      await direct(owner, 'create table batch as select 1 as number; create table receipt (batch int, amount int)');
      await direct(owner, 'drop role if exists serializable_reader');
      await direct(owner, "create role serializable_reader login password 'reader'");
      await direct(owner, 'alter role serializable_reader set default_transaction_isolation = serializable');
      await direct(owner, 'grant select on batch, receipt to serializable_reader');
      address = { ...owner, user: 'serializable_reader', password: 'reader' };
    });

    it('reads from one snapshot whatever the default isolation level is', async () => {
      await withSession(address, async (session) => {
        expect(await value(session, 'show default_transaction_isolation')).toBe('serializable');
        // Once before the session has learned what the next call needs, and once with all of it prepared.
        for (const _ of [1, 2]) expect(await value(session, 'show transaction_isolation')).toBe('repeatable read');
      });
    });

    it('leaves the COMMIT of a serializable transaction alone', async () => {
      const adding = new Client({ ...server(), database: 'isolation_test' });
      await adding.connect();
      try {
        await adding.query('begin isolation level serializable');
        await adding.query('insert into receipt select number, 100 from batch');
        await direct(
          { ...server(), database: 'isolation_test' },
          'begin isolation level serializable; update batch set number = number + 1; commit',
        );
        await withSession(address, async (session) => {
          const locks = "(select count(*) from pg_locks where mode = 'SIReadLock' and pid = pg_backend_pid())";
          const closed = 'select sum(amount) from receipt where batch < (select number from batch)';
          expect((await read(session, `select (${closed}), ${locks}`)).rows).toEqual([[null, '0']]);
        });
        await adding.query('commit');
      } finally {
        await adding.end();
      }
    });
  });
}
