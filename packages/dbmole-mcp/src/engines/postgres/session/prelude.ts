import { Failure } from '@dbmole/core';
import { premiseCode } from '../../../guard/read-statement.ts';
import { OwnRows, type UserRows } from '../values/user-rows.ts';
import { command, script, statement, sync } from '../wire/messages.ts';
import { Segment } from '../wire/segment.ts';
import { type Look, momentSql } from './premise-watch.ts';

/** Fails where the server cannot look for itself whether the client is still there: before version 14, and on some platforms. */
export const clientCheck = "select pg_catalog.set_config('client_connection_check_interval', '2000', false)";

/** The largest number that the server takes. */
const maxMs = 2_147_483_647;
const idleMs = 10_000;
/** The share of the time limit: a caller that waits for a lock should hear that rather than a timeout. */
const lockShare = 0.8;

type Settings = Readonly<Record<string, string | number>>;

/** Decide how values are written, and how long we may sit in a transaction. The same for every call. */
const constants: Settings = {
  idle_in_transaction_session_timeout: idleMs,
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: 1,
};

const clientChecks = { client_connection_check_interval: 2000 };
/** Decides how the statement itself is read. */
const asRead = { standard_conforming_strings: 'on' };

export interface CallSettings {
  timeoutMs: number;
  checksClient: boolean;
}

interface PreludeOptions extends CallSettings {
  /** False: for the session, where there is no transaction. */
  local?: boolean;
  /** The session has the settings that are the same for every call. */
  prepared?: boolean;
  /** What must be true, or else the server skips the rest. */
  look?: Look | undefined;
}

/**
 * The settings of one statement. They decide how the statement itself is read, too: with `standard_conforming_strings` off, a string
 * could end elsewhere than the guard thinks, so that one is never left to the session unseen. As it takes a snapshot, the
 * transaction cannot be made read-write any more.
 */
export function formatPrelude({ timeoutMs, checksClient, local = true, prepared = false, look }: PreludeOptions): Buffer {
  const settings = prepared ? ofTheCall(timeoutMs) : ofTheSession({ timeoutMs, checksClient });
  const columns = Object.entries(settings).map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', ${local})`);
  if (look === undefined) return command(`select ${columns.join(', ')}`);
  columns.push(formatAssertion(look.sql));
  return look.full
    ? statement(`select ${[...columns, keepsStateSql, momentSql].join(', ')}`, [], 0)
    : command(`select ${columns.join(', ')}`);
}

/** All of them, for a session between two calls, when no call waits for it. */
export function formatSession(call: CallSettings): Buffer {
  return script(Object.entries(ofTheSession(call)).map(([name, value]) => `set ${name} to '${value}'`));
}

function ofTheCall(timeoutMs: number): Settings {
  const limit = Math.min(Math.max(1, Math.ceil(timeoutMs)), maxMs);
  return { statement_timeout: limit, lock_timeout: Math.ceil(limit * lockShare), ...asRead };
}

function ofTheSession({ timeoutMs, checksClient }: CallSettings): Settings {
  return { ...ofTheCall(timeoutMs), ...constants, ...(checksClient ? clientChecks : {}) };
}

const divisionByZero = '22012';

/** A quick look that is ready in the session, with the settings of the call there already: what is left is to see that they are. */
export function formatReadyLook({ sql }: Look): string {
  const asMeant = Object.entries(asRead).map(
    ([name, value]) => `pg_catalog.current_setting('${name}') operator(pg_catalog.=) '${value}'`,
  );
  return `select ${formatAssertion([...asMeant, sql].join(' and '))}`;
}

/** Nothing else in the prelude divides. The server does not compute it beforehand, as the premise is not constant. */
function formatAssertion(condition: string): string {
  return `1 operator(pg_catalog./) case when ${condition} then 1 else 0 end`;
}

/** Whether it was the look that ended a read of BEGIN, prelude and statement: of the three, only the first had come to its end. */
export function isLookFalse({ error, tags }: Segment, look: Look | undefined): boolean {
  return look !== undefined && error?.code === divisionByZero && tags.length === 1;
}

const unknownStatement = '26000';

/** A prepared check was missing, because a proxy switched us to another session. Nothing has run. */
export function isLookMissing({ error, tags }: Segment): boolean {
  return error?.code === unknownStatement && tags.length === 1;
}

/** The guard looks again, and the caller never sees it but when the catalog changes all the time. */
export function premiseFailure(): Failure {
  return new Failure('engine', 'functions or views of this database were changed while the statement was being checked', {
    code: premiseCode,
    hint: 'Nothing was run. Retry.',
  });
}

/** Whether reads of this database can leave something in the session: only then are they followed by a check. */
export const keepsStateSql = `exists (select from pg_catalog.pg_foreign_table)
  or exists (select from pg_catalog.pg_language l where l.oid operator(pg_catalog.>=) 16384)`;

/** Settings that appear when the library of a language is loaded. */
const ofLanguages = ['pltcl.start_proc', 'pltclu.start_proc', 'plperl.use_strict', 'plv8.start_proc']
  .map((name) => `pg_catalog.current_setting('${name}', true)`)
  .join(', ');

/** What a transaction has read is locked until its end, also where a view or a function read it. */
const bytes = Buffer.concat([
  statement(
    `select coalesce(${ofLanguages}) is not null or exists (
      select from pg_catalog.pg_locks l join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) l.relation
      where l.pid operator(pg_catalog.=) pg_catalog.pg_backend_pid() and c.relkind operator(pg_catalog.=) 'f')`,
    [],
    1,
  ),
  sync,
]);

/** The tags of BEGIN and the settings before the caller's statement. */
const tagsBefore = 2;

/**
 * A foreign data wrapper keeps its connection to the other server as long as the session lives, and some languages keep variables;
 * no reset takes that back. So a read is followed by the question whether it used either, while its transaction is still open.
 */
export class StateCheck {
  readonly bytes = bytes;
  readonly segment: Segment;
  readonly #answer = new OwnRows();

  constructor() {
    this.segment = new Segment(this.#answer);
  }

  /** Once both are answered. After an error the server answers no question, so anything may have been used. */
  mayLeaveState(read: Segment, { fields }: UserRows): boolean {
    const isUnknownName = fields === undefined && read.error?.code.startsWith('42') === true;
    if (isUnknownName || (read.error !== undefined && read.tags.length < tagsBefore)) return false;
    return this.#answer.rows[0]?.[0] !== 'f';
  }
}
