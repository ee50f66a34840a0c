import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findVariable } from '../../../program/settings.ts';
import { stateFolderFor } from '../../../registry/sources/paths.ts';
import { formatSocket, type Machine, openSocketFolder } from '../socket-path.ts';
import type { FrontLine, FrontOptions } from './front-options.ts';
import type { FrontProgram } from './front-program.ts';
import { formatKey, type ProcessSeed, readSalt, readSeed } from './process-key.ts';

/** Where the process of a front is, and what it takes to start it. */
export interface FrontPlace {
  program: FrontProgram;
  machine: Machine;
  seed: ProcessSeed;
  /** All variables of the process. */
  env: NodeJS.ProcessEnv;
  key: string;
  folder: string;
  socket: string;
  log: string;
}

/** Throws when no place for a socket is safe. */
export function findPlace(program: FrontProgram, options: FrontOptions, { env, cwd }: Omit<FrontLine, 'argv'>): FrontPlace {
  const { app } = program;
  const home = homedir();
  const machine = { env, home, platform: process.platform, uid: process.getuid?.(), temporary: tmpdir() };
  const seed = readSeed(program, { env, cwd, home, ...options });
  const folder = openSocketFolder({ app, root: seed.cwd }, machine);
  const key = formatKey(seed, app, readSalt(folder));
  const level = env[findVariable(app, 'log')];
  return {
    ...{ program, machine, seed, folder, key },
    // The level of the log is that of the first client, and no reason for another process.
    env: { ...seed.env, ...(level !== undefined && { [findVariable(app, 'log')]: level }) },
    socket: formatSocket(folder, key, { app, platform: machine.platform }),
    log: join(stateFolderFor(seed.storePath), `shared-${key}.log`),
  };
}
