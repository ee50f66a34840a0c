import type { Param } from '../../../engine.ts';
import type { DoneMessage } from '../process/messages.ts';
import type { RowRelay } from './row-relay.ts';

/** A statement for the process. */
export interface Run {
  sql: string;
  params: readonly Param[];
  keepPerCell: number;
  maxRows?: number | undefined;
  maxColumns?: number | undefined;
  /** Not a read of a caller. */
  isFree: boolean;
}

/** The file as it is open for one call. */
export interface OpenFile {
  run(run: Run, relay?: RowRelay): Promise<DoneMessage>;
  /** From here on the call is not stopped, because the outcome would be unknown. */
  protect(): void;
}

/** A statement of our own without a result. */
export function own(sql: string): Run {
  return { sql, params: [], keepPerCell: 0, isFree: true };
}
