import type { CatalogRun, RowSink, WriteEnd, WriteRequest } from '../engine.ts';
import { beforeStart } from '../failure.ts';
import type { ReadGuard } from '../guard/read-statement.ts';
import { refuseColumn } from '../policy/column-policy.ts';
import { withProtection } from '../policy/column-sink.ts';
import type { DatabaseEntry } from './guarded-read.ts';
import type { SessionPool } from './session-pool.ts';

interface Write {
  request: WriteRequest;
  sink: RowSink;
  signal: AbortSignal;
}

/** Runs a write. What it returns of protected columns is shown as the policy says. */
export async function writeGuarded(
  { pool, guard, protect }: DatabaseEntry,
  run: CatalogRun,
  { signal, ...write }: Write,
): Promise<WriteEnd> {
  const plan = protect === undefined ? undefined : await planWrite(guard, write.request.sql, run);
  return await withProtection({ plan, protect }, write, (request, sink) =>
    writeOnce(pool, { request: { ...request, hidesValues: protect !== undefined }, sink, signal }),
  );
}

async function planWrite({ checkWrite }: ReadGuard, sql: string, run: CatalogRun) {
  if (checkWrite === undefined)
    throw refuseColumn('nothing can be written through a connection with protected columns; nothing was run');
  return await checkWrite(sql, run);
}

async function writeOnce(pool: SessionPool, { request, sink, signal }: Write): Promise<WriteEnd> {
  let hasBegun = false;
  try {
    return await pool.use(signal, (session) => {
      hasBegun = true;
      return session.write(request, sink, signal);
    });
  } catch (error) {
    throw hasBegun ? error : beforeStart(error);
  }
}
