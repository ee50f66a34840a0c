import { Failure } from '@dbmole/core';
import { premiseCode } from '../../guard/read-statement.ts';
import { command } from './messages.ts';
import type { Segment } from './segment.ts';

/** Fails where the server cannot look for itself whether the client is still there: before version 14, and on some platforms. */
export const clientCheck = "select pg_catalog.set_config('client_connection_check_interval', '2000', false)";

/** The largest number that the server takes. */
const longestMs = 2_147_483_647;
const idleMs = 10_000;
/** Of the time limit: who waits for a lock should hear that rather than that the time is over. */
const lockShare = 0.8;

export interface PreludeOptions {
  /** False: for the session, where there is no transaction. */
  local?: boolean;
  /** What must be true, or else the server skips the rest: an SQL expression. Undefined or empty: nothing. */
  premise?: string | undefined;
}

/**
 * The settings of one statement. They decide how values are written, and how the statement itself is read: with
 * `standard_conforming_strings` off, a string could end elsewhere than the guard thinks. As it takes a snapshot, the
 * transaction cannot be made read-write any more.
 */
export function formatPrelude(timeoutMs: number, checksClient: boolean, { local = true, premise }: PreludeOptions = {}): Buffer {
  const limit = Math.min(Math.max(1, Math.ceil(timeoutMs)), longestMs);
  const settings: Record<string, string | number> = {
    statement_timeout: limit,
    lock_timeout: Math.ceil(limit * lockShare),
    idle_in_transaction_session_timeout: idleMs,
    standard_conforming_strings: 'on',
    DateStyle: 'ISO',
    IntervalStyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: 1,
    ...(checksClient ? { client_connection_check_interval: 2000 } : {}),
  };
  const calls = Object.entries(settings).map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', ${local})`);
  return command(`select ${[...calls, ...(premise ? [formatAssertion(premise)] : [])].join(', ')}`);
}

const divisionByZero = '22012';

/** Nothing else in the prelude divides. The server does not compute it beforehand, as the premise is not constant. */
function formatAssertion(premise: string): string {
  return `1 operator(pg_catalog./) case when ${premise} then 1 else 0 end`;
}

/** Whether it was the premise that ended a read of BEGIN, prelude and statement: of the three, only the first had come to its end. */
export function isPremiseBroken({ error, tags }: Segment, premise: string | undefined): boolean {
  return Boolean(premise) && error?.code === divisionByZero && tags.length === 1;
}

/** The guard looks again, and the caller never sees it but when the catalog changes all the time. */
export function premiseFailure(): Failure {
  return new Failure('engine', 'functions or views of this database were changed while the statement was being checked', {
    code: premiseCode,
    hint: 'Nothing has run; call again.',
  });
}
