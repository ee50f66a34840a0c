import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

interface Step {
  name: string;
  /** A program of node_modules/.bin and its arguments. */
  command: readonly [string, ...string[]];
  env?: Record<string, string>;
}

/** Runs a step with its output shown; says whether it succeeded and how long it took. */
export function runStep({ name, command, env }: Step): boolean {
  const [program, ...args] = command;
  const started = Date.now();
  console.log(`\n▸ ${name}`);
  const { status } = spawnSync(`${root}node_modules/.bin/${program}`, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return status === 0;
}

export const lintStep: Step = { name: 'lint', command: ['biome', 'check', '--error-on-warnings', '.'] };
/** A reference to the page, which has the types of browsers, would make it a project that writes files. */
export const typesSteps: readonly Step[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'types of the page', command: ['tsc', '-p', 'packages/page'] },
];
