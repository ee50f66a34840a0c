import { execFileSync } from 'node:child_process';
import { type BenchOptions, type Line, type Measured, medianOf, timed } from '../line.ts';
import { residentMemory } from '../process-usage.ts';
import type { Peer } from '../rigs/sql-peer.ts';
import { type SqliteRig, sqliteRig } from '../rigs/sqlite-rig.ts';

const small = 'select id, name, price, active, at from ten';

interface SqliteLine extends Omit<Line, 'measure'> {
  take(rig: SqliteRig, options: BenchOptions): Promise<Measured>;
}

const ofSqlite: readonly SqliteLine[] = [
  { name: 'from a cold start to the first row', goal: 250, unit: 'ms', take: firstRow },
  { name: '10 rows, one by one, compared with dbhub', goal: 1, unit: 'x dbhub', take: ten },
  { name: 'select * of 300,000 rows, answer', goal: 32_000, unit: 'characters', take: ({ ours }) => large(ours, 'characters') },
  { name: 'select * of 300,000 rows, time', goal: 15, unit: 'ms', take: ({ ours }) => large(ours, 'ms') },
  { name: 'select * of 300,000 rows, memory', goal: 8, unit: 'MB', take: ({ ours }) => large(ours, 'MB') },
  { name: 'a cell of 5 MB, answer', goal: 32_000, unit: 'characters', take: bigCell },
  { name: 'export of 5,000,000 rows, memory', goal: 128, unit: 'MB', take: exported },
];

/** All of them on Node 24. */
export const sqliteLines: readonly Line[] = ofSqlite.map(({ name, take, ...goal }) => ({
  ...goal,
  name: `dbmole-mcp sqlite ${name}`,
  measure: async (options) => take(await sqliteRig(), options),
}));

/** The process, its first answer and the first read, which opens the file. */
async function firstRow({ open, node }: SqliteRig, { runs }: BenchOptions): Promise<Measured> {
  const [answers, rows, empty]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run <= runs; run += 1) {
    const started = performance.now();
    const { server, query } = await open();
    const answered = performance.now() - started;
    await query(small);
    const ms = performance.now() - started;
    await server.stop();
    empty.push(await timed(async () => execFileSync(node, ['-e', '0'])));
    // The first run fills the caches of the file system.
    if (run > 0) rows.push(ms);
    if (run > 0) answers.push(answered);
  }
  return {
    value: medianOf(rows),
    details: { min: Math.min(...rows), firstAnswer: medianOf(answers), emptyProgram: medianOf(empty) },
  };
}

/** Both in turns, so that whatever else the machine does hits both. */
async function ten({ ours, other, timeInProcess }: SqliteRig): Promise<Measured> {
  const times: { ours: number[]; other: number[] } = { ours: [], other: [] };
  for (let warm = 0; warm < 200; warm += 1) await Promise.all([ours.query(small), other?.query(small)]);
  for (let round = 0; round < 500; round += 1) {
    times.ours.push(await timed(() => ours.query(small)));
    if (other) times.other.push(await timed(() => other.query(small)));
  }
  const [ms, dbhub] = [medianOf(times.ours), other ? medianOf(times.other) : Number.NaN];
  return { value: ms / dbhub, details: { ms, dbhub, betterSqlite3: timeInProcess(small) ?? null } };
}

async function large({ server, query }: Peer, unit: 'characters' | 'ms' | 'MB'): Promise<Measured> {
  for (let warm = 0; warm < 20; warm += 1) await query(small);
  const before = residentMemory(server.pid) ?? 0;
  let characters = 0;
  const ms = await timed(async () => {
    characters = (await query('select * from wide')).length;
  });
  const figures = { characters, ms, MB: (residentMemory(server.pid) ?? 0) - before };
  return { value: figures[unit], details: {} };
}

async function bigCell({ ours, other }: SqliteRig): Promise<Measured> {
  const value = (await ours.query('select * from big')).length;
  return { value, details: { dbhub: other ? (await other.query('select * from big')).length : null } };
}

/** The largest growth of the server's memory while it writes the file. */
async function exported({ open }: SqliteRig): Promise<Measured> {
  const { server, query } = await open();
  await query(small);
  const before = residentMemory(server.pid) ?? 0;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMemory(server.pid) ?? 0);
  }, 50);
  let text = '';
  const ms = await timed(async () => {
    text = await server.callTool('export_query', { sql: 'select * from many', file: 'many.csv', timeout_ms: 600_000 });
  });
  clearInterval(watch);
  await server.stop();
  if (!text.includes('5000000 rows')) throw new Error(`no export: ${text.slice(0, 200)}`);
  return { value: peak - before, details: { seconds: ms / 1_000 } };
}
