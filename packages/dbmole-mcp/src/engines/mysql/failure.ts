import { Failure, type FailureKind, type FailureOptions, networkFailure, quoteRemote } from '@dbmole/core';
import { findErrorPosition } from './error-position.ts';
import type { Flavour } from './flavour.ts';

interface Meaning extends Pick<FailureOptions, 'code' | 'hint'> {
  kind: FailureKind;
}

const tooMany: Meaning = {
  kind: 'connection',
  code: 'E_TOO_MANY_CONNECTIONS',
  hint: 'Wait until others have closed theirs, then call again.',
};
const noSuchTable: Meaning = { kind: 'unknown', code: 'E_UNKNOWN_TABLE', hint: 'See list_tables.' };
const syntax: Meaning = { kind: 'input', code: 'E_SYNTAX' };
const permission: Meaning = {
  kind: 'engine',
  code: 'E_PERMISSION',
  hint: 'The account lacks this right; whoever runs the database can grant it.',
};
const constraint: Meaning = { kind: 'engine', code: 'E_CONSTRAINT' };
const timeLimit: Meaning = { kind: 'timeout', hint: 'Narrow the statement, or allow it more time.' };
const password: Meaning = { kind: 'auth', hint: 'The account is there, but has to be set right by whoever runs the database.' };

/** By the engine's number: names differ between the families. */
const meanings: Readonly<Record<number, Meaning>> = {
  1040: tooMany,
  1203: tooMany,
  1226: tooMany,
  1044: { kind: 'auth', hint: 'The account may not use this database.' },
  1045: { kind: 'auth', hint: 'Check user and password, from which hosts the account may log in, and whether it needs `tls`.' },
  1698: { kind: 'auth', hint: 'The account does not log in with a password; use another one.' },
  1129: { kind: 'auth', hint: 'The server has blocked this address after failed attempts; FLUSH HOSTS there lifts it.' },
  1130: { kind: 'auth', hint: 'The server accepts no account from this address.' },
  1251: { kind: 'auth', hint: 'Give the account an authentication plugin of today: caching_sha2_password.' },
  1524: { kind: 'auth', hint: 'The account uses an authentication plugin that the server has not loaded.' },
  1820: password,
  1862: password,
  3118: password,
  3159: {
    kind: 'connection',
    code: 'E_TLS_REQUIRED',
    hint: 'Set `tls` to "verify-full", or to "require" if its certificate cannot be checked.',
  },
  1046: { kind: 'input', code: 'E_NO_DATABASE', hint: 'Name the database: before the table, or as `database`.' },
  1049: { kind: 'unknown', code: 'E_UNKNOWN_DATABASE', hint: 'Check `database`.' },
  1051: noSuchTable,
  1109: noSuchTable,
  1146: noSuchTable,
  1054: { kind: 'unknown', code: 'E_UNKNOWN_COLUMN', hint: 'See describe_table.' },
  1305: { kind: 'unknown', code: 'E_UNKNOWN_FUNCTION' },
  1193: { kind: 'unknown', code: 'E_UNKNOWN_VARIABLE' },
  1064: syntax,
  1149: syntax,
  1210: {
    kind: 'input',
    code: 'E_PARAMS',
    hint: 'Give one param for each ? of the statement, and a number where it takes only that: LIMIT.',
  },
  1295: { kind: 'input', code: 'E_PARAMS', hint: 'This kind of statement takes no params.' },
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
  1792: { kind: 'refused', code: 'E_READONLY', hint: 'Reads run in a read-only transaction; use execute for changes.' },
  1969: timeLimit,
  3024: timeLimit,
  1317: { kind: 'engine', code: 'E_INTERRUPTED', hint: 'Someone stopped it in the engine (KILL QUERY).' },
  1205: { kind: 'engine', code: 'E_LOCK_TIMEOUT', hint: 'Another transaction holds the rows; call again later.' },
  1213: { kind: 'engine', code: 'E_DEADLOCK', hint: 'Nothing was changed; call again.' },
  1053: { kind: 'connection', code: 'E_SHUTTING_DOWN', hint: 'The server is going down; call again when it is back.' },
};

