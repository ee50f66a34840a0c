import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNode } from '../fetch/node-runtime.ts';
import { runCommand } from './run-command.ts';

/** Revisions of the protocol that the conformance suite has requirements for. */
export const conformanceRevisions = ['2025-11-25', '2026-07-28'] as const;

interface ConformanceRun {
  /** Where MCP is served. */
  url: string;
  revision: (typeof conformanceRevisions)[number];
  /** Scenarios that are known to fail. One that is listed here and passes is an error as well. */
  expectedFailures: readonly string[];
}

/** Runs what a revision requires of a server, and returns the report. Throws with its end when it is not as expected. */
export async function runConformance({ url, revision, expectedFailures }: ConformanceRun): Promise<string> {
  // The suite needs a newer Node than we do.
  const node = await openNode(22);
  const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');
  const folder = await mkdtemp(join(tmpdir(), 'mole-conformance-'));
  try {
    const baseline = join(folder, 'expected.yaml');
    await writeFile(baseline, JSON.stringify({ server: expectedFailures }));
    const args = [program, 'server', '--url', url, '--requirements', revision, '--expected-failures', baseline];
    return await runCommand({ command: node, args: [...args, '--output-dir', join(folder, 'results')], cwd: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scenarios of a baseline file: a name on each line, and comments that begin with `#`. */
export async function readExpectedFailures(path: string | URL): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.filter((line) => line !== '');
}
