import { describe, expect, it } from 'vitest';
import { toShownFailure } from './protected-failure.ts';

const where = { host: 'db.internal', port: 3306, product: 'MySQL' } as const;

function show(errno: number, message: string, sql: string): string {
  const error = Object.assign(new Error(message), { errno, sqlState: 'HY000', code: 'ER_X' });
  return toShownFailure(error, where, { sql, hidesValues: true }).message;
}

describe('toShownFailure', () => {
  it.each([
    [1062, "Duplicate entry 'secret' for key 'users.email'", "error 1062 ER_X about key 'users.email'; its text is hidden"],
    [1366, "Incorrect integer value: 'secret' for column 'age' at row 1", "about column 'age'; its text is hidden"],
    [1105, "XPATH syntax error: '~secret'", 'error 1105 ER_X; its text is hidden'],
    [4025, 'CONSTRAINT `c1` failed for `db`.`t`', 'about constraint `c1`; its text is hidden'],
    [1644, 'bad value secret', 'its text is hidden'],
    [1146, "Table 'db.secret' doesn't exist", 'its text is hidden'],
    [1054, "Unknown column 'secret' in 'field list'", 'its text is hidden'],
    [
      1064,
      "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'secret' at line 1",
      'its text is hidden',
    ],
  ])('hides values in error %i: %s', (number, message, shown) => {
    expect(show(number, message, 'select email from users')).toContain(shown);
    expect(show(number, message, 'select email from users')).not.toContain('secret');
  });

  it.each([
    [1054, "Unknown column 'nope' in 'field list'", 'select nope from users'],
    [1146, "Table 'db.nope' doesn't exist", 'select * from nope'],
    [1052, "Column 'id' in field list is ambiguous", 'select id from a, b'],
    [
      1064,
      "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for the right syntax to use near 'form t' at line 1",
      'select 1 form t',
    ],
    [3024, 'Query execution was interrupted, maximum statement execution time exceeded', 'select 1'],
  ])('keeps error %i, which is about the text: %s', (number, message, sql) => {
    expect(show(number, message, sql)).toContain(message);
  });

  it('hides nothing where no protected column is in reach', () => {
    const error = Object.assign(new Error("Duplicate entry 'a'"), { errno: 1062, sqlState: '23000' });
    expect(toShownFailure(error, where, { sql: 'insert', hidesValues: false }).message).toContain("Duplicate entry 'a'");
  });
});
