import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { findErrorPosition, toMysqlFailure } from './failure.ts';

const where = { host: 'db.internal', port: 3306 };
const serverError = (errno: number, code: string | undefined, message = 'it failed') =>
  Object.assign(new Error(message), { errno, code, sqlState: '42000', sqlMessage: message });

describe('errors of the server and the driver', () => {
  it.each([
    [1045, 'ER_ACCESS_DENIED_ERROR', 'auth', 'E_AUTH'],
    [1049, 'ER_BAD_DB_ERROR', 'unknown', 'E_UNKNOWN_DATABASE'],
    [1146, 'ER_NO_SUCH_TABLE', 'unknown', 'E_UNKNOWN_TABLE'],
    [1054, 'ER_BAD_FIELD_ERROR', 'unknown', 'E_UNKNOWN_COLUMN'],
    [1064, 'ER_PARSE_ERROR', 'input', 'E_SYNTAX'],
    [1142, 'ER_TABLEACCESS_DENIED_ERROR', 'engine', 'E_PERMISSION'],
    [1792, 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', 'refused', 'E_READONLY'],
    [3024, 'ER_QUERY_TIMEOUT', 'timeout', 'E_TIMEOUT'],
    [1969, undefined, 'timeout', 'E_TIMEOUT'],
    [1040, 'ER_CON_COUNT_ERROR', 'connection', 'E_TOO_MANY_CONNECTIONS'],
    [1053, 'ER_SERVER_SHUTDOWN', 'connection', 'E_SHUTTING_DOWN'],
    [1317, 'ER_QUERY_INTERRUPTED', 'engine', 'E_INTERRUPTED'],
    [1062, 'ER_DUP_ENTRY', 'engine', 'E_CONSTRAINT'],
    [1048, 'ER_BAD_NULL_ERROR', 'engine', 'E_CONSTRAINT'],
    [1452, 'ER_NO_REFERENCED_ROW_2', 'engine', 'E_CONSTRAINT'],
    [3819, 'ER_CHECK_CONSTRAINT_VIOLATED', 'engine', 'E_CONSTRAINT'],
    [1365, 'ER_DIVISION_BY_ZERO', 'engine', 'E_ENGINE'],
  ] as const)('%i %s', (errno, name, kind, code) => {
    const failure = toMysqlFailure(serverError(errno, name), where);
    expect(failure).toMatchObject({
      kind,
      code,
      message: 'the server says “it failed”',
      engineCode: `${errno} ${name ?? '(42000)'}`,
    });
  });

  it('does not name an error number of MariaDB after that of MySQL', () => {
    const check = serverError(4025, 'ER_INNODB_AUTOEXTEND_SIZE_OUT_OF_RANGE', 'CONSTRAINT `positive` failed');
    const failure = toMysqlFailure(check, { ...where, product: 'MariaDB' });
    expect(failure).toMatchObject({ code: 'E_CONSTRAINT', engineCode: '4025 (42000)' });
    const shared = toMysqlFailure(serverError(1062, 'ER_DUP_ENTRY'), { ...where, product: 'MariaDB' });
    expect(shared.engineCode).toBe('1062 ER_DUP_ENTRY');
  });

  it('names the network error and the cause of a failed TLS handshake', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', errno: -111 });
    expect(toMysqlFailure(refused, where)).toMatchObject({ kind: 'connection', code: 'E_CONNECT_REFUSED' });
    const wrongName = Object.assign(new Error('x'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const wrapped = Object.assign(new Error('the TLS handshake failed', { cause: wrongName }), { code: 'HANDSHAKE_SSL_ERROR' });
    expect(toMysqlFailure(wrapped, where)).toMatchObject({ code: 'E_TLS_NAME' });
    const plain = Object.assign(new Error('x'), { code: 'HANDSHAKE_NO_SSL_SUPPORT' });
    expect(toMysqlFailure(plain, where)).toMatchObject({
      code: 'E_TLS_REFUSED',
      message: expect.stringContaining('db.internal:3306'),
    });
    expect(toMysqlFailure(new Error('odd'), where)).toMatchObject({ kind: 'connection', code: 'E_NETWORK' });
  });

  it.each([
    ['YES', "Access denied for user 'me'@'here'"],
    ['NO', "Access denied for user 'me'@'here' (none was sent as its password)"],
  ])('says whether a password was sent, in words that are not redacted: %s', (word, message) => {
    const error = serverError(1045, 'ER_ACCESS_DENIED_ERROR', `Access denied for user 'me'@'here' (using password: ${word})`);
    expect(toMysqlFailure(error, where).message).toBe(`the server says “${message}”`);
  });

  it('mentions connecting only before there was a connection', () => {
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', errno: -32 });
    expect(toMysqlFailure(broken, where).message).toContain('cannot connect to db.internal:3306');
    expect(toMysqlFailure(broken, where, 'select 1')).toMatchObject({
      code: 'E_NETWORK',
      message: 'db.internal:3306: the connection was lost',
    });
  });

  it('returns a failure unchanged', () => {
    const failure = new Failure('input', 'x');
    expect(toMysqlFailure(failure, where)).toBe(failure);
  });
});

describe('the position of a syntax error', () => {
  const message = (quote: string, line: number) => `You have an error in your SQL syntax; use near '${quote}' at line ${line}`;
  const long = `${'a, '.repeat(100)}b`;

  it.each([
    ['selec 1', message('selec 1', 1), 1],
    ['select 1\nfrom t wher a', message('a', 2), 22],
    ['select 1 from', message('', 1), 14],
    ["select 'it''s' from", message('', 1), 20],
    [`select x x x, ${long}`, message(`x, ${long}`.slice(0, 80), 1), 12],
    // The quoted part is there twice.
    [`${'ab'.repeat(100)}`, message('ab'.repeat(40), 1), undefined],
    ['select 1', message('of another text', 1), undefined],
    ['select 1', 'something else', undefined],
    // No such line.
    ['select 1', message('ab'.repeat(40), 99_999_999_999), undefined],
    ['select 1', "near '".repeat(200_000), undefined],
  ])('%s', (sql, text, position) => {
    expect(findErrorPosition(text, sql)).toBe(position);
  });
});
