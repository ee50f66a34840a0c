import { useEngine } from '@dbmole/engines';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProofDatabase, type ProofDatabase, withGuarded } from './proof-database.ts';

const define = (name: string, result: string) =>
  `create or replace function ${name}() returns int language plpgsql as $f$ begin return ${result}; end $f$`;

describe.each(['postgres14', 'postgres18'] as const)('the fingerprint of a catalog, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let old: Client;
  let young: Client;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_fingerprint');
    [old, young] = [new Client(database.superuser), new Client(database.superuser)];
    await Promise.all([old.connect(), young.connect()]);
  });
  afterAll(async () => {
    await Promise.all([old.end(), young.end()]);
    await database.dispose();
  });

  /** Gives the number of the transaction. */
  async function begin(client: Client): Promise<number> {
    await client.query('begin');
    const { rows } = await client.query<{ x: string }>('select pg_current_xact_id()::text as x');
    return Number(rows[0]?.x);
  }

  async function beginAt(client: Client, wanted: number): Promise<void> {
    while ((await begin(client)) < wanted) await client.query('commit');
  }

  it('changes when the numbers of an old and a new transaction make up for each other', async () => {
    const first = await begin(old);
    const second = await begin(young);
    await young.query(`${define('evened', '1')}; ${define('other', '1')}; commit`);
    await withGuarded(database.superuser, async ({ read }) => {
      expect((await read('select evened()')).failure).toBeUndefined();
      await beginAt(young, 2 * second - first);
      await young.query(define('evened', 'pg_try_advisory_lock(1)::int'));
      await old.query(`${define('other', '2')}; commit`);
      await young.query('commit');
      expect((await read('select evened()')).failure).toMatchObject({ code: 'E_NOT_A_READ' });
    });
  });
});
