import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '@dbmole/core';
import type { ClusterBackend } from '../backend.ts';
import type { PointInTime } from './point-in-time.ts';

/** The position at which a search continues. */
export interface Position {
  /** A hash of what the caller has to repeat: a cursor continues the same search only. */
  readonly search: string;
  /** Opened with the second page, because most callers read only one. */
  readonly pit: PointInTime | undefined;
  /** Documents before the next one, in the order of the point in time; undefined where only sort values can go on. */
  readonly next: number | undefined;
  /** The sort values of the last one, where something tells all documents apart. */
  readonly after: readonly unknown[] | undefined;
  /** Documents before the next one, as the caller counts them. */
  readonly count: number | undefined;
  /** Documents that the first page has shown, and that may come again in the point in time. */
  readonly seen: ReadonlySet<string>;
  /** The number of documents that the first page has skipped. */
  readonly skipped: number;
}

/** Each page is one; the oldest are forgotten first. */
const maxPositions = 200;

const positions = new WeakMap<ClusterBackend, Map<string, Position>>();

/** A short name for a position, which is ours: a caller cannot name one of another connection. */
export function savePosition(backend: ClusterBackend, position: Position): string {
  const known = positions.get(backend) ?? new Map<string, Position>();
  positions.set(backend, known);
  const cursor = `${randomBytes(4).toString('hex')}.${position.count ?? 'x'}`;
  known.set(cursor, position);
  const [oldest] = known.keys();
  if (known.size > maxPositions && oldest !== undefined) known.delete(oldest);
  return cursor;
}

export function findPosition(backend: ClusterBackend, cursor: string, search: string): Position {
  // The first line ends with the cursor and a period, which is easily copied with it.
  const found = positions.get(backend)?.get(cursor.replace(/\.$/, ''));
  if (found === undefined || found.pit?.isClosed === true) throw goneFailure();
  if (found.search === search) return found;
  throw new Failure('input', `the cursor ${JSON.stringify(cursor.slice(0, 40))} belongs to another search`, {
    hint: 'Repeat index, query, q, sort and body of the call that gave it, or leave out `cursor`.',
  });
}

export function goneFailure(): Failure {
  return new Failure('unknown', 'the cursor has ended: all pages were read, or five minutes have passed since the last one', {
    code: 'E_CURSOR_GONE',
    hint: 'Call without `cursor` to start over.',
  });
}

export function hashSearch(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