/** Messages of the driver itself. */
const driverMeanings: Readonly<Record<string, Meaning & { says: string }>> = {
  HANDSHAKE_NO_SSL_SUPPORT: {
    kind: 'connection',
    code: 'E_TLS_REFUSED',
    says: 'the server does not offer TLS',
    hint: 'Switch it on in the server, or set `tls` to "disable" if nobody can listen on the way.',
  },
  PROTOCOL_CONNECTION_LOST: {
    kind: 'connection',
    code: 'E_NETWORK',
    says: 'the connection was lost',
    hint: 'Call again; if it stays, look at the server log.',
  },
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: {
    kind: 'auth',
    says: 'the server asks for the password in clear',
    hint: 'Use an account with caching_sha2_password.',
  },
};

const lostCode = 'PROTOCOL_CONNECTION_LOST';
/** What Node says of a connection that is no more. */
const brokenCodes: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT']);

interface Where {
  host: string;
  port: number;
  /** Who answers, once that is known. */
  product?: Flavour['product'];
}

/** Characters of what an error shows of the server's own text. */
const maxMessage = 1_000;

/** From here on the families count differently, and the driver knows MySQL's names only. */
const firstOwnNumber = 1900;

/** Every error of the driver and the server, in our words. The statement, if there was one, tells where the error is in it. */
export function toMysqlFailure(error: unknown, where: Where, sql?: string): Failure {
  if (error instanceof Failure) return error;
  const number = fieldOf(error, 'errno');
  if (typeof number === 'number' && typeof fieldOf(error, 'sqlState') === 'string')
    return serverFailure(error, { number, where, sql });
  // Once there is a statement there was a connection, so it is not that we could not connect.
  if (sql !== undefined && brokenCodes.has(fieldOf(error, 'code'))) return driverFailure(error, where, lostCode);
  return networkFailure(error, where) ?? networkFailure(fieldOf(error, 'cause'), where) ?? driverFailure(error, where);
}

interface ServerAnswer {
  number: number;
  where: Where;
  sql: string | undefined;
}

function serverFailure(error: unknown, { number, where, sql }: ServerAnswer): Failure {
  const message = messageOf(error);
  const { kind, ...options } = meanings[number] ?? { kind: 'engine' };
  const position = sql === undefined || meanings[number] !== syntax ? undefined : findErrorPosition(message, sql);
  const named = where.product !== 'MariaDB' || number < firstOwnNumber;
  const name = named ? fieldOf(error, 'code') : undefined;
  return new Failure(kind, quoteError(message), {
    ...options,
    ...(position === undefined ? {} : { position }),
    engineCode: typeof name === 'string' ? `${number} ${name}` : `${number} (${String(fieldOf(error, 'sqlState'))})`,
    cause: error,
  });
}

/** What the server says, as its words: a trigger or a function may have written them. */
export function quoteError(message: string): string {
  return `the server says ${quoteRemote(withoutPasswordWord(message), maxMessage)}`;
}

/** "using password: NO" says what is wrong, and reads like a secret to whoever removes those. */
function withoutPasswordWord(message: string): string {
  return message.replace(/ \(using password: (YES|NO)\)/, (_, used: string) =>
    used === 'YES' ? '' : ' (none was sent as its password)',
  );
}

function driverFailure(error: unknown, { host, port }: Where, code = fieldOf(error, 'code')): Failure {
  const known = typeof code === 'string' && Object.hasOwn(driverMeanings, code) ? driverMeanings[code] : undefined;
  if (known !== undefined) {
    const { kind, says, ...options } = known;
    return new Failure(kind, `${host}:${port}: ${says}`, { ...options, cause: error });
  }
  const deepest = fieldOf(error, 'cause');
  const message = deepest instanceof Error ? `${messageOf(error)}: ${deepest.message}` : messageOf(error);
  return new Failure('connection', `${host}:${port}: ${message}`, { code: 'E_NETWORK', cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
