import { lstatSync, mkdirSync } from 'node:fs';
import * as here from 'node:path';
import { posix, win32 } from 'node:path';
import { systemCode } from '../../files/system-code.ts';
import { type Environment, readVariable } from '../../registry/secrets/expand.ts';
import { isBelow } from '../../registry/sources/paths.ts';

/** What the place of the socket depends on. */
export interface Machine {
  env: Environment;
  home: string;
  platform: NodeJS.Platform;
  /** Undefined where the system has none. */
  uid: number | undefined;
  /** The folder for temporary files. */
  temporary: string;
}

interface FolderOptions {
  /** The server's own name. */
  app: string;
  /** Nothing is put into this folder, which may be a repository. */
  root: string;
}

/** A socket's address has 104 bytes on macOS and 108 on Linux, with a zero byte at the end. */
const maxPathBytes = 100;
/** The digits of a key in the socket's name. */
export const keyLength = 24;

/**
 * The folder of sockets, locks and the salt, made if it is missing. Node cannot ask who is at the other end of a socket, so the folder's
 * owner and mode are the guard. Throws when no place is safe.
 */
export function openSocketFolder(options: FolderOptions, machine: Machine): string {
  const reasons: string[] = [];
  for (const folder of listPlaces(options, machine)) {
    const reason = refusePlace(folder, options, machine) ?? makePrivate(folder, machine);
    if (reason === undefined) return folder;
    reasons.push(reason);
  }
  throw new Error(`no folder for its socket: ${reasons.join('; ')}`);
}

/** The best place first. */
export function listPlaces({ app }: FolderOptions, machine: Machine): string[] {
  const { env, home, platform, uid, temporary } = machine;
  if (platform === 'win32') {
    const local = readVariable(env, 'LOCALAPPDATA') || win32.join(home, 'AppData', 'Local');
    return [win32.join(local, app, 'shared')];
  }
  const runtime = readVariable(env, 'XDG_RUNTIME_DIR');
  const cache = readVariable(env, 'XDG_CACHE_HOME');
  return [
    ...(runtime && posix.isAbsolute(runtime) && describeUnsafe(runtime, uid) === undefined ? [posix.join(runtime, app)] : []),
    posix.join(cache && posix.isAbsolute(cache) ? cache : posix.join(home, '.cache'), app, 'shared'),
    posix.join(temporary, `${app}-${uid ?? 'shared'}`),
  ];
}

/** Why a socket must not lie there, by its path alone. */
export function refusePlace(folder: string, { root }: FolderOptions, { platform, home }: Machine): string | undefined {
  if (platform === 'win32') return undefined;
  // A working directory that holds the whole home is not a repository.
  if (contains(root, folder) && !contains(root, home)) return `${folder} is inside of ${root}`;
  if (folder.startsWith('/mnt/')) return `${folder} may be a drive of another system, where sockets fail`;
  const bytes = Buffer.byteLength(`${folder}/.sock`) + keyLength;
  return bytes > maxPathBytes ? `${folder} is too long a path for a socket` : undefined;
}

function contains(folder: string, path: string): boolean {
  const relative = posix.relative(folder, path);
  return relative === '' || isBelow(relative);
}

function makePrivate(folder: string, { uid }: Machine): string | undefined {
  try {
    mkdirSync(here.dirname(folder), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EEXIST') return `${folder} cannot be made (${code ?? String(error)})`;
  }
  return describeUnsafe(folder, uid);
}

/** Why this folder does not keep other users out; undefined when it does. The profile of a Windows user is closed to others. */
export function describeUnsafe(folder: string, uid: number | undefined): string | undefined {
  try {
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return `${folder} is not a folder`;
    if (uid === undefined) return undefined;
    if (stats.uid !== uid) return `${folder} belongs to another user`;
    return (stats.mode & 0o077) === 0 ? undefined : `${folder} is open to other users`;
  } catch (error) {
    return `${folder} cannot be read (${systemCode(error) ?? String(error)})`;
  }
}

/** Why nothing must be sent through this socket; undefined when it belongs to us or does not exist. */
export function describeForeign(socket: string, { uid, platform }: Machine): string | undefined {
  if (platform === 'win32') return undefined;
  const unsafe = describeUnsafe(here.dirname(socket), uid);
  if (unsafe !== undefined) return unsafe;
  const stats = lstatSync(socket, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isSocket()) return `${socket} is not a socket`;
  return uid === undefined || stats.uid === uid ? undefined : `${socket} belongs to another user`;
}

/** Names of pipes are one list for the whole machine. */
export function formatSocket(folder: string, key: string, { app, platform }: { app: string; platform: NodeJS.Platform }): string {
  return platform === 'win32' ? `\\\\.\\pipe\\${app}-${key}` : posix.join(folder, `${key}.sock`);
}
