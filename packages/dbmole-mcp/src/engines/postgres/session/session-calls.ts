import type { ReadRequest, RowSink, WriteRequest } from '../../../engine.ts';
import type { UserRows } from '../values/user-rows.ts';
import type { Segment } from '../wire/segment.ts';

/** What is sent at once, and whose answer is awaited. */
export interface Sent {
  bytes: Buffer;
  /** One for each Sync in the bytes. */
  segments: readonly Segment[];
  segment: Segment;
  /** Stops the server when these have enough. */
  limited?: UserRows | undefined;
}

export interface ReadCall {
  request: ReadRequest;
  sink: RowSink;
  signal: AbortSignal;
}

export interface WriteCall {
  request: WriteRequest;
  rows: UserRows;
  signal: AbortSignal;
}
