import { describe, expect, it } from 'vitest';
import { openParser } from '../../thread/parser.ts';
import type { Body } from '../bodies/bodies.ts';
import { readBody } from '../bodies/read-body.ts';
import { makesAnyType } from './polymorphic.ts';

const body = (text: string, { type = 'anyelement', language = 'sql' as Body['language'] } = {}): Body => ({
  class: '1255',
  oid: '20000',
  language,
  text,
  parameters: [{ name: 'x', type, mode: 'i', row: false, isPlain: false }],
  result: type,
  signature: { parameters: [{ name: 'x', mode: 'i', type }], returnsSet: false, returnsVoid: false, isProcedure: false },
  unprovable: undefined,
});

const makes = async (text: string, options = {}) => {
  const one = body(text, options);
  return makesAnyType(
    one,
    readBody(one, await openParser(), { anyField: false, isUtf8: true, recordFunctions: new Set(), unreviewed: new Set() }).uses
      .statements,
  );
};

describe('makesAnyType', () => {
  it.each([
    'select $1',
    ' SELECT x; ',
    'select coalesce($1, $2)',
    'select case when $1 is null then $2 else $1 end',
    'select array_agg(x order by x) from unnest($1) as x',
    'select array[$1, $2]',
  ])('is false for a body that returns what it was given: %s', async (text) => {
    expect(await makes(text)).toBe(false);
  });

  it.each([
    "select array[$1] || '{7}'",
    'select $1 + 1',
    'select 5',
    'select null',
    'select abs($1)',
    'select coalesce($1, null)',
    'select array_append(array[$1], $$7$$)',
    '-- x',
  ])('is true for a body that does anything else: %s', async (text) => {
    expect(await makes(text)).toBe(true);
  });

  it('depends on the parameters and the language', async () => {
    expect(await makes('select 5', { type: 'integer' })).toBe(false);
    expect(await makes('select 5', { type: 'anycompatiblearray' })).toBe(true);
    expect(await makes('select 5', { type: 'record' })).toBe(true);
    expect(await makes('begin return $1; end', { language: 'plpgsql' })).toBe(true);
  });
});
