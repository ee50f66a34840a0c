import { createColumnPolicy, Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { checkQueryText, listQuerySources } from './check-query-text.ts';
import { FieldTable } from './field-table.ts';
import { IndexFields } from './index-fields.ts';

const policy = createColumnPolicy([{ columns: { '*.email': 'mask' } }]) ?? expect.fail('the rule protects something');
const fields = new IndexFields(policy, ['users'], { properties: { email: { type: 'keyword' }, n: { type: 'long' } } });
const table = new FieldTable(new Map([['users', fields]]), false);

function verdict(language: string, query: string, params?: unknown): string {
  try {
    checkQueryText(language, { query, params }, table);
    return 'passes';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

describe('a query text over an index with protected fields', () => {
  it.each([
    ['_query', 'FROM users'],
    ['_query', 'FROM users | WHERE n > 1 | LIMIT 5'],
    ['_query', 'FROM users | KEEP email'],
    ['_query', 'FROM users | KEEP `email`'],
    ['_query', 'FROM users | KEEP e*'],
    ['_query', 'FROM users | KEEP *'],
    ['_query', 'FROM users | KEEP n, *'],
    ['_query', 'FROM users | EVAL x = CONCAT(email, "") | KEEP x'],
    ['_query', 'FROM users | RENAME email AS x | KEEP x'],
    ['_query', 'FROM users METADATA _source | KEEP _source'],
    ['_query', 'FROM users | STATS VALUES(email)'],
    ['_query', 'FROM users | STATS MAX(users.email)'],
    ['_query', 'FROM users | ENRICH people | KEEP n'],
    ['_query', 'FROM users | LOOKUP JOIN people ON n | KEEP n'],
    ['_query', 'FROM users | WHERE (keep == 1)'],
    ['_query', 'FROM users | EVAL x = ABS(stats)'],
    ['_query', 'FROM users | FORK (LIMIT 1) (KEEP n)'],
    ['_query', 'FROM (FROM users), (FROM users | KEEP n)'],
    ['_query', 'FROM users | EVAL x = u . email | KEEP x'],
    ['_query', 'FROM users METADATA _tsid | KEEP _tsid'],
    ['_sql', 'SELECT u\n. email FROM users u'],
    ['_sql', 'SELECT email FROM users'],
    ['_sql', 'SELECT u.email FROM users u'],
    ['_sql', 'SELECT "email" FROM users'],
    ['_sql', 'SELECT * FROM users'],
    ['_sql', 'SELECT u.* FROM users u'],
    ['_sql', 'SELECT n, * FROM users'],
    ['_sql', 'SELECT DISTINCT * FROM users'],
    ['_sql', 'SELECT TOP 5 * FROM users'],
    ['_sql', 'SELECT MAX(email) FROM users'],
    ['_plugins/_ppl', 'source=users'],
    ['_plugins/_ppl', 'source=users | fields email'],
    ['unknown', 'FROM users | KEEP n'],
  ])('%s: %s is refused', (language, query) => {
    expect(verdict(language, query)).toBe('E_PROTECTED_COLUMN');
  });

  it.each([
    ['_query', 'FROM users | KEEP n'],
    ['_query', 'FROM users | STATS c = COUNT(*) BY n'],
    ['_query', 'FROM users | EVAL x = n * 2 | KEEP x'],
    ['_query', 'FROM users | WHERE n == 1 | STATS MAX(n)'],
    ['_sql', 'SELECT n FROM users'],
    ['_sql', 'SELECT COUNT(*) FROM users'],
    ['_sql', 'SELECT n * 2 FROM users WHERE n > 3'],
  ])('%s: %s passes', (language, query) => {
    expect(verdict(language, query)).toBe('passes');
  });

  it.each([
    ['ROW a = 1', []],
    ['SHOW INFO', []],
    ['FROM users, "logs-*" METADATA _id | KEEP n', ['users', 'logs-*']],
    ['FROM a | LOOKUP JOIN b ON n | KEEP n', ['a', 'b']],
    ['FROM a | ENRICH p ON n | KEEP n', undefined],
  ])('reads what %s names', (query, names) => {
    expect(listQuerySources('_query', { query })).toEqual(names);
  });

  it('reads what a statement in SQL names', () => {
    expect(listQuerySources('_sql', { query: 'SELECT n FROM "users,logs-*" u' })).toEqual(['users', 'logs-*']);
  });

  it('refuses parameters that name a protected field', () => {
    expect(verdict('_query', 'FROM users | KEEP ??f', [{ f: 'email' }])).toBe('E_PROTECTED_COLUMN');
  });
});
