import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, type Log, toFailure, untilAborted } from '@dbmole/core';
import { createOwnedFolder, removeFolder, sweepFolders } from '@dbmole/local-engine';
import { describeNode } from '../../engines/sqlite/wire/find-node.ts';
import { daysUntil } from '../sample-days.ts';

interface ShopFile {
  /** Makes the file, unless it is there or under way. */
  prepare(): void;
  /** The path of the file, made at the first call. */
  open(signal: AbortSignal): Promise<string>;
  dispose(): Promise<void>;
}

const prefix = 'dbmole-shop-';

/** A file with the sample shop in the folder of temporary files. It ends with this process; the next one removes it if this was killed. */
export function createShopFile(log: Log): ShopFile {
  let made: Promise<string> | undefined;
  let folder: string | undefined;
  const life = new AbortController();
  // A file that is being written is not left either.
  const remove = () => {
    life.abort();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const make = async (): Promise<string> => {
    const started = Date.now();
    folder = await createOwnedFolder(tmpdir(), prefix).catch(refuseFolder);
    process.off('exit', remove).once('exit', remove);
    const file = join(folder, 'shop.db');
    await fill(file, life.signal);
    log('info', 'the sample database is ready', { file, ms: Date.now() - started });
    sweepFolders(tmpdir(), prefix).catch(() => undefined);
    return file;
  };
  // A failed one is forgotten: the next call tries again.
  const start = (): Promise<string> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      throw toFailure(error);
    });
    return made;
  };
  return {
    prepare: () => void start().catch(() => undefined),
    open: (signal) => untilAborted(start(), signal),
    async dispose() {
      life.abort();
      await made?.catch(() => undefined);
      if (folder === undefined) return;
      process.off('exit', remove);
      await removeFolder(folder);
    },
  };
}

function refuseFolder(error: unknown): never {
  throw new Failure('config', `the sample database cannot be made in ${tmpdir()}: ${toFailure(error).message}`, {
    code: 'E_DEMO_CACHE',
    hint: 'Set TMPDIR to a folder that this user may write to.',
    cause: error,
  });
}

/** The rows are written by a process of their own, as in every other file. */
async function fill(file: string, life: AbortSignal): Promise<void> {
  const { node, args, env } = describeNode(new URL('./fill-program.ts', import.meta.url));
  const words = [...args, file, String(daysUntil(new Date()))];
  const child = spawn(node, words, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
    signal: life,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  child.stderr.on('data', (bytes: Buffer) => {
    if (complaint.length < 1_000) complaint += bytes.toString();
  });
  const ended = once(child, 'close').catch((error: unknown) => [toFailure(error).message]);
  const [code, signal] = await ended;
  if (code === 0) return;
  throw new Failure('engine', `the sample database cannot be made (${signal ?? code}): ${complaint.trim().slice(0, 600)}`, {
    code: 'E_DEMO_ENGINE',
    hint: 'Check DBMOLE_NODE and the free room in the folder of temporary files, and retry.',
  });
}
