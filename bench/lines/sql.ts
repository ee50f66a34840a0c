import type { ServerId } from '@dbmole/engines';
import { shopTables } from '../../packages/dbmole-mcp/test/fixtures/shop-postgres.ts';
import { timeCancelled } from '../cancelled.ts';
import { type Line, type Measured, medianOf, timed } from '../line.ts';
import { privateMemory, residentMemory } from '../process-usage.ts';
import type { Peer } from '../rigs/sql-peer.ts';
import { type SqlRig, sqlRig } from '../rigs/sql-rig.ts';
import { firstProof, firstProofOfViews } from './many-functions.ts';
import { firstPage, overview, slowestCheck } from './many-tables.ts';

const small = 'select id, name, price, active, at from ten';
const hundred = 'select id, name, price, day, amount from hundred';

interface SqlLine extends Omit<Line, 'measure'> {
  take(rig: SqlRig): Promise<Measured>;
}

/** The last, as from then on there are so many. */
const manyTables: readonly SqlLine[] = [
  { name: 'first page of 10,000 tables, at most', goal: 100, unit: 'ms', take: firstPage },
  { name: 'diagnose of 10,000 tables, overview', goal: 500, unit: 'ms', take: overview },
  { name: 'diagnose of 10,000 tables, slowest check', goal: 1_000, unit: 'ms', take: slowestCheck },
];
const firstRead: SqlLine = { name: 'first read of 20,000 functions', goal: 1_000, unit: 'ms', take: firstProof };
const firstReadOfViews: SqlLine = {
  name: 'first read of 3,000 tables, functions and views',
  goal: 1_000,
  unit: 'ms',
  take: firstProofOfViews,
};
const cancelledLine = { name: 'a cancelled statement gone from the server, at most', goal: 300, unit: 'ms' };

/** What depends on what is shown, and not on how much there is. */
const bounded: readonly SqlLine[] = [
  { name: '100 rows x 5 columns', goal: 1.15, unit: 'x TSV', take: characters },
  { name: 'select * of 300,000 rows, answer', goal: 32_000, unit: 'characters', take: (rig) => large(rig, 'characters') },
  { name: 'select * of 300,000 rows, time', goal: 15, unit: 'ms', take: (rig) => large(rig, 'ms') },
  { name: 'select * of 300,000 rows, memory', goal: 8, unit: 'MB', take: (rig) => large(rig, 'MB') },
  // A lone cell gets all the room of an answer.
  { name: 'a cell of 5 MB, answer', goal: 32_000, unit: 'characters', take: bigCell },
  { name: 'schema of five tables, in full', goal: 2_500, unit: 'characters', take: (rig) => schema(rig, false) },
];

const ofPostgres: readonly SqlLine[] = [
  { name: '10 rows, one by one', goal: 0.45, unit: 'ms', take: ten },
  { name: '10 rows, one by one, each another text', goal: 0.45, unit: 'ms', take: (rig) => ten(rig, withNewText) },
  { name: '10 rows, one by one, compared with the floor', goal: 1.5, unit: 'x floor', take: (rig) => ofFloor(ten(rig)) },
  { name: 'private memory after 200 reads', goal: 50, unit: 'MB', take: readMemory },
  { name: '10 rows, 50 at once', goal: 25, unit: 'ms', take: parallel },
  { name: 'schema of five tables, brief', goal: 1_024, unit: 'characters', take: (rig) => schema(rig, true) },
  { ...cancelledLine, take: (rig) => cancelled(rig, 'postgres') },
];

/** The times that are promised of PostgreSQL, here as multiples of the driver's. */
const ofMysql: readonly SqlLine[] = [
  { name: '10 rows, one by one', goal: 2, unit: 'x driver', take: (rig) => ofDriver(ten(rig)) },
  { name: '10 rows, 50 at once', goal: 3.1, unit: 'x driver', take: (rig) => ofDriver(parallel(rig)) },
  // `bigint unsigned auto_increment` is longer than `bigint`.
  { name: 'schema of five tables, brief', goal: 1_100, unit: 'characters', take: (rig) => schema(rig, true) },
  { ...cancelledLine, take: (rig) => cancelled(rig, 'mysql') },
];

/** What one call costs, and how large its answer is: ours beside the raw driver and another server, asked in turns. */
export const sqlLines: readonly Line[] = [
  ...linesOf('postgres18', [...ofPostgres, ...bounded, firstReadOfViews, firstRead, ...manyTables]),
  ...linesOf('mysql97', [...ofMysql, ...bounded, ...manyTables]),
  ...linesOf('mariadb1011', [...ofMysql, ...bounded, ...manyTables]),
];

function linesOf(id: ServerId, lines: readonly SqlLine[]): Line[] {
  return lines.map(({ name, take, ...goal }) => ({
    ...goal,
    name: `dbmole-mcp ${id} ${name}`,
    measure: async ({ node }) => take(await sqlRig(id, node)),
  }));
}

