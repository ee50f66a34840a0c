import { appendFileSync, readFileSync } from 'node:fs';

/** A file that the runner reads at the end: one line for each group of tests that was skipped for want of an engine. */
export const skippedVariable = 'DBMOLE_SKIPPED_FILE';

interface Skipped {
  readonly engine: string;
  readonly where: string;
  readonly tests: number;
  readonly reason: string;
}

export function recordSkipped(skipped: Skipped): void {
  const path = process.env[skippedVariable];
  if (path) appendFileSync(path, `${formatSkipped(skipped)}\n`);
}

export function formatSkipped({ engine, where, tests, reason }: Skipped): string {
  return `${engine}: ${tests} ${tests === 1 ? 'test' : 'tests'} skipped in ${where}: ${reason}`.replaceAll('\n', ' ');
}

export function readSkipped(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
