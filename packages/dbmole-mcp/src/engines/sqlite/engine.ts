import { statSync } from 'node:fs';
import { Failure, onAbort } from '@dbmole/core';
import type { FileConnection } from '../../connection/schema.ts';
import type { Session, SessionTarget, SqlEngine } from '../../engine.ts';
import { seeDatabases } from '../../next-steps.ts';
import { changes } from './change/changes.ts';
import { isLocked, toSqliteFailure } from './errors/failure.ts';
import { hintFor } from './errors/statement-hint.ts';
import { createGuard } from './guard/guard.ts';
import { scopeDialect } from './guard/scope.ts';
import { grammar } from './session/grammar.ts';
import { SqliteSession } from './session/session.ts';
import { DatabaseProcess } from './wire/database-process.ts';

/** SQLite, by the module of Node. */
export const engine: SqlEngine = {
  openSession,
  createGuard,
  hintFor,
  grammar,
  changes,
  scopeDialect,
  // SQLite has no arrays, and reads them with json_each().
  formatListParam: (value) => JSON.stringify(value),
  async identify(run) {
    const [row] = await run("select sqlite_version(), file from pragma_database_list where name = 'main'");
    return { product: 'SQLite', version: row?.[0] ?? '', user: undefined, database: row?.[1] ?? undefined };
  },
};

async function openSession(target: SessionTarget<FileConnection>, signal: AbortSignal): Promise<Session> {
  const { file, database, config } = target;
  const place = { file, noLinks: config.noLinks === true };
  if (database !== undefined && database.toLowerCase() !== 'main')
    throw new Failure('unknown', `a SQLite file has one database, main, and not ${database}`, {
      code: 'E_UNKNOWN_DATABASE',
      hint: seeDatabases,
    });
  requireFile(file);
  const process = new DatabaseProcess();
  const forget = onAbort(signal, () => process.kill());
  try {
    await process.send({ type: 'open', ...place, writes: false, waitMs: 0 }).catch(ignoreLock);
    await process.send({ type: 'close' });
    return new SqliteSession(place, process);
  } catch (error) {
    process.kill();
    throw signal.aborted ? signal.reason : toSqliteFailure(error, file);
  } finally {
    forget();
  }
}

/** A file that another process is writing is opened by each call anyway, which waits for it. */
function ignoreLock(error: unknown): void {
  if (!isLocked(error)) throw error;
}

/** SQLite would wait on a pipe without an end, and create a file that is missing where it may write. */
function requireFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return;
  throw new Failure('connection', stats === undefined ? `there is no file ${file}` : `${file} is not a regular file`, {
    code: 'E_FILE',
    hint: 'Correct "file" where the connection is defined.',
  });
}
