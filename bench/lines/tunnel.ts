import pg from 'pg';
import { type Line, type Measured, medianOf, timed } from '../line.ts';
import { type TunnelRig, tunnelRig, type WayName, wayNames } from '../rigs/tunnel-rig.ts';

const latencyRounds = 300;
/** One after the other, as our calls do; a lone one would measure how long the processes take to wake up. */
const burst = 20;
const readRounds = 7;
const megabytes = 500;
/** In rows of 8 kB, as a table of texts has them. */
const largeRead = `select repeat('x', 8000) as text from generate_series(1, ${(megabytes * 1_000_000) / 8_000})`;

/** The cost of our stream beside the port that `ssh -L` opens. */
export const tunnelLines: readonly Line[] = [
  { name: 'tunnel postgres18 SELECT 1, p50', goal: 1, unit: 'x ssh -L', measure: async () => latency(await tunnelRig()) },
  { name: `tunnel postgres18 read of ${megabytes} MB`, goal: 1, unit: 'x ssh -L', measure: async () => read(await tunnelRig()) },
];

async function latency({ ways }: TunnelRig): Promise<Measured> {
  const ask = (way: WayName) => ways[way].query('SELECT 1');
  const options = { rounds: latencyRounds, burst };
  await interleaved(options, ask);
  const { direct, ssh, ours } = await interleaved(options, ask);
  return { value: ours / ssh, details: { directMs: direct, sshMs: ssh, oursMs: ours } };
}

async function read({ ways }: TunnelRig): Promise<Measured> {
  const { direct, ssh, ours } = await interleaved({ rounds: readRounds, burst: 1 }, (way) => readAll(ways[way]));
  const speed = (ms: number) => megabytes / (ms / 1_000);
  const details = { directMs: direct, sshMs: ssh, oursMs: ours };
  const speeds = { 'direct MB/s': speed(direct), 'ssh MB/s': speed(ssh), 'ours MB/s': speed(ours) };
  return { value: ours / ssh, details: { ...details, ...speeds } };
}

/** Each row is parsed and then forgotten. */
function readAll(client: pg.Client): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const query = new pg.Query<{ text: string }>(largeRead);
    query.on('row', (row) => {
      bytes += row.text.length;
    });
    query.on('error', reject);
    query.on('end', () => (bytes === megabytes * 1_000_000 ? resolve() : reject(new Error(`${bytes} bytes came`))));
    client.query(query);
  });
}

interface Turns {
  rounds: number;
  /** How often each way is taken before the next one has its turn. */
  burst: number;
}

/** Medians of each way, taken in turns; each is first as often as the others. */
async function interleaved({ rounds, burst }: Turns, work: (way: WayName) => Promise<unknown>): Promise<Record<WayName, number>> {
  const times: Record<WayName, number[]> = { direct: [], ssh: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of wayNames.keys()) {
      const way = wayNames[(round + turn) % wayNames.length] ?? 'direct';
      for (let left = burst; left > 0; left -= 1) times[way].push(await timed(() => work(way)));
    }
  }
  return { direct: medianOf(times.direct), ssh: medianOf(times.ssh), ours: medianOf(times.ours) };
}
