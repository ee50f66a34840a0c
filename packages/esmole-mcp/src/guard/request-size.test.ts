import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ClusterRequest } from '../call/cluster-request.ts';
import { checkBodySize, checkDepth, checkIdLength, checkTargetSize } from './request-size.ts';

function problemOf(request: Partial<ClusterRequest>): string {
  try {
    checkTargetSize({ path: '/a/_search', params: {}, ...request });
    checkBodySize(request.body);
    return 'none';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function nested(depth: number): object {
  let value: object = {};
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

describe('a request that is too large to be checked', () => {
  it.each([
    ['path', { path: `/${'a'.repeat(65_536)}` }, 'E_PATH: the path has 65537 characters: expected at most 65536'],
    ['parameter', { params: { scroll_id: 'a'.repeat(65_537) } }, 'E_PARAMS: the parameter scroll_id has 65537 characters'],
    ['number of parameters', { params: many(101) }, 'E_PARAMS: there are 101 parameters: expected at most 100'],
    ['body in characters', { body: `"${'a'.repeat(1_048_576)}"` }, 'E_BODY: the body has 1048578 characters'],
    ['body in values', { body: JSON.stringify(many(20_001)) }, 'E_BODY: the body has more than 20000 keys and values'],
    ['body in lines', { body: '{}\n'.repeat(20_001) }, 'E_BODY: the body has more than 20000 keys and values'],
    ['body in depth', { body: `${'['.repeat(301)}${']'.repeat(301)}` }, 'E_BODY: the body is nested more than 300 levels deep'],
    ['object in values', { body: many(20_001) }, 'E_BODY: the body has more than 20000 keys and values'],
    ['object in characters', { body: { a: { b: 'x'.repeat(1_048_577) } } }, 'E_BODY: the body has 1048579 characters'],
    ['object in depth', { body: nested(100_000) }, 'E_BODY: the body is nested more than 300 levels deep'],
    ['list in depth', { body: [nested(100_000)] }, 'E_BODY: the body is nested more than 300 levels deep'],
  ])('is refused with its size and the limit: %s', (_what, request, problem) => {
    expect(problemOf(request)).toContain(problem);
  });

  it('does not count characters between quotes', () => {
    expect(problemOf({ body: JSON.stringify({ a: ',[{\\"'.repeat(100_000) }) })).toBe('none');
    expect(problemOf({ body: many(19_000) })).toBe('none');
    expect(problemOf({ body: nested(290) })).toBe('none');
  });

  it('limits the length of an id', () => {
    expect(() => checkIdLength('a'.repeat(65_536))).not.toThrow();
    expect(() => checkIdLength('a'.repeat(65_537))).toThrow('the id has 65537 characters: expected at most 65536');
  });

  it('refuses a body that is nested too deeply', () => {
    expect(() => checkDepth(nested(100_000))).toThrow('nested more than 300 levels deep');
    expect(() => checkDepth(many(30_000))).not.toThrow();
    expect(() => checkDepth('['.repeat(100_000))).not.toThrow();
  });
});
