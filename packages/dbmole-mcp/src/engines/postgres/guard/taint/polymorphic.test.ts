import { describe, expect, it } from 'vitest';
import { makesAnyType } from './polymorphic.ts';

const element = [{ name: 'x', type: 'anyelement' }];
const ofSql = (text: string, parameters = element) => makesAnyType({ parameters, language: 'sql', text });

describe('makesAnyType', () => {
  it.each([
    'select $1',
    ' SELECT x; ',
    'select coalesce($1, $2)',
    'select case when $1 is null then $2 else $1 end',
    'select array_agg(x order by x) from unnest($1) as x',
    'select array[$1, $2]',
  ])('not when it gives back what it got: %s', (text) => {
    expect(ofSql(text)).toBe(false);
  });

  it.each([
    "select array[$1] || '{7}'",
    'select $1 + 1',
    'select 5',
    'select null',
    'select abs($1)',
    'select coalesce($1, null)',
    'select array_append(array[$1], $$7$$)',
    'select e from unnest($1) e',
    '-- x',
  ])('when it does anything else: %s', (text) => {
    expect(ofSql(text)).toBe(true);
  });

  it('by its arguments, and in any other language', () => {
    expect(ofSql('select 5', [{ name: 'x', type: 'integer' }])).toBe(false);
    expect(ofSql('select 5', [{ name: 'x', type: 'anycompatiblearray' }])).toBe(true);
    expect(ofSql('select 5', [{ name: 'x', type: 'record' }])).toBe(true);
    expect(makesAnyType({ parameters: element, language: 'plpgsql', text: 'begin return $1; end' })).toBe(true);
  });
});
