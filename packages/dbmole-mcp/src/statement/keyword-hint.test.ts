import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { keywordHint } from './keyword-hint.ts';

const hintAt = (sql: string, position: number, code: `E_${string}` = 'E_SYNTAX') =>
  keywordHint(new Failure('engine', 'no', { code, position }), sql);

describe('a mistyped keyword', () => {
  it.each([
    ['selct * from t', 1, 'SELECT'],
    ['SELECT * FORM t', 10, 'FROM'],
    ['select * fromm t where', 18, undefined],
    ['select * from t wehre id = 5', 17, 'WHERE'],
    ['select * from t whre id = 5', 22, 'WHERE'],
    ['select * from t wher id = 5', 22, 'WHERE'],
    ['select id from t gruop by id', 24, 'GROUP'],
    ['select id from t order bi id', 24, undefined],
    ['select * from t where', 22, undefined],
    ['select * from t where id == 5', 27, undefined],
  ])('%s at %d', (sql, position, meant) => {
    expect(hintAt(sql, position)).toBe(meant === undefined ? undefined : `Did you mean ${meant}?`);
  });

  it('is found where the guard stops at it, and other errors have other hints', () => {
    expect(hintAt('selct 1', 1, 'E_NOT_A_READ')).toBe('Did you mean SELECT?');
    expect(hintAt('delete from t', 1, 'E_NOT_A_READ')).toBeUndefined();
    expect(hintAt('selct 1', 1, 'E_TIMEOUT')).toBeUndefined();
  });
});
