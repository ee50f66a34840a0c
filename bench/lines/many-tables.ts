import { type Measured, medianOf, timed } from '../line.ts';
import type { Peer } from '../rigs/sql-peer.ts';
import type { SqlRig } from '../rigs/sql-rig.ts';

const count = 10_000;
const rounds = 5;
const filled = new WeakSet<SqlRig>();

async function fill(rig: SqlRig): Promise<void> {
  if (filled.has(rig)) return;
  for (let table = 0; table < count; table += 1)
    await rig.raw.query(`create table many_${table} (id int primary key, name text)`);
  filled.add(rig);
}

/** The first page that a server is asked for, once it has a session: the worst of five servers, one after the other. */
export async function firstPage(rig: SqlRig): Promise<Measured> {
  await fill(rig);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await askFirst(rig));
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

/** The overview of `diagnose`, which runs all checks: the median of five, and the first one of a server. */
export async function overview(rig: SqlRig): Promise<Measured> {
  await fill(rig);
  const { server } = await rig.open();
  try {
    const first = await timeDiagnosis(server, {});
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timeDiagnosis(server, {}));
    return { value: medianOf(times), details: { first } };
  } finally {
    await server.stop();
  }
}

/** The slowest check of `diagnose`, each asked alone. */
export async function slowestCheck(rig: SqlRig): Promise<Measured> {
  await fill(rig);
  const { server } = await rig.open();
  try {
    await timeDiagnosis(server, {});
    const times: Record<string, number> = {};
    for (const check of ['activity', 'locks', 'slow_queries', 'indexes', 'tables', 'replication', 'settings', 'privileges'])
      times[check] = await timeDiagnosis(server, { check });
    return { value: Math.max(...Object.values(times)), details: times };
  } finally {
    await server.stop();
  }
}

async function timeDiagnosis(server: Peer['server'], args: Record<string, unknown>): Promise<number> {
  let answer = '';
  const ms = await timed(async () => {
    answer = await server.callTool('diagnose', args);
  });
  if (!/ checks found something|No findings|finding|not available/.test(answer) || answer.includes('failed:'))
    throw new Error(`no diagnosis: ${answer.slice(0, 400)}`);
  return ms;
}
