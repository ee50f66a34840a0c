import { describe, expect, it } from 'vitest';
import { parseQuestion } from './cli-query.ts';

describe('a request on the command line', () => {
  it.each([
    [['GET /a/_search'], 'GET', '/a/_search', undefined],
    [['get', '/a/_search'], 'GET', '/a/_search', undefined],
    [['/_cat/indices?v'], 'GET', '/_cat/indices?v', undefined],
    [['/a/_search', '{"size": 1}'], 'POST', '/a/_search', '{"size": 1}'],
    [['GET /a/_search', '{"size": 1}'], 'GET', '/a/_search', '{"size": 1}'],
    [['POST /a/_search {"size": 1, "from": 2}'], 'POST', '/a/_search', '{"size": 1, "from": 2}'],
    [['DELETE', '/a'], 'DELETE', '/a', undefined],
  ])('%j is %s %s with the body %j', (words, method, path, body) => {
    expect(parseQuestion(words)).toEqual({ method, path, params: {}, body });
  });

  it.each([[['GET']], [['select 1']], [['a/_search']], [['GET', '/a', '{}', 'more']], [['']]])(
    'rejects the words %j',
    (words) => {
      expect(() => parseQuestion(words)).toThrow(/^invalid request/);
    },
  );
});
