import type { SessionRead } from '../../../engine.ts';
import type { ReadStatement } from '../../../guard/read-statement.ts';
import { formatTag } from '../../../statement/format-tag.ts';
import type { TypeCatalog } from '../values/type-names.ts';
import { OwnRows, UserRows } from '../values/user-rows.ts';
import { command, statement, sync } from '../wire/messages.ts';
import { Segment } from '../wire/segment.ts';
import { formatQuestion } from './own-question.ts';
import { formatPrelude, type StateCheck } from './prelude.ts';
import { type Look, type LookedRows, readKeepsState } from './premise-watch.ts';
import { beginRead, hideLook } from './ready-session.ts';
import { type Limited, limitRows } from './row-limit.ts';

const setSavepoint = command('savepoint dbmole');
const returnToSavepoint = command('rollback to savepoint dbmole');

interface BatchOptions {
  timeoutMs: number;
  checksClient: boolean;
  types: TypeCatalog;
  /** Must be true, or none of the statements runs. */
  look: Look | undefined;
  /** Whether reads of this database can leave something in the session. */
  keepsState: boolean;
}

/** What is sent for one call, up to the cleaning. There is one segment for each Sync; the last has the caller's statement. */
export interface Batch {
  bytes: Buffer;
  before?: readonly Segment[];
  rows: UserRows;
  /** In front of them, if the premise is looked at. */
  looked?: LookedRows | undefined;
  /** Stop the server when the sink has enough. */
  stopsEarly: boolean;
  /** The check that follows them. */
  check?: StateCheck | undefined;
  /** The bytes have the cleaning in them, before their last Sync. */
  cleans?: boolean;
}

/** What is known of a statement when its answer is read. */
export type Ended = Pick<ReadStatement, 'sql'> & Partial<Pick<ReadStatement, 'columns'>>;

export interface BatchRead {
  readonly limited: Limited;
  readonly rows: UserRows;
  readonly segment: Segment;
}

/**
 * Several reads in one transaction, which are sent at once. A savepoint before each of them keeps a failed one from failing the
 * others. Where the transaction did not begin, or the premise is false, the savepoint cannot be set, and the server skips what follows.
 */
export class ReadBatch {
  readonly begun: Segment;
  readonly reads: readonly BatchRead[];
  readonly bytes: Buffer;
  readonly #facts = new OwnRows();
  readonly #keepsState: boolean;

  constructor(reads: readonly SessionRead[], options: BatchOptions) {
    this.#keepsState = options.keepsState;
    this.begun = new Segment(this.#facts);
    const parts = [hideLook, beginRead, formatPrelude(options), sync];
    this.reads = reads.map(({ request, sink }, i) => {
      const limited = limitRows(request.statement.sql, request.maxRows);
      const lead = formatTag(request);
      const rows = new UserRows(sink, request, options.types);
      const format = request.statement.premise === undefined ? formatQuestion : statement;
      parts.push(i === 0 ? setSavepoint : returnToSavepoint, format(lead + limited.sql, request.params, limited.maxRows), sync);
      return { limited, rows, segment: new Segment(rows) };
    });
    this.bytes = Buffer.concat(parts);
  }

  get segments(): readonly Segment[] {
    return [this.begun, ...this.reads.map(({ segment }) => segment)];
  }

  /** Undefined when the server did not say. */
  get keepsState(): boolean | undefined {
    return readKeepsState(this.#facts);
  }

  /** Once everything is answered. With the savepoint went the locks that would tell what was read. */
  get mayLeaveState(): boolean {
    return this.#keepsState && !this.begun.failed;
  }
}

/**
 * With our LIMIT the complaint may be about that; without, it is about the caller's own text. It comes before anything has run:
 * a function that raises the same error does so later.
 */
export function blamesLimit({ sql, limited, rows, segment }: BatchRead & { sql: string }): boolean {
  return limited.sql !== sql && rows.fields === undefined && segment.error?.code === '42601';
}
