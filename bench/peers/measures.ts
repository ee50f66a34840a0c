import { timeCancelled } from '../cancelled.ts';
import { medianOf, timed } from '../line.ts';
import type { RawDriver } from '../rigs/sql-raw.ts';
import { exactValues } from './exactness.ts';
import type { Peer, PeerServer } from './open-peer.ts';
import { treeMemory } from './tree-memory.ts';

/** A row of the table. A peer that cannot do it, or not in time, has no number. */
interface Measure {
  name: string;
  unit: string;
  /** `raw` is another way to the same server, to compare with. */
  take(peer: PeerServer, raw: RawDriver): Promise<number | null>;
}

const patienceMs = 60_000;
const small = 'select id, name, price, active, at from ten';
const hundred = 'select id, name, price, day, amount from hundred';

/** Each on a server that has just been started and asked for a small read. */
export const measures: readonly Measure[] = [
  { name: '`tools/list`', unit: 'bytes', take: async ({ server }) => await server.listBytes() },
  { name: 'memory after the first read', unit: 'MB', take: async ({ server }) => treeMemory(server.pid) },
  { name: 'a read of 10 rows, one by one', unit: 'ms', take: oneByOne },
  { name: '50 of them at once', unit: 'ms', take: atOnce },
  { name: '100 rows × 5 columns, characters over TSV', unit: '×', take: overTsv },
  {
    name: '`select *` of 300,000 rows of 13 columns: answer',
    unit: 'characters',
    take: async (peer) => (await large(peer)).characters,
  },
  { name: '… time', unit: 'ms', take: async (peer) => (await large(peer)).ms },
  { name: '… growth of memory', unit: 'MB', take: async (peer) => (await large(peer)).megabytes },
  { name: 'a cell of 5 MB: answer', unit: 'characters', take: async ({ query }) => (await query('select * from big')).length },
  { name: `exact values, of ${exactValues.length}`, unit: '', take: countExact },
  {
    name: 'a cancelled statement gone from the server',
    unit: 'ms',
    take: ({ startQuery }, raw) => timeCancelled(startQuery, raw, 'postgres'),
  },
];

/** The time to the first answer. */
export async function timeStart(peer: Peer): Promise<number> {
  const started = performance.now();
  const { server } = await peer.start();
  const ms = performance.now() - started;
  await server.stop();
  return ms;
}

/** Asks as the raw driver would; a server that answers with an error has no number. */
export async function timeRead({ query }: PeerServer): Promise<number> {
  const started = performance.now();
  const answer = await query(small);
  const ms = performance.now() - started;
  if (!answer.includes('c4ca4238')) throw new Error(`no rows: ${answer.slice(0, 200)}`);
  return ms;
}

async function oneByOne(peer: PeerServer): Promise<number> {
  for (let warm = 0; warm < 300; warm += 1) await timeRead(peer);
  const times: number[] = [];
  for (let round = 0; round < 500; round += 1) times.push(await timeRead(peer));
  return medianOf(times);
}

async function atOnce(peer: PeerServer): Promise<number> {
  const times: number[] = [];
  const burst = () => Promise.all(Array.from({ length: 50 }, () => timeRead(peer)));
  for (let round = 0; round < 15; round += 1) times.push(await timed(burst));
  return medianOf(times);
}

async function overTsv({ query }: PeerServer, raw: RawDriver): Promise<number> {
  const rows = await raw.texts(hundred);
  const tsv = ['id\tname\tprice\tday\tamount', ...rows.map((row) => row.join('\t'))].join('\n');
  return (await query(hundred)).length / tsv.length;
}

async function large({ server, query }: PeerServer): Promise<{ characters: number; ms: number; megabytes: number }> {
  for (let warm = 0; warm < 20; warm += 1) await query(small);
  const before = treeMemory(server.pid) ?? 0;
  let characters = 0;
  const ms = await timed(async () => {
    characters = (await query('select * from wide')).length;
  });
  return { characters, ms, megabytes: (treeMemory(server.pid) ?? 0) - before };
}

async function countExact({ query }: PeerServer): Promise<number> {
  let exact = 0;
  for (const { sql, says } of exactValues) if (says.test(await query(sql))) exact += 1;
  return exact;
}

/** Whatever goes wrong is not a number: the reason is said beside the table. */
export async function takeSafely(measure: Measure, peer: PeerServer, raw: RawDriver): Promise<number | string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer in ${patienceMs / 1_000} s`), patienceMs);
  });
  try {
    return await Promise.race([measure.take(peer, raw), late]);
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  } finally {
    clearTimeout(timer);
  }
}
