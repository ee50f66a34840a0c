import { type Measured, medianOf, timed } from '../line.ts';
import type { SqlRig } from '../sql-rig.ts';

const count = 20_000;

/** The first read of a server, which has to learn what the functions of the database could do; and how long a ping waits meanwhile. */
export async function firstProof(rig: SqlRig): Promise<Measured> {
  await rig.raw.query(`do $$ begin for i in 1..${count} loop execute format('create function many_f%s(a int, b text) returns int
    language plpgsql stable as %L', i, 'declare n int; begin select count(*) into n from ten where id = a; return n; end'); end loop; end $$`);
  const times: number[] = [];
  let ping = 0;
  for (let round = 0; round < 5; round += 1) {
    const { server, query } = await rig.open();
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
