import { Failure } from '@dbmole/core';
import { readHint } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { hintFor } from './statement-hint.ts';

const refused = (position: number, engineCode = '42601') =>
  new Failure('engine', 'no', { code: 'E_SYNTAX', engineCode, position });

describe('hintFor', () => {
  it.each([
    ['select ?', refused(9), '$1, $2'],
    ['select 1 where 1 in (?, 2)', refused(23), '$1, $2'],
    ['select * from ?', refused(15), '$1, $2'],
    ['select :a', refused(8), '$1, $2'],
    ['show tables', refused(1, '42704'), 'list_tables'],
    ['SHOW CREATE TABLE t', refused(6), 'describe_table'],
    ['desc t', refused(1), 'describe_table'],
    ['\\dt', refused(1), 'list_tables'],
    ['use shop', refused(1), '`database`'],
    ['-- what is there\nshow tables', refused(1, '42704'), 'list_tables'],
    ['selec 1', refused(1), 'SELECT'],
    ['select IFNULL(a, 1) from t', refused(8, '42883'), 'Here that is coalesce(a, b).'],
    ["select date_format (now(), '%Y')", refused(8, '42883'), 'to_char'],
    ['select 1 from t where a = "some text"', refused(27, '42703'), 'single quotes'],
  ])('%s', (sql, failure, hint) => {
    expect(readHint({ next: hintFor(failure, sql) }, 'tools')).toContain(hint);
  });

  it.each([
    ['select 1 frm', refused(10)],
    ["select '?' frm t", refused(12)],
    ['show no_such_setting', refused(1, '42704')],
    ['select :a', refused(8, '42883')],
    ['select constructor(1)', refused(8, '42883')],
    ['select a from t', refused(8, '42703')],
  ])('has nothing to say of %s', (sql, failure) => {
    expect(hintFor(failure, sql)).toBeUndefined();
  });
});
