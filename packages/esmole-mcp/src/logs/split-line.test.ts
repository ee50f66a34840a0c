import { describe, expect, it } from 'vitest';
import { queryPattern } from './pattern-query.ts';
import { formatPattern, splitLine } from './split-line.ts';

describe('a line as a pattern', () => {
  it.each([
    ['2026-11-20T10:00:00.123Z INFO started in 12.5 s', '<*> INFO started in <*> s'],
    ['10.0.0.1:5432 -> [fe80::1]:80 took 12ms', '<*> -> [<*>]:<*> took <*>ms'],
    ['id 550e8400-e29b-41d4-a716-446655440000, sha 9f86d081884c7d65', 'id <*>, sha <*>'],
    ['"GET /api/orders/42?x=1 HTTP/1.1" 200 2326', '"GET /api/orders/<*>?x=<*> HTTP/<*>" 200 <*>'],
    ['{"level":"info","status":500,"dur":0.3}', '{"level":"info","status":500,"dur":<*>}'],
    ['mail from ann@example.com', 'mail from <*>'],
    ['utf8 on sda1 by http2, job4711', 'utf8 on sda1 by http2, job<*>'],
    ['it didn\'t work: "no such file"', 'it didn\'t work: "no such file"'],
    ['Exception in thread\n\tat com.example.Main', 'Exception in thread…'],
    ['', ''],
    ['---', '---'],
  ])('%j', (message, pattern) => {
    expect(formatPattern(splitLine(message))).toBe(pattern);
  });

  it('takes time linear in its length', () => {
    for (const part of ['a-', '1.', '<*>', '"', 'é ', '0x', ':', 'deadbeef1-']) {
      const { tokens, gaps } = splitLine(part.repeat(200_000));
      expect(tokens.length).toBeLessThanOrEqual(80);
      expect(gaps).toHaveLength(tokens.length + 1);
    }
  });
});

describe('the query for a pattern', () => {
  const query = (message: string, kind: 'text' | 'keyword') =>
    queryPattern({ line: splitLine(message) }, { name: 'm', kind })?.query;

  it('has its fixed words, or the whole line with wildcards', () => {
    expect(query('disk 7 of "db-main" is *full*', 'text')).toEqual({
      match: { m: { query: 'db-main disk full of is', operator: 'and', zero_terms_query: 'all' } },
    });
    expect(query('disk 7 of "db" is *full*?', 'keyword')).toEqual({
      wildcard: { m: { value: 'disk * of "db" is \\*full*' } },
    });
    expect(query('12 34', 'text')).toBeUndefined();
  });
});
