import { textOf } from '../../packages/core/src/testing/server-process.ts';
import { shopTables } from '../../packages/dbmole-mcp/test/fixtures/shop-postgres.ts';
import { type Line, type Measured, medianOf } from '../line.ts';
import { residentMemory } from '../process-usage.ts';
import { type Peer, type SqlRig, sqlRig } from '../sql-rig.ts';

const small = 'select id, name, price, active, at from ten';
const hundred = 'select id, name, price, day, amount from hundred';

/** What one call costs, and how large its answer is: ours beside the raw driver and another server, asked in turns. */
export const sqlLines: readonly Line[] = [
  line('dbmole-mcp 10 rows, one by one', 0.45, 'ms', ten),
  line('dbmole-mcp 10 rows, 50 at once', 25, 'ms', parallel),
  line('dbmole-mcp 100 rows x 5 columns', 1.15, 'x TSV', characters),
  line('dbmole-mcp select * of 300,000 rows, answer', 32_000, 'characters', (rig) => large(rig, 'characters')),
  line('dbmole-mcp select * of 300,000 rows, time', 15, 'ms', (rig) => large(rig, 'ms')),
  line('dbmole-mcp select * of 300,000 rows, memory', 8, 'MB', (rig) => large(rig, 'MB')),
  line('dbmole-mcp a cell of 5 MB, answer', 1_000, 'characters', bigCell),
  line('dbmole-mcp schema of five tables, brief', 1_024, 'characters', (rig) => schema(rig, true)),
  line('dbmole-mcp schema of five tables, in full', 2_500, 'characters', (rig) => schema(rig, false)),
];

function line(name: string, goal: number, unit: string, take: (rig: SqlRig) => Promise<Measured>): Line {
  return { name, goal, unit, measure: async ({ node }) => take(await sqlRig(node)) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Ours, the raw driver and the other one in turns, so that whatever else the machine does hits all of them. */
async function interleaved(rig: SqlRig, rounds: number, work: (ask: (sql: string) => Promise<unknown>) => Promise<unknown>) {
  const asks = {
    ours: rig.ours.query,
    raw: (sql: string) => rig.raw.query({ text: sql, rowMode: 'array' }),
    other: rig.other?.query,
  };
  const times: Record<string, number[]> = { ours: [], raw: [], other: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, ask] of Object.entries(asks)) if (ask) times[name]?.push(await timed(() => work(ask)));
  }
  return {
    ours: medianOf(times.ours ?? []),
    raw: medianOf(times.raw ?? []),
    other: rig.other ? medianOf(times.other ?? []) : null,
  };
}

async function ten(rig: SqlRig): Promise<Measured> {
  for (let warm = 0; warm < 300; warm += 1) await rig.ours.query(small);
  const { ours, raw, other } = await interleaved(rig, 1_000, (ask) => ask(small));
  return { value: ours, details: { raw, dbhub: other } };
}

async function parallel(rig: SqlRig): Promise<Measured> {
  const burst = (ask: (sql: string) => Promise<unknown>) => Promise.all(Array.from({ length: 50 }, () => ask(small)));
  for (let warm = 0; warm < 5; warm += 1) await burst(rig.ours.query);
  const { ours, raw, other } = await interleaved(rig, 20, burst);
  return { value: ours, details: { raw, dbhub: other } };
}

async function characters(rig: SqlRig): Promise<Measured> {
  const { rows } = await rig.raw.query<unknown[]>({ text: hundred, rowMode: 'array', types: { getTypeParser: () => String } });
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
  const pid = server.child.pid ?? 0;
  // The first call opens the session; the memory of that is not the result's.
  for (let warm = 0; warm < 20; warm += 1) await query(small);
  const before = residentMemory(pid) ?? 0;
  let length = 0;
  const ms = await timed(async () => {
    length = (await query('select * from wide')).length;
  });
  const after = residentMemory(pid) ?? 0;
  return { characters: length, ms, MB: after - before };
}

async function bigCell({ ours, other }: SqlRig): Promise<Measured> {
  const value = (await ours.query('select * from big')).length;
  return { value, details: { dbhub: other ? (await other.query('select * from big')).length : null } };
}

async function schema({ ours }: SqlRig, brief: boolean): Promise<Measured> {
  const answer = textOf(await ours.server.callTool('describe_table', { tables: shopTables, brief }));
  if (!answer.includes('order_items')) throw new Error(`no schema: ${answer.slice(0, 200)}`);
  return { value: answer.length, details: {} };
}
