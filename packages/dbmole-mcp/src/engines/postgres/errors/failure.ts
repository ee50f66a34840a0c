import { Failure, type FailureKind, type FailureOptions, formatAbort, networkFailure, quoteRemote } from '@dbmole/core';
import { staleFailure } from '../../../failure.ts';
import { seeColumns, seeDatabases, seeTables, useExecute } from '../../../next-steps.ts';
import type { UserRows } from '../values/user-rows.ts';
import { ServerError } from '../wire/messages.ts';
import type { Segment } from '../wire/segment.ts';
import { hideValues } from './protected-failure.ts';

interface Meaning extends Pick<FailureOptions, 'code' | 'hint'> {
  kind: FailureKind;
}

const shutDown: Meaning = { kind: 'connection', code: 'E_SHUT_DOWN', hint: 'The server closed the connection. Retry.' };
const again = 'Nothing was changed. Retry.';
const castHint = 'Use a value of that type, or cast one side to the type of the other: `value::type`.';
const dateHint = 'Write dates and times as 2024-12-31 and 2024-12-31 23:59:00.';

const meanings: Readonly<Record<string, Meaning>> = {
  '28P01': { kind: 'auth', hint: 'Check user and password.' },
  '28000': { kind: 'auth', hint: 'Check user and password, and what pg_hba.conf accepts from this address; it may require TLS.' },
  '3D000': { kind: 'unknown', code: 'E_UNKNOWN_DATABASE', hint: seeDatabases },
  '3F000': { kind: 'unknown', code: 'E_UNKNOWN_SCHEMA', hint: seeTables },
  '42P01': { kind: 'unknown', code: 'E_UNKNOWN_TABLE', hint: seeTables },
  '42703': { kind: 'unknown', code: 'E_UNKNOWN_COLUMN', hint: seeColumns },
  '42883': { kind: 'unknown', code: 'E_UNKNOWN_FUNCTION' },
  '42702': { kind: 'engine', code: 'E_AMBIGUOUS_COLUMN', hint: 'Qualify the column with its table or alias.' },
  '42725': { kind: 'engine', code: 'E_AMBIGUOUS_FUNCTION', hint: 'Cast the operands, as in `a::text || b::text`.' },
  '42803': { kind: 'engine', hint: 'Add the column to GROUP BY, or aggregate it, as in max(column).' },
  '42804': { kind: 'engine', hint: castHint },
  '22P02': { kind: 'engine', code: 'E_INVALID_VALUE', hint: castHint },
  '22007': { kind: 'engine', code: 'E_INVALID_VALUE', hint: dateHint },
  '22008': { kind: 'engine', code: 'E_INVALID_VALUE', hint: dateHint },
  '22012': { kind: 'engine', hint: 'Divide by nullif(divisor, 0): that gives NULL.' },
  '42704': { kind: 'unknown', code: 'E_UNKNOWN_OBJECT' },
  '42601': { kind: 'engine', code: 'E_SYNTAX' },
  '42501': { kind: 'engine', code: 'E_PERMISSION', hint: 'Ask an administrator of the database for this privilege.' },
  '42P18': { kind: 'engine', code: 'E_PARAM_TYPE', hint: 'Cast the placeholder to its type, as in `$1::int`.' },
  '42P08': { kind: 'engine', code: 'E_PARAM_TYPE', hint: 'Cast the placeholder to its type, as in `$1::int`.' },
  '08P01': {
    kind: 'engine',
    code: 'E_PARAMS',
    hint: { tool: 'Pass one value in params for each placeholder.', cli: 'Write the values into the statement.' },
  },
  '25006': { kind: 'refused', code: 'E_READONLY', hint: useExecute },
  '40001': { kind: 'engine', code: 'E_CONFLICT', hint: again },
  '40P01': { kind: 'engine', code: 'E_DEADLOCK', hint: again },
  '55P03': { kind: 'timeout', code: 'E_LOCK_TIMEOUT', hint: 'Retry when the transaction that holds the lock has ended.' },
  '53300': {
    kind: 'connection',
    code: 'E_TOO_MANY_CONNECTIONS',
    hint: 'Retry when other connections have been closed.',
  },
  '57P01': shutDown,
  '57P02': shutDown,
  '57P03': { kind: 'connection', code: 'E_STARTING_UP', hint: 'The server is starting. Retry in a moment.' },
  '57P05': shutDown,
  '25P03': shutDown,
};

/** A database without an encoding takes any bytes, and has no way to tell what they mean. */
const notUtf8: Meaning = {
  kind: 'engine',
  hint: "The value is not UTF-8. Read it as bytes: convert_to(the_column, 'SQL_ASCII').",
};
const notInFrom: Meaning = {
  kind: 'unknown',
  code: 'E_UNKNOWN_TABLE',
  hint: 'Name it in FROM, or use its alias.',
};

