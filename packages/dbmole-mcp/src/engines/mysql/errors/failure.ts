import { Failure, type FailureKind, type FailureOptions, networkFailure, quoteRemote } from '@dbmole/core';
import { premiseCode } from '../../../guard/read-statement.ts';
import { seeColumns, seeDatabases, seeTables, useExecute } from '../../../next-steps.ts';
import type { Flavour } from '../flavour.ts';

interface Meaning extends Pick<FailureOptions, 'code' | 'hint'> {
  kind: FailureKind;
}

const tooMany: Meaning = {
  kind: 'connection',
  code: 'E_TOO_MANY_CONNECTIONS',
  hint: 'Retry when other connections have been closed.',
};
const noSuchTable: Meaning = { kind: 'unknown', code: 'E_UNKNOWN_TABLE', hint: seeTables };
const syntax: Meaning = { kind: 'input', code: 'E_SYNTAX' };
const permission: Meaning = {
  kind: 'engine',
  code: 'E_PERMISSION',
  hint: 'Ask an administrator of the database for this privilege.',
};
const ungrouped: Meaning = { kind: 'engine', hint: 'Add the column to GROUP BY, or aggregate it, as in max(column).' };
const invalidValue: Meaning = {
  kind: 'engine',
  code: 'E_INVALID_VALUE',
  hint: ['Use a value of the type of the column.', seeColumns],
};
const constraint: Meaning = { kind: 'engine', code: 'E_CONSTRAINT' };
const timeLimit: Meaning = { kind: 'timeout', hint: 'Narrow the statement, or allow more time.' };
const password: Meaning = { kind: 'auth', hint: 'The account exists, but an administrator must repair it.' };

/** Meanings by the engine's error number, because names differ between MySQL and MariaDB. */
const meanings: Readonly<Record<number, Meaning>> = {
  1040: tooMany,
  1203: tooMany,
  1226: tooMany,
  1044: {
    kind: 'auth',
    hint: ['The account may not use this database, or it does not exist.', seeDatabases],
  },
  1045: {
    kind: 'auth',
    hint: 'Check user and password, the hosts from which the account may log in, and whether it requires `tls`.',
  },
  1698: { kind: 'auth', hint: 'Use an account that logs in with a password.' },
  1129: {
    kind: 'auth',
    hint: 'The server has blocked this address after failed attempts; ask an administrator to run FLUSH HOSTS.',
  },
  1130: { kind: 'auth', hint: 'Ask an administrator to allow an account from this address.' },
  1251: { kind: 'auth', hint: 'Switch the account to caching_sha2_password.' },
  1524: { kind: 'auth', hint: 'Ask an administrator to load the authentication plugin of the account.' },
  1820: password,
  1862: password,
  3118: password,
  3159: {
    kind: 'connection',
    code: 'E_TLS_REQUIRED',
    hint: 'Set `tls` to "verify-full", or to "require" if the certificate cannot be verified.',
  },
  1046: {
    kind: 'input',
    code: 'E_NO_DATABASE',
    hint: {
      tool: 'Name the database before the table, or pass `database`.',
      cli: 'Name the database before the table, or pass --database.',
    },
  },
  1049: { kind: 'unknown', code: 'E_UNKNOWN_DATABASE', hint: seeDatabases },
  1052: { kind: 'engine', code: 'E_AMBIGUOUS_COLUMN', hint: 'Qualify the column with its table or alias.' },
  1055: ungrouped,
  1140: ungrouped,
  1265: invalidValue,
  1292: invalidValue,
  1366: invalidValue,
  1365: { kind: 'engine', hint: 'Divide by nullif(divisor, 0): that gives NULL.' },
  1051: noSuchTable,
  1109: noSuchTable,
  1146: noSuchTable,
  1054: { kind: 'unknown', code: 'E_UNKNOWN_COLUMN', hint: seeColumns },
  1305: { kind: 'unknown', code: 'E_UNKNOWN_FUNCTION' },
  1193: { kind: 'unknown', code: 'E_UNKNOWN_VARIABLE' },
  1064: syntax,
  1149: syntax,
  1210: {
    kind: 'input',
    code: 'E_PARAMS',
    hint: { tool: 'Pass one param for each ?, and a number for LIMIT.', cli: 'Write the values into the statement.' },
  },
  1295: { kind: 'input', code: 'E_PARAMS', hint: 'Write the values into the statement: this kind takes no params.' },
  1142: permission,
  1143: permission,
  1227: permission,
  1370: permission,
  1048: constraint,
  1062: constraint,
  1216: constraint,
  1217: constraint,
  1364: constraint,
  1451: constraint,
  1452: constraint,
  1586: constraint,
  1761: constraint,
  1762: constraint,
  3819: constraint,
  4025: constraint,
  1792: { kind: 'refused', code: 'E_READONLY', hint: useExecute },
  1969: timeLimit,
  3024: timeLimit,
  1317: { kind: 'engine', code: 'E_INTERRUPTED', hint: 'The statement was stopped in the server (KILL QUERY). Retry.' },
  1205: { kind: 'engine', code: 'E_LOCK_TIMEOUT', hint: 'Retry when the transaction that holds the rows has ended.' },
  1213: { kind: 'engine', code: 'E_DEADLOCK', hint: 'Nothing was changed. Retry.' },
  1053: { kind: 'connection', code: 'E_SHUTTING_DOWN', hint: 'The server is shutting down. Retry when it is back.' },
};