interface Times extends Measured {
  details: { raw: number; dbhub: number | null; floor: number | null };
}

async function ofDriver(measured: Promise<Times>): Promise<Measured> {
  const { value, details } = await measured;
  return { value: value / details.raw, details: { ms: value, raw: details.raw } };
}

async function ofFloor(measured: Promise<Times>): Promise<Measured> {
  const { value, details } = await measured;
  return { value: value / (details.floor ?? Number.NaN), details: { ms: value, floor: details.floor } };
}

/** Each read has another text, which the guard has to parse. */
async function readMemory({ open }: SqlRig): Promise<Measured> {
  const { server, query } = await open();
  for (let round = 0; round < 200; round += 1) await query(`${small} where id > ${round % 10} or name like 'x${round}%'`);
  const value = privateMemory(server.pid) ?? Number.NaN;
  await server.stop();
  return { value, details: {} };
}

type Work = (ask: (sql: string) => Promise<unknown>, round: number) => Promise<unknown>;

/** Ours, the raw driver and the other one in turns, so that whatever else the machine does hits all of them. */
async function interleaved(rig: SqlRig, rounds: number, work: Work) {
  const asks = { ours: rig.ours.query, raw: rig.raw.query, other: rig.other?.query, floor: rig.floor?.query };
  const times: Record<string, number[]> = { ours: [], raw: [], other: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, ask] of Object.entries(asks)) if (ask) times[name]?.push(await timed(() => work(ask, round)));
  }
  const median = (name: string) => medianOf(times[name] ?? []);
  const [dbhub, floor] = [rig.other ? median('other') : null, rig.floor ? median('floor') : null];
  return { value: median('ours'), details: { raw: median('raw'), dbhub, floor } };
}

const again = () => small;
const withNewText = (round: number) => `${small} -- ${round}`;

async function ten(rig: SqlRig, readText: (round: number) => string = again): Promise<Times> {
  for (let warm = 0; warm < 300; warm += 1) await rig.ours.query(small);
  return await interleaved(rig, 1_000, (ask, round) => ask(readText(round)));
}

async function parallel(rig: SqlRig): Promise<Times> {
  const burst = (ask: (sql: string) => Promise<unknown>) => Promise.all(Array.from({ length: 50 }, () => ask(small)));
  for (let warm = 0; warm < 5; warm += 1) await burst(rig.ours.query);
  return await interleaved(rig, 20, burst);
}

async function characters(rig: SqlRig): Promise<Measured> {
  const rows = await rig.raw.texts(hundred);
  const tsv = ['id\tname\tprice\tday\tamount', ...rows.map((row) => row.join('\t'))].join('\n').length;
  const ours = (await rig.ours.query(hundred)).length;
  const other = rig.other ? (await rig.other.query(hundred)).length / tsv : null;
  return { value: ours / tsv, details: { characters: ours, tsv, dbhub: other } };
}

async function large(rig: SqlRig, unit: 'characters' | 'ms' | 'MB'): Promise<Measured> {
  const ours = await askLarge(rig.ours);
  const other = rig.other ? await askLarge(rig.other) : undefined;
  return { value: ours[unit], details: { dbhub: other?.[unit] ?? null } };
}

async function askLarge({ server, query }: Peer): Promise<Record<'characters' | 'ms' | 'MB', number>> {
  // The first call opens the session; the memory of that is not the result's.
  for (let warm = 0; warm < 20; warm += 1) await query(small);
  const before = residentMemory(server.pid) ?? 0;
  let length = 0;
  const ms = await timed(async () => {
    length = (await query('select * from wide')).length;
  });
  const after = residentMemory(server.pid) ?? 0;
  return { characters: length, ms, MB: after - before };
}

async function bigCell({ ours, other }: SqlRig): Promise<Measured> {
  const value = (await ours.query('select * from big')).length;
  return { value, details: { dbhub: other ? (await other.query('select * from big')).length : null } };
}

async function schema({ ours }: SqlRig, brief: boolean): Promise<Measured> {
  const answer = await ours.server.callTool('describe_table', { tables: shopTables, brief });
  if (!answer.includes('order_items')) throw new Error(`no schema: ${answer.slice(0, 200)}`);
  return { value: answer.length, details: {} };
}

/** Twenty times, as each is another moment in the life of the statement. */
async function cancelled({ ours, raw }: SqlRig, type: 'postgres' | 'mysql'): Promise<Measured> {
  const times: number[] = [];
  const start = (sql: string) => ours.server.start('tools/call', { name: 'query', arguments: { sql } });
  for (let round = 0; round < 20; round += 1) times.push((await timeCancelled(start, raw, type)) ?? Number.POSITIVE_INFINITY);
  return { value: Math.max(...times), details: { median: medianOf(times) } };
}
