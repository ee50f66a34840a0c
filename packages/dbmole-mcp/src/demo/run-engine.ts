import { join } from 'node:path';
import {
  copyDataFolder,
  createWorkFolder,
  findFreePort,
  isPostgresReady,
  postgresArguments,
  removeFolder,
  supervise,
  throwawaySettings,
  waitUntilReady,
} from '@dbmole/local-engine';
import { enginePlan, type Template } from './sample-template.ts';

interface StartOptions {
  cache: string;
  programs: string;
  template: Template;
  /** This port is used if it is free, so that what was opened before the engine died finds the next one in its place. */
  port: number | undefined;
}

export interface RunningEngine {
  port: number;
  /** Resolves when it has ended, for whatever reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the engine on a copy of the prepared data: every server has its own, and what is written there ends with it. */
export async function startEngine(options: StartOptions): Promise<RunningEngine> {
  // Another process may take a port between our check and the engine's start.
  return await startOnPort(options, options.port ?? (await findFreePort())).catch(async () =>
    startOnPort(options, await findFreePort()),
  );
}

async function startOnPort({ cache, programs, template }: StartOptions, port: number): Promise<RunningEngine> {
  const work = await createWorkFolder(cache);
  try {
    const data = await copyDataFolder(template.data, join(work.content, 'data'));
    const args = postgresArguments(data, { ...settings, port, hba_file: template.access });
    const plan = { ...enginePlan('postgres', { work, programs }), args };
    const server = await supervise(plan);
    const ended = server.nextExit().then(() => server.stop());
    await waitUntilReady(server, { plan, isReady: (pid) => isPostgresReady(data, pid), readyWithin: 30_000 }).catch(
      async (error: unknown) => {
        await server.stop();
        throw error;
      },
    );
    return { port, ended, stop: () => server.stop() };
  } catch (error) {
    await removeFolder(work.path);
    throw error;
  }
}

const settings = {
  ...throwawaySettings,
  unix_socket_directories: '',
  cluster_name: 'dbmole-demo',
  synchronous_commit: 'off',
  max_connections: 30,
  max_wal_size: '32MB',
  // A sort that runs away must not fill the user's disk.
  temp_file_limit: '1GB',
  io_method: 'sync',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};
