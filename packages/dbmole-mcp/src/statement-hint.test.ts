import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { dialectHint, placeholderHint } from './statement-hint.ts';

const postgres = (position: number, code = '42601') =>
  new Failure('engine', 'no', { code: 'E_SYNTAX', engineCode: code, position });
const mysql = (position: number) => new Failure('input', 'no', { code: 'E_SYNTAX', engineCode: '1064 ER_PARSE_ERROR', position });

describe('placeholderHint', () => {
  it.each([
    ['select ?', postgres(9), '$1, $2'],
    ['select 1 where 1 in (?, 2)', postgres(23), '$1, $2'],
    ['select * from ?', postgres(15), '$1, $2'],
    ['select :a', postgres(8), '$1, $2'],
    ['select :a', mysql(8), 'written ?'],
    ['select * from ?', mysql(15), 'a name cannot be one'],
    ['select 1 frm', postgres(10), undefined],
    ['select 1 frm', mysql(10), undefined],
    ["select '?' frm t", postgres(12), undefined],
  ])('%s', (sql, failure, hint) => {
    const text = placeholderHint(failure, sql);
    if (hint === undefined) expect(text).toBeUndefined();
    else expect(text).toContain(hint);
  });

  it('knows a placeholder that was taken for a column', () => {
    const unknown = (name: string) =>
      new Failure('unknown', `Unknown column '${name}' in 'field list'`, { code: 'E_UNKNOWN_COLUMN' });
    expect(placeholderHint(unknown('$1'), 'select $1')).toContain('written ?');
    expect(placeholderHint(unknown('a'), 'select a')).toBeUndefined();
  });
});

describe('dialectHint', () => {
  it.each([
    ['show tables', postgres(1, '42704'), 'list_tables'],
    ['SHOW CREATE TABLE t', postgres(6), 'describe_table'],
    ['desc t', postgres(1), 'describe_table'],
    ['\\dt', postgres(1), 'list_tables'],
    ['use shop', postgres(1), '`database`'],
    ['-- what is there\nshow tables', postgres(1, '42704'), 'list_tables'],
    ['selec 1', postgres(1), undefined],
    ['show no_such_setting', postgres(1, '42704'), undefined],
    ['show tables', mysql(1), undefined],
  ])('%s', (sql, failure, hint) => {
    const text = dialectHint(failure, sql);
    if (hint === undefined) expect(text).toBeUndefined();
    else expect(text).toContain(hint);
  });
});
