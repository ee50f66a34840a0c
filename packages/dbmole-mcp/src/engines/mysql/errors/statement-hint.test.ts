import { Failure } from '@dbmole/core';
import { readHint } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { hintFor } from './statement-hint.ts';

const refused = (position: number) =>
  new Failure('engine', 'no', { code: 'E_SYNTAX', engineCode: '1064 ER_PARSE_ERROR', position });
const unknown = (name: string) =>
  new Failure('unknown', `Unknown column '${name}' in 'field list'`, { code: 'E_UNKNOWN_COLUMN' });

describe('hintFor', () => {
  it.each([
    ['select :a', refused(8), 'placeholders as ?'],
    ['select * from ?', refused(15), 'write names into the statement'],
    ['select $1', unknown('$1'), 'placeholders as ?'],
  ])('%s', (sql, failure, hint) => {
    expect(readHint({ next: hintFor(failure, sql) }, 'tools')).toContain(hint);
  });

  it.each([
    ['select 1 frm', refused(10)],
    ['show tables', refused(1)],
    ['select a', unknown('a')],
  ])('gives no hint for %s', (sql, failure) => {
    expect(hintFor(failure, sql)).toBeUndefined();
  });
});
