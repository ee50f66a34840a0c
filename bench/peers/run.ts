import { type RunningEngine, startEngine } from '@dbmole/engines';
import { type BenchOptions, medianOf } from '../line.ts';
import { openRawPostgres } from '../rigs/sql-raw.ts';
import { seedPostgres } from '../rigs/sql-seed.ts';
import { measures, takeSafely, timeRead, timeStart } from './measures.ts';
import { openPeer, type Peer, type PeerServer } from './open-peer.ts';
import { peerPrograms } from './programs.ts';

/** What one server gave: a number, why it is missing, or null where it cannot do it. */
type Cells = Map<string, number | string | null>;

/**
 * `npm run bench -- --peers`: other servers for PostgreSQL beside ours, row by row in turns, so that whatever else the machine does
 * hits all of them. Prints a table in Markdown. Needs the registry of npm once.
 */
export async function runPeers({ runs, node }: BenchOptions): Promise<void> {
  const engine = await startEngine('postgres18');
  try {
    await comparePeers(engine, { runs, node });
  } finally {
    await engine.stop();
  }
}

async function comparePeers(engine: RunningEngine, { runs, node }: BenchOptions): Promise<void> {
  const raw = await openRawPostgres(engine);
  for (const statement of seedPostgres) await raw.query(statement);
  const peers = peerPrograms.map((program) => openPeer(program, engine, node));
  const table = new Map(peers.map(({ name }): [string, Cells] => [name, new Map()]));
  await compareStarts(peers, runs, table);
  for (const measure of measures) {
    for (const peer of peers) {
      const server = await startFresh(peer);
      table.get(peer.name)?.set(measure.name, typeof server === 'string' ? server : await takeSafely(measure, server, raw));
      if (typeof server !== 'string') await server.server.stop();
    }
    console.error(`measured: ${measure.name}`);
  }
  await raw.close();
  console.log(formatTable(table));
}

const startName = 'start to the first answer';

async function compareStarts(peers: readonly Peer[], runs: number, table: ReadonlyMap<string, Cells>): Promise<void> {
  const times = new Map(peers.map(({ name }): [string, number[]] => [name, []]));
  for (let run = 0; run <= runs; run += 1) {
    for (const peer of peers) {
      const ms = await timeStart(peer);
      // The first round fills the caches of the file system.
      if (run > 0) times.get(peer.name)?.push(ms);
    }
  }
  for (const [name, list] of times) table.get(name)?.set(startName, medianOf(list));
}

async function startFresh(peer: Peer): Promise<PeerServer | string> {
  try {
    const server = await peer.start();
    await timeRead(server);
    return server;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function formatTable(table: ReadonlyMap<string, Cells>): string {
  const rows = [{ name: startName, unit: 'ms' }, ...measures];
  const lines = rows.map(({ name, unit }) => {
    const cells = [...table.values()].map((of) => formatCell(of.get(name), unit));
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return [`| | ${[...table.keys()].join(' | ')} |`, `|---${'|---'.repeat(table.size)}|`, ...lines].join('\n');
}

function formatCell(value: number | string | null | undefined, unit: string): string {
  if (typeof value === 'string') return `– (${value.slice(0, 60)})`;
  return typeof value === 'number' ? `${formatNumber(value)} ${unit}`.trimEnd() : '–';
}

function formatNumber(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-GB');
  return value.toFixed(value < 10 ? 2 : 1);
}
