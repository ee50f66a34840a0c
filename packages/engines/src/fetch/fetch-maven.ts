import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import { findProgram, runCommand } from '../run/run-command.ts';
import type { Obstacle } from '../servers/recipe.ts';
import { withLock } from './cache.ts';

/** Pinned: without a version Maven takes whatever is newest. */
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

export function findMavenObstacle(): Obstacle | undefined {
  const missing = ['mvn', 'unzip'].find((name) => findProgram(name) === undefined);
  if (missing === undefined) return undefined;
  return { reason: `${missing} is not on the PATH`, advice: `Install ${missing === 'mvn' ? 'maven' : missing}.` };
}

/** Copies the artifact into the directory and unpacks it there. */
export async function fetchMavenArtifact(artifact: string, directory: string, members: readonly string[] = []): Promise<void> {
  const download = join(directory, '.maven');
  await mkdir(download);
  const args = ['-q', '-B', copyGoal, `-Dartifact=${artifact}`, `-DoutputDirectory=${download}`];
  // Two Mavens that fill the same empty repository at once may trip over each other.
  await withLock('maven', () => runCommand({ command: 'mvn', args, cwd: download }));
  const file = (await readdir(download))[0];
  if (file === undefined) throw new Failure('internal', `Maven copied nothing for ${artifact}`);
  await runCommand({ command: 'unzip', args: ['-qo', join(download, file), ...members, '-d', directory] });
  await rm(download, { recursive: true });
}
