import { type Measured, medianOf, timed } from '../line.ts';
import type { SqlRig } from '../rigs/sql-rig.ts';

const count = 10_000;

/** The first page that a server is asked for, once it has a session: the worst of five servers, one after the other. */
export async function firstPage(rig: SqlRig): Promise<Measured> {
  for (let table = 0; table < count; table += 1)
    await rig.raw.query(`create table many_${table} (id int primary key, name text)`);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) times.push(await askFirst(rig));
  return { value: Math.max(...times), details: { median: medianOf(times) } };
}

async function askFirst(rig: SqlRig): Promise<number> {
  const { server, query } = await rig.open();
  try {
    await query('select 1');
    let answer = '';
    const ms = await timed(async () => {
      answer = await server.callTool('list_tables', {});
    });
    if (!/^Rows 1-\d+ of \d+; more follow/.test(answer)) throw new Error(`no page: ${answer.slice(0, 200)}`);
    return ms;
  } finally {
    await server.stop();
  }
}