/** Whole classes of codes; the first two characters. */
const classes: Readonly<Record<string, Meaning>> = {
  '23': { kind: 'engine', code: 'E_CONSTRAINT' },
};

const statementEnded = '57014';
/** Characters of what an error shows of the server's own texts. */
const maxMessage = 1_000;
const maxDetail = 300;

export interface Where {
  host: string;
  port: number;
}

/** Every error of the driver and the server, in our words. `sql` is what was sent, for the place in it. */
export function toFailure(error: unknown, where: Where, sql?: string): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ServerError) return serverFailure(error, sql);
  const network = networkFailure(error, where) ?? tlsFailure(error, where);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : String(error);
  const loggingIn = message.startsWith('SASL');
  const what = loggingIn ? `the login failed: ${quoteRemote(message, maxDetail)}` : message;
  return new Failure(loggingIn ? 'auth' : 'connection', `${where.host}:${where.port}: ${what}`, {
    ...(loggingIn ? { hint: 'Check user and password.' } : { code: 'E_NETWORK' }),
    cause: error,
  });
}

function serverFailure(error: ServerError, sql: string | undefined): Failure {
  const { kind, code, hint } = findMeaning(error);
  return new Failure(kind, quoteError(error), {
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
    ...(error.position === undefined ? {} : { position: toIndex(error.position, sql) }),
    engineCode: error.code,
    cause: error,
  });
}

/** All that the server says, as its words: a trigger or a function may have written any of them. */
export function quoteError({ message, detail, hint, isReworded }: ServerError): string {
  if (isReworded) return message;
  const parts = [`the server says ${quoteRemote(message, maxMessage)}`];
  if (detail) parts.push(`detail ${quoteRemote(detail, maxDetail)}`);
  if (hint) parts.push(`hint ${quoteRemote(hint, maxDetail)}`);
  return parts.join(', ');
}

/** The server counts characters; JavaScript strings count UTF-16 units. */
function toIndex(position: number, sql: string | undefined): number {
  if (sql === undefined) return position;
  let index = 0;
  for (let left = position - 1; left > 0; left--) index += (sql.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index + 1;
}

function findMeaning(error: ServerError): Meaning {
  if (error.code === statementEnded) return endedMeaning(error);
  // The parser raises syntax errors; this one is of the function that takes a statement.
  if (error.code === '42601' && error.routine === 'exec_parse_message')
    return { kind: 'input', code: 'E_MULTIPLE_STATEMENTS', hint: 'Run one statement at a time.' };
  if (error.code === '22021' && !error.message.includes('0x00')) return notUtf8;
  // The table may well be there, but the statement does not read from it.
  if (error.code === '42P01' && error.routine === 'errorMissingRTE') return notInFrom;
  return meanings[error.code] ?? classes[error.code.slice(0, 2)] ?? { kind: 'engine' };
}

function endedMeaning({ message }: ServerError): Meaning {
  return message.includes('user request')
    ? { kind: 'cancelled', hint: 'The statement was stopped in the server. Retry.' }
    : { kind: 'timeout', hint: 'Ask for less, or allow more time.' };
}

export function isStatementEnded(error: unknown): boolean {
  return error instanceof ServerError && error.code === statementEnded;
}

/** What Node and OpenSSL say about certificates and handshakes, beyond the codes that are known by name. */
function tlsFailure(error: unknown, { host, port }: Where): Failure | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof code !== 'string' || !/^(?:ERR_SSL|ERR_TLS|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|INVALID_)|_MISMATCH$/.test(code))
    return undefined;
  return new Failure('connection', `${host}:${port}: TLS failed: ${error instanceof Error ? error.message : code}`, {
    code: 'E_TLS',
    hint: 'Check `tls` of the connection and the certificates on both sides.',
    cause: error,
  });
}

interface ReadContext {
  sql: string;
  /** The statement reaches protected columns. */
  hidesValues: boolean;
  signal: AbortSignal;
  where: Where;
}

/** Undefined when the read did what it was asked to do; otherwise what is to be thrown. */
export function readFailure(segment: Segment, rows: UserRows, { sql, hidesValues, signal, where }: ReadContext): unknown {
  const { lost } = segment;
  const error = hidesValues ? hideValues(segment.error) : segment.error;
  if (rows.crash !== undefined) return rows.crash.error;
  if (signal.aborted && (lost !== undefined || isStatementEnded(error))) return formatAbort(signal);
  if (rows.enough && isStatementEnded(error)) return undefined;
  if (error?.fatal && !segment.answered) return staleFailure();
  if (error !== undefined || lost !== undefined) return toFailure(error ?? lost, where, sql);
  if (segment.empty) return new Failure('input', 'the statement is empty');
  if (segment.copied) return new Failure('input', 'COPY … TO STDOUT returns no rows', { hint: 'Use SELECT.' });
  return undefined;
}
