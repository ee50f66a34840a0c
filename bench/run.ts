/**
 * `npm run bench`: measures what we promise and says of each number whether it is kept. Exits with 1 when one is not.
 * Options: --runs 20, --node PATH (another Node for the servers), --only WORD (lines whose name contains it), --peers (other servers
 * beside ours, instead of the lines), --sre (tasks on a cluster, beside other servers).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BenchOptions, Line, Measured } from './line.ts';
import { runPeers } from './peers/run.ts';
import { lines } from './registry.ts';
import { closeCallRig } from './rigs/call-rig.ts';
import { closeDoorRig } from './rigs/door-rig.ts';
import { closeEsRig } from './rigs/es-rig.ts';
import { closeSqlRig } from './rigs/sql-rig.ts';
import { closeSqliteRig } from './rigs/sqlite-rig.ts';
import { closeTunnelRig } from './rigs/tunnel-rig.ts';
import { runSreTasks } from './sre/run.ts';

interface Result extends Measured {
  name: string;
  goal: number;
  unit: string;
  ok: boolean;
}

const outFolder = fileURLToPath(new URL('out/', import.meta.url));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '20' },
      node: { type: 'string' },
      only: { type: 'string', default: '' },
      peers: { type: 'boolean', default: false },
      sre: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs takes a whole number from 1, got ${values.runs}`);
  const options: BenchOptions = { runs, node: values.node ?? process.execPath };
  if (values.peers) return await runPeers(options);
  if (values.sre) return await runSreTasks(options);
  const chosen = lines.filter(({ name }) => name.includes(values.only));
  if (chosen.length === 0) throw new Error(`no line contains ${JSON.stringify(values.only)}`);
  const results: Result[] = [];
  for (const line of chosen) {
    const result = await measure(line, options);
    results.push(result);
    console.log(formatResult(result));
  }
  save(results, options);
  const missed = results.filter(({ ok }) => !ok).length;
  console.log(`\n${results.length - missed} ok, ${missed} missed`);
  process.exitCode = missed === 0 ? 0 : 1;
}

async function measure({ name, goal, unit, measure: take }: Line, options: BenchOptions): Promise<Result> {
  const measured = await take(options);
  return { name, goal, unit, ok: measured.value <= goal, ...measured };
}

function formatResult({ name, goal, unit, ok, value, details }: Result): string {
  const more = Object.entries(details).map(([key, number]) => `${key} ${number === null ? '?' : formatNumber(number)}`);
  const columns = [ok ? 'ok  ' : 'MISS', name.padEnd(36), `${formatNumber(value)} ${unit}`.padStart(12)];
  return [...columns, `goal ${goal} ${unit}`.padEnd(16), more.join(', ')].join('  ');
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}

function save(results: readonly Result[], options: BenchOptions): void {
  const date = new Date().toISOString();
  const machine = { cpus: availableParallelism(), load: loadavg()[0], platform: `${process.platform} ${process.arch}` };
  mkdirSync(outFolder, { recursive: true });
  const file = `${outFolder}${date.replaceAll(':', '-')}.json`;
  writeFileSync(
    file,
    `${JSON.stringify({ date, node: options.node, nodeOfBench: process.version, runs: options.runs, machine, results }, null, 2)}\n`,
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
} finally {
  await Promise.all([closeSqlRig(), closeSqliteRig(), closeEsRig(), closeTunnelRig(), closeCallRig(), closeDoorRig()]);
}
