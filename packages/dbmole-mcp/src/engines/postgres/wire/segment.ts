import type { Cell } from '../../../engine.ts';
import type { RowShape } from './long-message.ts';
import { type Field, parseFields, parseText, ServerError } from './messages.ts';
import { protocolFailure } from './wire-filter.ts';

/** More than the statements of any segment. */
const maxTags = 100;

/** Where the rows of a segment go. Undefined shape: they are skipped. */
export interface SegmentRows {
  /** Those of the caller's statement, which may be any number. */
  readonly isCallers?: boolean;
  /** The number of characters that were put in front of the caller's text. */
  readonly lead?: number;
  describe(fields: readonly Field[]): RowShape | undefined;
  /** False: no more. */
  row(cells: readonly Cell[]): boolean;
}

/**
 * What the server answers up to one Sync. Several may be under way at once; the answers come in order. After an error the server
 * skips the rest of the segment, so the number of tags tells how far it came.
 */
export class Segment {
  /** `SELECT 10`, `INSERT 0 1`, …: one for each statement that ended; empty for an empty one or one that was cut off. */
  readonly tags: string[] = [];
  /** Resolves when the server is ready for more, or the connection is lost. Never rejects. */
  readonly done: Promise<void>;
  error: ServerError | undefined;
  /** The connection was lost before the answer was complete. */
  lost: Error | undefined;
  ended = false;
  /** Anything came at all. */
  answered = false;
  /** There was no statement in the text. */
  empty = false;
  /** The statement was a COPY to us; its data is not kept. */
  copied = false;
  shape: RowShape | undefined;
  readonly #rows: SegmentRows | undefined;
  #resolve: () => void = () => {};

  constructor(rows?: SegmentRows) {
    this.#rows = rows;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isCallers(): boolean {
    return this.#rows?.isCallers ?? false;
  }

  get failed(): boolean {
    return this.error !== undefined || this.lost !== undefined;
  }

  message(type: string, body: Buffer): void {
    if (type === 'E') this.error ??= new ServerError(body, { lead: this.#rows?.lead ?? 0 });
    else if (type === 'T') this.shape = this.#rows?.describe(parseFields(body));
    else if (type === 'C') this.#endStatement(parseText(body));
    else if (type === 'I' || type === 's') this.#endStatement('');
    else if (type === 'H') this.copied = true;
    if (type === 'I') this.empty = true;
    // Notices say nothing about whether a statement of this segment began.
    if (type !== 'N' && type !== 'E') this.answered = true;
    if (type === 'Z') this.end();
  }

  row(cells: readonly Cell[]): void {
    if (this.#rows?.row(cells) === false) this.shape = undefined;
  }

  end(lost?: Error): void {
    if (this.ended) return;
    this.lost = lost;
    this.ended = true;
    this.shape = undefined;
    this.#resolve();
  }

  #endStatement(tag: string): void {
    if (this.tags.length >= maxTags) throw protocolFailure();
    this.tags.push(tag);
    this.shape = undefined;
  }
}
