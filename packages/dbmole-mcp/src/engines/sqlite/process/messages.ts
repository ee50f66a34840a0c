/** What the server and the process that opens the file tell each other: lines of JSON, in both directions. */

/** A value for a placeholder. */
export type WireParam = string | number | boolean | null;

/** Opens the file for one call. Nothing of a call is left to the next one, because it is closed afterwards. */
export interface OpenRequest {
  type: 'open';
  file: string;
  /** The path has to be that of the file itself. */
  noLinks: boolean;
  writes: boolean;
  /** How long to wait for the locks of other processes. */
  waitMs: number;
}

export interface RunRequest {
  type: 'run';
  sql: string;
  /** The values by the number of their placeholder. */
  params: readonly WireParam[];
  /** The names of the placeholders, as `:name`; null for one without a name. */
  names: readonly (string | null)[];
  /** A statement of our own, or a write: it may do more than a read of a caller. */
  isFree: boolean;
  /** Characters of a text and bytes of a blob that are kept. */
  keepPerCell: number;
  maxRows: number | null;
  maxColumns: number | null;
}

interface CloseRequest {
  type: 'close';
}

export type ToProcess = OpenRequest | RunRequest | CloseRequest;

/** The answers to a batch of rows: go on, or stop. */
export const goOn = '+';
export const stop = '-';

/** Text as it is; a cell of which only a part was kept has the part and its whole length, which is in bytes where `b` is set. */
export type WireCell = string | null | { t: string; n: number; b?: 1 };

export interface WireColumn {
  name: string;
  /** As the column was declared; empty for an expression. */
  type: string;
  /** The column of a table that it shows unchanged, in small letters: `users.email`. */
  origin?: string;
}

export interface DoneMessage {
  type: 'done';
  /** Rows that the statement changed itself, and with triggers and foreign keys; undefined for what counts none. */
  changed?: number;
  allChanged?: number;
}

export interface FailedMessage {
  type: 'failed';
  message: string;
  /** The extended code of SQLite; undefined where the error is not one of SQLite. */
  code?: number | undefined;
  /** The file changed while it was read without locks. */
  isChanged?: boolean;
  /** A writer in WAL mode was interrupted, and no program has completed what it wrote. */
  isLeft?: boolean;
  /** The file is a link, or has another name, and must not. */
  isLink?: boolean;
}

export type FromProcess =
  | { type: 'columns'; columns: WireColumn[]; total: number }
  | { type: 'rows'; rows: WireCell[][] }
  | DoneMessage
  | FailedMessage;
