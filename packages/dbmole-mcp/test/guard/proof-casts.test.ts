import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProofDatabase, type ProofDatabase, withGuarded } from './proof-database.ts';

describe.each(['postgres14', 'postgres18'] as const)('what the guard asks, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_casts');
  });
  afterAll(() => database.dispose());

  it('does not use casts of users between types of the server', async () => {
    const casts = [
      'name[] as text',
      'txid_snapshot as text',
      'oid as text',
      'regnamespace as text',
      'int2 as text',
      'text as oid',
    ];
    const made = [...casts, 'text as int'].map((cast, i) => {
      const [from, to] = cast.split(' as ');
      return `create function cast_${i}(${from}) returns ${to} language plpgsql as $$ begin raise exception '${cast} ran'; end $$;
        create cast (${cast}) with function cast_${i}(${from})`;
    });
    await database.run(`create sequence s; create view v as select nextval('s'); ${made.join(';')}`);
    await withGuarded(database.superuser, async ({ read }) => {
      for (let i = 0; i < 4; i++) expect((await read('select 1')).failure).toBeUndefined();
      expect((await read('select * from v')).failure).toMatchObject({ code: 'E_NOT_A_READ' });
    });
  });

  it('trusts no cast of a literal where the path of the session finds other types first', async () => {
    const statements = ["table_to_xml('public.v2'::regclass, true, true, '')", "xpath('/a', '<a/>'::xml)"];
    await database.run('create table v2 (x int)');
    await withGuarded(database.superuser, async ({ read }) => {
      for (const call of statements) expect((await read(`select ${call}`)).failure?.code).not.toBe('E_NOT_A_READ');
    });
    await database.run(
      `create schema x; create domain x.regclass as varchar(8); alter database proof_casts set search_path = x, pg_catalog`,
    );
    await withGuarded(database.superuser, async ({ read }) => {
      for (const call of statements) {
        const { failure } = await read(`select ${call}`);
        expect(failure).toMatchObject({ code: 'E_NOT_A_READ', message: expect.stringContaining('another schema') });
        const qualified = await read(`select ${call.replace('::', '::pg_catalog.')}`);
        expect(qualified.failure?.code).not.toBe('E_NOT_A_READ');
      }
    });
    await database.run('alter database proof_casts reset search_path');
  });
});
