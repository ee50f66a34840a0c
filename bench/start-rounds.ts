import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './line.ts';
import { type Era, type Sample, sampleStart } from './start-sample.ts';

export const programs = ['dbmole-mcp', 'esmole-mcp'] as const;
export type Program = (typeof programs)[number] | 'floor';

/** The samples of one round were taken one right after the other, so that a busy machine is as busy for each. */
export type Round = Record<Program, Sample>;

const root = fileURLToPath(new URL('..', import.meta.url));
const files: Record<Program, string> = {
  floor: `${root}bench/empty-loop.mjs`,
  'dbmole-mcp': `${root}packages/dbmole-mcp/dist/main.js`,
  'esmole-mcp': `${root}packages/esmole-mcp/dist/main.js`,
};

export function programFile(program: Program): string {
  return files[program];
}

const measured = new Map<string, Promise<Round[]>>();

/** Starts every program in turn, `runs` times; all lines of one run of the bench share the result. */
export function startRounds(era: Era, options: BenchOptions): Promise<Round[]> {
  const key = `${era} ${options.node}`;
  const rounds = measured.get(key) ?? takeRounds(era, options);
  measured.set(key, rounds);
  return rounds;
}

async function takeRounds(era: Era, { runs, node }: BenchOptions): Promise<Round[]> {
  for (const file of Object.values(files)) {
    if (!existsSync(file)) throw new Error(`${relative(root, file)} is missing; run \`npm run build\` first`);
  }
  const sample = (program: Program) => sampleStart(node, files[program], era);
  const rounds: Round[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const floor = await sample('floor');
    const round = { floor, 'dbmole-mcp': await sample('dbmole-mcp'), 'esmole-mcp': await sample('esmole-mcp') };
    // The first round fills the caches of the file system.
    if (run > 0) rounds.push(round);
  }
  return rounds;
}
