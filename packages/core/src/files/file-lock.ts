import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { formatAbort } from '../abort.ts';
import { askUser, Failure } from '../failure.ts';
import { removeQuietly, writeHint } from './atomic-write.ts';
import { isHolderGone, type LockHolder, thisProcess } from './process-identity.ts';
import { systemCode } from './system-code.ts';

interface LockOptions {
  /** How long to wait for another holder. */
  waitMs?: number;
  /** How long to wait between two attempts; short by default, because a change of the file takes milliseconds. */
  pollMs?: number;
  /** Once it is aborted, no work is started: the caller has already received an error. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while no other process, and no other task in this one, runs work under the same lock file. A holder that died is
 * noticed by its process id and start time, so its lock is taken over at once.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const end = Date.now() + (options.waitMs ?? 5_000);
  return await inTurn(path, async () => {
    const holder: LockHolder = { ...thisProcess(), nonce: randomBytes(8).toString('hex'), at: Date.now() };
    await acquire(path, holder, { ...options, end });
    try {
      assertWanted(options.signal);
      return await work();
    } finally {
      if (readHolder(path)?.nonce === holder.nonce) removeQuietly(path);
    }
  });
}

const turns = new Map<string, Promise<void>>();

/**
 * Runs one call after another in this process: a thousand that ask the file system every few milliseconds would leave no time for
 * anything else. Other processes get the lock in between.
 */
async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(path);
  const result = before === undefined ? work() : before.then(() => setImmediate()).then(work);
  const done = result.then(nothing, nothing);
  turns.set(path, done);
  try {
    return await result;
  } finally {
    if (turns.get(path) === done) turns.delete(path);
  }
}

function nothing(): void {}

function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw formatAbort(signal);
}

async function acquire(path: string, holder: LockHolder, options: LockOptions & { end: number }): Promise<void> {
  const { end } = options;
  for (;;) {
    assertWanted(options.signal);
    const other = readHolder(path);
    if (!other && tryCreate(path, holder)) return;
    if (other && isHolderGone(other)) {
      await breakLock(path, other, end, options);
      // It may be a file that we are not permitted to remove.
      if (readHolder(path)?.nonce !== other.nonce) continue;
    }
    if (Date.now() > end) throw locked(path, other);
    await delay((options.pollMs ?? 2) + Math.random() * 10);
  }
}

/**
 * Removes the lock of a dead holder. Two processes may see the same dead holder; the right to remove exactly that one is a
 * lock of its own, and the second process to get it finds another holder, or none, and removes nothing.
 */
async function breakLock(path: string, dead: LockHolder, end: number, options: LockOptions): Promise<void> {
  const claim = `${path}.${dead.nonce}.break`;
  const waitMs = Math.max(0, end - Date.now());
  await withFileLock(
    claim,
    async () => {
      if (readHolder(path)?.nonce === dead.nonce) removeQuietly(path);
      sweep(path);
    },
    { ...options, waitMs },
  );
}

/** A link is created whole or not at all, so a lock is never read half written. */
function tryCreate(path: string, holder: LockHolder): boolean {
  const own = `${path}.${holder.nonce}.own`;
  const text = JSON.stringify({ ...holder, at: Date.now() });
  try {
    writeFileSync(own, text, { flag: 'wx', mode: 0o600 });
    linkSync(own, path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return false;
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') return createWithoutLinks(path, text);
    throw cannotLock(path, error);
  } finally {
    removeQuietly(own);
  }
}

function cannotLock(path: string, error: unknown): Failure {
  const code = systemCode(error);
  return new Failure('config', `${dirname(path)} cannot be written (${code ?? 'unknown error'})`, {
    code: 'E_STORE_WRITE',
    hint: writeHint(code) ?? 'Check the permissions of this folder.',
    cause: error,
  });
}

/** The fallback for file systems without hard links. */
function createWithoutLinks(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // The file is ours and may be half written: others would have to wait for it.
    removeQuietly(path);
    throw cannotLock(path, error);
  }
}

/** undefined when there is no lock (any more). One that is not ours to understand counts by its age alone. */
function readHolder(path: string): LockHolder | undefined {
  try {
    const stats = statSync(path);
    const fallback = { pid: 0, host: '', nonce: `unknown-${stats.ino}`, at: stats.mtimeMs };
    return parseHolder(readFileSync(path, 'utf8')) ?? fallback;
  } catch {
    return undefined;
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map(Object.entries(value));
  const nonce = fields.get('nonce');
  const known =
    typeof fields.get('pid') === 'number' && typeof fields.get('host') === 'string' && typeof fields.get('at') === 'number';
  // The nonce becomes part of a file name.
  return known && typeof nonce === 'string' && /^[0-9a-f]{1,64}$/.test(nonce);
}

/** Removes what processes that died left beside the lock. These files are needed only for a moment. */
function sweep(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !/\.(own|break)$/.test(name)) continue;
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > 60_000) removeQuietly(join(folder, name));
  }
}

function locked(path: string, holder: LockHolder | undefined): Failure {
  const who = holder && holder.pid > 0 ? `process ${holder.pid}${holder.host ? ` on ${holder.host}` : ''}` : 'another process';
  return new Failure('config', `${path} is held by ${who}`, {
    code: 'E_LOCKED',
    hint: ['Retry.', askUser(`delete ${path} if that process no longer exists`)],
  });
}