/** Meanings of the driver's own messages. */
const driverMeanings: Readonly<Record<string, Meaning & { says: string }>> = {
  HANDSHAKE_NO_SSL_SUPPORT: {
    kind: 'connection',
    code: 'E_TLS_REFUSED',
    says: 'the server does not offer TLS',
    hint: 'Enable TLS in the server, or set `tls` to "disable" if the network is trusted.',
  },
  PROTOCOL_CONNECTION_LOST: {
    kind: 'connection',
    code: 'E_NETWORK',
    says: 'the connection was lost',
    hint: 'Retry; if it persists, check the server log.',
  },
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: {
    kind: 'auth',
    says: 'the server asks for the password in clear text',
    hint: 'Use an account with caching_sha2_password.',
  },
};

const lostCode = 'PROTOCOL_CONNECTION_LOST';
/** The codes of Node for a lost connection. */
const brokenCodes: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT']);

export interface Where {
  host: string;
  port: number;
  /** The product that answers, once it is known. */
  product?: Flavour['product'];
}

/** The number of characters of the server's own text that an error shows. */
const maxMessage = 1_000;

/** From this number on MySQL and MariaDB differ, and the driver knows the names of MySQL alone. */
const firstOwnNumber = 1900;

/** Translates every error of the driver and the server. The position of the error is looked up in the statement, if there is one. */
export function toMysqlFailure(error: unknown, where: Where, sql?: string): Failure {
  if (error instanceof Failure) return error;
  const number = readField(error, 'errno');
  if (typeof number === 'number' && typeof readField(error, 'sqlState') === 'string')
    return serverFailure(error, { number, where, sql });
  // With a statement there was a connection, so the failure is not one of connecting.
  if (sql !== undefined && brokenCodes.has(readField(error, 'code'))) return driverFailure(error, where, lostCode);
  return networkFailure(error, where) ?? networkFailure(readField(error, 'cause'), where) ?? driverFailure(error, where);
}

interface ServerAnswer {
  number: number;
  where: Where;
  sql: string | undefined;
}

function serverFailure(error: unknown, { number, where, sql }: ServerAnswer): Failure {
  const message = readMessage(error);
  const { kind, ...options } = meanings[number] ?? { kind: 'engine' };
  const position = sql === undefined || meanings[number] !== syntax ? undefined : findErrorPosition(message, sql);
  const named = where.product !== 'MariaDB' || number < firstOwnNumber;
  const name = named ? readField(error, 'code') : undefined;
  return new Failure(kind, quoteError(message), {
    ...options,
    ...(position === undefined ? {} : { position }),
    engineCode: typeof name === 'string' ? `${number} ${name}` : `${number} (${String(readField(error, 'sqlState'))})`,
    cause: error,
  });
}

/** Quotes the message of the server, which a trigger or a function may have written. */
export function quoteError(message: string): string {
  return `the server says ${quoteRemote(withoutPasswordWord(message), maxMessage)}`;
}

/** "using password: NO" names the cause, but looks like a secret to the redaction. */
function withoutPasswordWord(message: string): string {
  return message.replace(/ \(using password: (YES|NO)\)/, (_, used: string) =>
    used === 'YES' ? '' : ' (none was sent as its password)',
  );
}

function driverFailure(error: unknown, { host, port }: Where, code = readField(error, 'code')): Failure {
  const known = typeof code === 'string' && Object.hasOwn(driverMeanings, code) ? driverMeanings[code] : undefined;
  if (known !== undefined) {
    const { kind, says, ...options } = known;
    return new Failure(kind, `${host}:${port}: ${says}`, { ...options, cause: error });
  }
  const innermost = readField(error, 'cause');
  const message = innermost instanceof Error ? `${readMessage(error)}: ${innermost.message}` : readMessage(error);
  return new Failure('connection', `${host}:${port}: ${message}`, { code: 'E_NETWORK', cause: error });
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readField(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}

/** The number of characters of the rest of the statement that the engine quotes. */
const maxQuoteLength = 80;

const quoteStart = "near '";
const quoteEnd = "' at line ";

/** The position of a syntax error in the statement, counted from 1; undefined where the message does not show it. */
export function findErrorPosition(message: string, sql: string): number | undefined {
  const [start, end] = [message.indexOf(quoteStart), message.lastIndexOf(quoteEnd)];
  if (start < 0 || end < start + quoteStart.length) return undefined;
  const quote = message.slice(start + quoteStart.length, end);
  const line = Number(message.slice(end + quoteEnd.length));
  // A quote that was not cut reaches to the end of the statement.
  if (Array.from(quote).length < maxQuoteLength)
    return sql.endsWith(quote) ? toPosition(sql, sql.length - quote.length) : undefined;
  const from = startOfLine(sql, line);
  const index = from === undefined ? -1 : sql.indexOf(quote, from);
  return index < 0 || sql.indexOf(quote, index + 1) >= 0 ? undefined : toPosition(sql, index);
}

/** The index at which the line begins; undefined where the text has fewer lines. */
function startOfLine(sql: string, line: number): number | undefined {
  let at = 0;
  for (let count = 1; count < line; count += 1) {
    at = sql.indexOf('\n', at) + 1;
    if (at === 0) return undefined;
  }
  return at;
}

function toPosition(sql: string, index: number): number | undefined {
  return index <= sql.length ? index + 1 : undefined;
}

/** The engine's number for a variable that cannot have this value. */
const wrongValue = 1231;

export function isWrongValue(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'errno') === wrongValue;
}

/** The session is on another server than the one that the guard asked, and that server does not know the mode. */
export function premiseFailure(cause: unknown): Failure {
  return new Failure('engine', 'the server does not know the sql_mode that it had before', { code: premiseCode, cause });
}
