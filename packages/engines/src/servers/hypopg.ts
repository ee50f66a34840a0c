import { join, relative } from 'node:path';
import type { LaunchPlan } from '@dbmole/local-engine';
import { cached, isCached, makeReadable } from '../fetch/cache.ts';
import { fetchDebianFiles, findDebianObstacle, privateCommand } from '../fetch/fetch-debian.ts';
import { withProgress } from '../fetch/progress.ts';
import { unavailable } from '../unavailable.ts';

const name = 'hypopg-18';

type Program = Pick<LaunchPlan, 'command' | 'args' | 'env'>;

/**
 * PostgreSQL 18 with HypoPG in its reach. Debian builds the extension for a libc that is newer than that of most machines, so the server
 * runs by the loader of that libc.
 */
export async function withHypopg({ command, args, env }: Program): Promise<Program> {
  const obstacle = isCached(name) ? undefined : findDebianObstacle();
  if (obstacle !== undefined) throw unavailable(`HypoPG: ${obstacle.reason}`, obstacle.advice);
  const tree = await cached(name, (directory) => withProgress('fetching HypoPG (3 MB)', () => fetchHypopg(directory)));
  const loaded = privateCommand(tree, relative(tree, command));
  const settings = {
    extension_control_path: `$system:${join(tree, 'usr/share/postgresql/18')}`,
    dynamic_library_path: `$libdir:${join(tree, 'usr/lib/postgresql/18/lib')}`,
  };
  const places = Object.entries(settings).flatMap(([setting, path]) => ['-c', `${setting}=${path}`]);
  return { command: loaded.command, args: [...loaded.args, ...args, ...places], ...(env && { env }) };
}

async function fetchHypopg(directory: string): Promise<void> {
  await fetchDebianFiles('sid', 'postgresql-18-hypopg libc6', directory);
  await makeReadable(directory);
}
