import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@dbmole/engines';
import type { BenchOptions } from '../line.ts';
import { slowSearch } from '../rigs/es-seed.ts';
import { type Raw, seedCluster } from './seed.ts';
import { type Contender, startContenders } from './servers.ts';
import type { Task } from './task.ts';
import { tasks } from './tasks.ts';

interface Outcome {
  calls: number;
  characters: number;
  missing: readonly string[];
}

/**
 * `npm run bench -- --sre`: twenty tasks of people on call, each with the best calls that we found for our server and for two others:
 * calls and characters until the answer is there, and whether it is right by what the cluster says itself. Prints a table in Markdown.
 * Needs the built server, and the registry of Python packages once.
 */
export async function runSreTasks({ node }: BenchOptions): Promise<void> {
  const engine = await startEngine('elasticsearch8esql');
  const url = new URL(`http://${engine.host}:${engine.port}`);
  try {
    await seedCluster(createRaw(url));
    await compare(url, node);
  } finally {
    await engine.stop();
  }
}

function createRaw(url: URL): Raw {
  return async (method, path, body) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': path.includes('_bulk') ? 'application/x-ndjson' : 'application/json' };
    const answer = await fetch(new URL(path, url), { method, headers, ...(text === undefined ? {} : { body: text }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${(await answer.text()).slice(0, 300)}`);
    return await answer.json();
  };
}

async function compare(url: URL, node: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'mole-bench-sre-'));
  const contenders = await startContenders(url, { node, home });
  const raw = createRaw(url);
  const stop = keepSearching(raw);
  const table: [Task, Outcome[]][] = [];
  for (const task of tasks) {
    const wanted = await task.wants({ raw });
    const outcomes: Outcome[] = [];
    for (const contender of contenders) outcomes.push(await measure(contender, task, wanted));
    table.push([task, outcomes]);
    for (const [at, { missing }] of outcomes.entries())
      if (missing.length > 0) console.error(`${task.name}: ${contenders[at]?.name} lacks ${missing.slice(0, 5).join(', ')}`);
  }
  await stop();
  for (const { server } of contenders) await server.stop();
  rmSync(home, { recursive: true, force: true });
  print(contenders, table);
}

/** Something that runs for long, as one task asks what runs. */
function keepSearching(raw: Raw): () => Promise<void> {
  let isOver = false;
  const lines = `{}\n${JSON.stringify({ size: 0, query: slowSearch() })}\n`.repeat(20);
  const running = (async () => {
    while (!isOver) await raw('POST', '/slow/_msearch?max_concurrent_searches=1', lines);
  })();
  return async () => {
    isOver = true;
    await running;
  };
}

async function measure(
  { server, calls, readFile }: Contender,
  task: Task,
  wanted: readonly (RegExp | string)[],
): Promise<Outcome> {
  const texts: string[] = [];
  for (const { tool, args } of calls(task)) texts.push(await server.callTool(tool, args));
  const text = texts.join('\n');
  if (process.env.SRE_SHOW !== undefined && task.name.includes(process.env.SRE_SHOW))
    console.error(`--- ${text.slice(0, 8_000)}`);
  const evidence = task.file === undefined ? text : `${text}\n${readFile(task.file)}`;
  const missing = wanted.filter((one) => !(typeof one === 'string' ? evidence.includes(one) : one.test(evidence))).map(String);
  return { calls: texts.length, characters: text.length, missing };
}

function print(contenders: readonly Contender[], table: readonly (readonly [Task, readonly Outcome[]])[]): void {
  console.log(`| task | ${contenders.map(({ name }) => name).join(' | ')} |\n|---|${'---|'.repeat(contenders.length)}`);
  for (const [task, outcomes] of table) {
    const best = Math.min(...outcomes.filter(({ missing }) => missing.length === 0).map(({ characters }) => characters));
    const cells = outcomes.map(({ calls, characters, missing }) => {
      const size = `${calls} / ${characters.toLocaleString('en')}`;
      if (missing.length > 0) return `${size} (incomplete)`;
      return characters === best ? `**${size}**` : size;
    });
    console.log(`| ${task.name} | ${cells.join(' | ')} |`);
  }
  for (const [at, { name }] of contenders.entries()) {
    const own = table.map(([, outcomes]) => outcomes).map((outcomes) => ({ own: outcomes[at], outcomes }));
    const right = own.filter((row) => row.own?.missing.length === 0);
    const smallest = right.filter((row) =>
      row.outcomes.every((other) => other.missing.length > 0 || other.characters >= (row.own?.characters ?? 0)),
    );
    const sum = (pick: (outcome: Outcome) => number) =>
      own.reduce((all, row) => all + (row.own === undefined ? 0 : pick(row.own)), 0);
    console.log(
      `\n${name}: ${right.length} of ${table.length} right, smallest in ${smallest.length}, ${sum(({ calls }) => calls)} calls, ${sum(({ characters }) => characters)} characters`,
    );
  }
}
