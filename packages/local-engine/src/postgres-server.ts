import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { engineUser, giveToEngineUser } from './engine-user.ts';
import type { LaunchPlan } from './supervised.ts';

/** A program of PostgreSQL, apart from its arguments, its user and how it is stopped. */
export function postgresProgram(programs: string, name: string): Pick<LaunchPlan, 'command' | 'env'> {
  const { PATH, SystemRoot } = process.env;
  // No other variable of this process: PostgreSQL obeys many.
  const env = { PATH, TZ: 'UTC', LC_ALL: 'C', ...(SystemRoot !== undefined && { SystemRoot }) };
  return { command: join(programs, 'bin', name), env };
}

/** Local, small, and fast: the data may be lost with the power. */
export const throwawaySettings = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  timezone: 'UTC',
} as const;

export function postgresArguments(data: string, settings: Readonly<Record<string, string | number>>): string[] {
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The server writes its state into its pid file. A killed server leaves that file behind, so the process must be the new one. */
export async function isPostgresReady(data: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/** An empty data folder that belongs to the user that runs the engine. */
export async function createDataFolder(data: string): Promise<string> {
  await mkdir(data, { mode: 0o700 });
  await giveToEngineUser(data);
  return data;
}

/** A copy that belongs to the user that runs the engine. The system's own program is several times faster than Node's. */
export async function copyDataFolder(from: string, to: string): Promise<string> {
  await createDataFolder(to);
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await promisify(execFile)('cp', ['-R', '-p', `${from}/.`, to], engineUser());
  return to;
}

/** A port that was free a moment ago. Another process may take it before its user does, so starters try again. */
export function findFreePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
