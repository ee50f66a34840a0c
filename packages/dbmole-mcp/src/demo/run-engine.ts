import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Cache, createDataFolder, createWorkFolder, type WorkFolder } from './cache.ts';
import { type Kept, readLogEnd, startKept } from './keeper.ts';
import { broken, engineProgram, type Template } from './sample-template.ts';

export interface RunOptions {
  cache: Cache;
  programs: string;
  template: Template;
  /** Taken when it is free: what was opened before the engine died finds the next one in its place. */
  port: number | undefined;
}

export interface RunningEngine {
  port: number;
  /** Resolves when it has ended, for whatever reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the engine on a copy of the prepared data: every server has its own, and what is written there ends with it. */
export async function startEngine(options: RunOptions): Promise<RunningEngine> {
  const work = await createWorkFolder(options.cache);
  try {
    await copyData(options.template.data, await createDataFolder(work, options.cache), options.cache);
    // Somebody may take a port between our looking and the engine's.
    return await startOnPort(work, options, options.port ?? (await freePort())).catch(async () =>
      startOnPort(work, options, await freePort()),
    );
  } catch (error) {
    await removeFolder(work);
    throw error;
  }
}

async function startOnPort(work: WorkFolder, { cache, programs, template }: RunOptions, port: number): Promise<RunningEngine> {
  const data = join(work.content, 'data');
  const kept = startKept({
    ...engineProgram('postgres', { work, programs, cache }),
    args: [
      '-D',
      data,
      ...Object.entries({ ...settings, port, hba_file: template.access }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  });
  await untilReady(kept, data, work);
  return { port, ended: kept.exited.then(() => removeFolder(work)), stop: () => kept.stop() };
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  cluster_name: 'dbmole-demo',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '32MB',
  max_connections: 30,
  max_wal_size: '32MB',
  // A sort that runs away must not fill somebody's disk.
  temp_file_limit: '1GB',
  io_method: 'sync',
  timezone: 'UTC',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

const readyWithinMs = 30_000;

/** The engine writes its state into a file, so that nobody has to log in to know it. */
async function untilReady(kept: Kept, data: string, work: WorkFolder): Promise<void> {
  let ended = false;
  void kept.exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + readyWithinMs;
  while (!(await isReady(data))) {
    if (ended) throw broken('postgres', await readLogEnd(work.log));
    if (Date.now() > deadline) {
      await kept.stop();
      throw broken('postgres', `it was not ready within ${readyWithinMs / 1000} s`);
    }
    await delay(8);
  }
}

async function isReady(data: string): Promise<boolean> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return text.split('\n')[7]?.trim() === 'ready';
}

/** By the system's own program: several times faster than ours, and the copy belongs to the right user at once. */
async function copyData(from: string, to: string, { user }: Cache): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await promisify(execFile)('cp', ['-R', '-p', `${from}/.`, to], { ...user });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function removeFolder({ path }: WorkFolder): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
}
