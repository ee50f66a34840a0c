import { randomBytes } from 'node:crypto';
import { untilAborted } from '@dbmole/core';
import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type { Param, RowSink, TextRows } from '../../../engine.ts';
import { readText } from '../../../read-cell.ts';
import { formatTag } from '../../../statement/format-tag.ts';
import { readFailure, type Where } from '../errors/failure.ts';
import { refuseDryRun } from '../guard/thread/guard-thread.ts';
import type { TypeCatalog } from '../values/type-names.ts';
import { UserRows } from '../values/user-rows.ts';
import { bindPortal, command, runPortal, statement } from '../wire/messages.ts';
import type { Segment } from '../wire/segment.ts';
import { commitFailure, parseWriteEnd, partFailure } from './write.ts';

/** Sends up to one Sync, which is added, and waits for the end of the answer. */
export type Exchange = (bytes: Buffer, rows?: UserRows) => Promise<Segment>;

interface Parts {
  exchange: Exchange;
  /** What comes first in the transaction. */
  begin: Buffer;
  types: TypeCatalog;
  hidesValues: boolean;
  signal: AbortSignal;
  where: Where;
}

/** Runs the work in a transaction of its own. When it throws, the cleaning of the session rolls back. */
export async function runTransaction<T>(parts: Parts, work: (transaction: WriteTransaction) => Promise<Verdict<T>>): Promise<T> {
  const transaction = new PostgresTransaction(parts);
  await transaction.send(parts.begin);
  const { commit, result } = await work(transaction);
  parts.signal.throwIfAborted();
  if (!commit) {
    await transaction.send(command('rollback'));
    return result;
  }
  const segment = await parts.exchange(command('commit'));
  const failure = commitFailure(segment, parts);
  if (failure !== undefined) throw failure;
  return result;
}

/** Statements with effects that a rollback leaves are refused before the transaction begins. */
export async function refuseKept({ undone }: TransactionRequest, signal: AbortSignal): Promise<void> {
  for (const sql of undone) await untilAborted(refuseDryRun(sql), signal);
}

const savepoint = 'dbmole_try';
const portal = 'question';
const maxAnswerCell = 4_096;

class PostgresTransaction implements WriteTransaction {
  readonly #parts: Parts;
  /** A statement of the caller cannot guess it, and so not change the path that is kept in it. */
  readonly #kept = `dbmole.p${randomBytes(12).toString('hex')}`;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run({ sql, params, keepPerCell, tag }: Parameters<WriteTransaction['run']>[0], sink: RowSink) {
    const rows = new UserRows(sink, { keepPerCell, tag }, this.#parts.types);
    const segment = await this.#parts.exchange(statement(formatTag({ tag }) + sql, params, 0), rows);
    if (rows.crash !== undefined) throw rows.crash.error;
    const failure = partFailure(segment, { ...this.#parts, sql });
    if (failure !== undefined) throw failure;
    return parseWriteEnd(segment, true, { sql, dryRun: false });
  }

  async ask(sql: string, params: readonly Param[] = []): Promise<TextRows> {
    const { before, behind } = this.#pin();
    return await this.send(Buffer.concat([before, bindPortal(portal, sql, params), behind, runPortal(portal, 0)]), sql);
  }

  async tryAsk(sql: string, params: readonly Param[] = []): Promise<TextRows | undefined> {
    await this.send(command(`savepoint ${savepoint}`));
    try {
      return await this.send(statement(sql, params, 0), sql);
    } catch {
      this.#parts.signal.throwIfAborted();
      return undefined;
    } finally {
      // Also after a success: the question may have called a function that changed something.
      await this.send(command(`rollback to savepoint ${savepoint}`));
    }
  }

  async settle(): Promise<void> {
    await this.send(command('set constraints all immediate'));
  }

  async send(bytes: Buffer, sql = ''): Promise<TextRows> {
    const found: (string | null)[][] = [];
    const sink: RowSink = {
      columns: () => undefined,
      row: (cells) => found.push(cells.map(readText)) > 0,
    };
    const rows = new UserRows(sink, { keepPerCell: maxAnswerCell }, this.#parts.types);
    const { signal, where, hidesValues } = this.#parts;
    const failure = readFailure(await this.#parts.exchange(bytes, rows), rows, { sql, hidesValues, signal, where });
    if (failure !== undefined) throw failure;
    return found;
  }

  /** The names of our question mean the server's own objects; when it runs, the path is that of the caller's statements. */
  #pin(): { before: Buffer; behind: Buffer } {
    const set = (name: string, value: string) => `pg_catalog.set_config(${name}, ${value}, true)`;
    const path = `pg_catalog.current_setting('search_path')`;
    return {
      before: command(`select ${set(`'${this.#kept}'`, path)}, ${set(`'search_path'`, `'pg_catalog, pg_temp'`)}`),
      behind: command(`select ${set(`'search_path'`, `pg_catalog.current_setting('${this.#kept}')`)}`),
    };
  }
}
