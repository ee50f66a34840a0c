import { type Measured, medianOf, timed } from '../line.ts';
import type { Peer } from '../rigs/sql-peer.ts';
import type { SqlRig } from '../rigs/sql-rig.ts';

const count = 20_000;

/** The first read of a server, which has to learn what the functions of the database could do; and how long a ping waits meanwhile. */
export async function firstProof(rig: SqlRig): Promise<Measured> {
  await rig.raw.query(`do $$ begin for i in 1..${count} loop execute format('create function many_f%s(a int, b text) returns int
    language plpgsql stable as %L', i, 'declare n int; begin select count(*) into n from ten where id = a; return n; end'); end loop; end $$`);
  return await timeFirstReads(() => rig.open());
}

const database = 'many_views';

/**
 * Creates as many tables as functions and views, with a domain whose check is a function: much of the catalog leads to something
 * that the guard has to read.
 */
export async function firstProofOfViews(rig: SqlRig): Promise<Measured> {
  await rig.raw.query(`create database ${database}`);
  const raw = await rig.openRaw(database);
  await raw.query(`create function is_code(t text) returns bool language plpgsql immutable as 'begin return length(t) < 100; end';
    create domain code as text check (is_code(value))`);
  // In several transactions, because one has room for so many locks.
  for (let from = 0; from < 1_000; from += 100)
    await raw.query(`do $$ begin for i in ${from}..${from + 99} loop
      execute format('create table t_%s (id int primary key, code code, total numeric check (total >= 0))', i);
      execute format('create function f_%s(a code) returns code language plpgsql stable as %L', i, 'begin return a; end');
      execute format('create view v_%s as select id, f_%s(code) as code, total from t_%s', i, i, i); end loop; end $$`);
  await raw.close();
  return await timeFirstReads(() => rig.open(database));
}

async function timeFirstReads(open: () => Promise<Peer>): Promise<Measured> {
  const times: number[] = [];
  let ping = 0;
  for (let round = 0; round < 5; round += 1) {
    const { server, query } = await open();
    let isDone = false;
    const reading = timed(() => query('select 1')).finally(() => {
      isDone = true;
    });
    while (!isDone) ping = Math.max(ping, await timed(() => server.ping()));
    times.push(await reading);
    await server.stop();
  }
  return { value: medianOf(times), details: { max: Math.max(...times), ping } };
}
