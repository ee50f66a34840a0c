import { describe, expect, it } from 'vitest';
import { isUnknown, unknownTaint } from '../../../../../policy/taint.ts';
import { atOnce } from '../../testing/at-once.ts';
import { tokenize } from '../../text/lexer.ts';
import { plainMode } from '../../text/sql-mode.ts';
import type { TraceCatalog } from './relation.ts';
import { openText } from './source-text.ts';
import { traceQuery } from './trace-query.ts';

const email = { name: 'email', taint: { action: 'partial', labels: ['email'] } } as const;
const word = { name: 'word', taint: { action: 'refuse', labels: ['word'] } } as const;
const plain = (name: string) => ({ name, taint: undefined });
const tables: Readonly<Record<string, readonly { name: string; taint: typeof email.taint | typeof word.taint | undefined }[]>> = {
  users: [plain('id'), email, plain('name')],
  goods: [plain('id'), plain('name'), plain('price')],
  vault: [plain('id'), word],
};

const catalog: TraceCatalog = {
  isSameTable: (one, other) => one === other,
  findCall: (path) => (path.join('.') === 'leak' ? unknownTaint : undefined),
  findRelation: ({ name }) => ({ columns: tables[name], judge: () => undefined }),
};

/** One letter for each column: `p` as it is, `m` an expression, `u` unknown, `-` shown; or why not. */
function trace(sql: string, isStrict = false): string {
  const tokens = atOnce(tokenize(sql, plainMode));
  const text = openText(tokens, { ignoreSpace: false, schema: 'db', isOwn: true });
  try {
    const columns = traceQuery({ text, catalog, isStrict }, 0, tokens.length);
    return columns.map(({ taint }) => (taint === undefined ? '-' : isUnknown(taint) ? 'u' : taint.action.charAt(0))).join('');
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe('traceQuery', () => {
  it.each([
    ['SELECT * FROM users', '-p-'],
    ['SELECT email AS id, id AS email FROM users', 'p-'],
    ['SELECT email name, name email FROM users', 'p-'],
    ['SELECT (email), lower(email), count(email), email IS NULL FROM users', 'pm--'],
    ['SELECT name FROM (SELECT email AS name FROM users) goods', 'p'],
    ['SELECT goods.name FROM (SELECT name FROM goods) goods, users', '-'],
    ['SELECT * FROM goods g JOIN users u USING (id)', '---p-'],
    ['SELECT * FROM users NATURAL JOIN goods', '--p-'],
    ['SELECT * FROM goods NATURAL RIGHT JOIN users', 'mmmm'],
    ['WITH goods AS (SELECT email AS name FROM users) SELECT name FROM goods', 'p'],
    ['WITH goods AS (SELECT email AS name FROM users) SELECT name FROM db.goods', '-'],
    [
      'WITH RECURSIVE r AS (SELECT 1 AS n, name AS a, name AS b FROM goods UNION ALL SELECT n, b, (SELECT email FROM users) FROM r) SELECT a, n FROM r',
      'm-',
    ],
    ['SELECT name FROM goods UNION SELECT email FROM users', 'p'],
    ['SELECT name FROM goods EXCEPT SELECT email FROM users', '-'],
    ['SELECT (SELECT max(u.email) FROM users u WHERE u.id = g.id), g.name FROM goods g', 'm-'],
    ['SELECT (SELECT email) FROM users', 'm'],
    ['SELECT email AS e, (SELECT e) FROM users', 'pm'],
    ['SELECT x.e FROM users u, LATERAL (SELECT u.email AS e) x', 'p'],
    ['SELECT name FROM users WHERE email = 1 GROUP BY email ORDER BY email', '-'],
    ['SELECT row_number() OVER (ORDER BY email), max(email) OVER (PARTITION BY id) FROM users', '-m'],
    ['SELECT group_concat(name ORDER BY email SEPARATOR 1) FROM users', '-'],
    ["SELECT v FROM users, JSON_TABLE(email, '$' COLUMNS (v INT PATH '$', NESTED PATH '$' COLUMNS (w INT PATH '$'))) j", 'm'],
    ['VALUES ROW(1, (SELECT email FROM users))', '-m'],
    ['TABLE users LIMIT 1', '-p-'],
    ['SELECT leak(1), concat(name) FROM goods', 'u-'],
    ['SELECT a FROM hidden', 'u'],
    ['SELECT x.a FROM goods', 'u'],
    ['SELECT `lower(email)` FROM (SELECT lower(email) FROM users) x', 'm'],
    ['SELECT é FROM (SELECT email AS é FROM users) x', 'p'],
    ["SELECT if((SELECT count(*) FROM users) > 1, 'x', 'y') FROM goods", '-'],
  ])('follows the columns of %s', (sql, verdicts) => {
    expect(trace(sql)).toBe(verdicts);
  });

  it.each([
    ['SELECT * FROM hidden', 'the columns of a table are not known'],
    ['SELECT nth_value(name, 1) FROM FIRST OVER () FROM goods', 'a second FROM'],
    ['SELECT 1 FROM users u FOR SYSTEM_TIME AS OF 1', /.+/],
    ['SELECT @x := email FROM users', /a variable would keep the value of email/],
    ['SELECT 1 FROM vault WHERE (@x := word) = 1', /word/],
  ])('refuses %s', (sql, message) => {
    expect(trace(sql)).toMatch(message);
  });

  it.each([
    'SELECT id FROM users WHERE email = 1',
    'SELECT id FROM users ORDER BY email',
    'SELECT email, count(*) FROM users GROUP BY 1',
    'SELECT id FROM goods WHERE name IN (SELECT email FROM users)',
    'SELECT id FROM goods WHERE EXISTS (SELECT 1 FROM users WHERE email = goods.name)',
    'SELECT 1 FROM users a JOIN users b USING (email)',
    'SELECT rank() OVER (ORDER BY email) FROM users',
  ])('refuses the comparison in %s if the policy is strict', (sql) => {
    expect(trace(sql, true)).toMatch(/which "strict" does not allow/);
    expect(trace(sql)).not.toMatch(/strict/);
  });

  it('gives up on what is too deep or too large', () => {
    const deep = `${'SELECT * FROM ('.repeat(300)}SELECT 1 a${') x'.repeat(300)}`;
    expect(trace(deep)).toBe('too deep');
    const nested = (levels: number): string =>
      levels === 0 ? 'SELECT 1 AS a' : `WITH RECURSIVE r AS (${nested(levels - 1)} UNION ALL SELECT a FROM r) SELECT a FROM r`;
    expect(['-', 'too much to trace']).toContain(trace(nested(30)));
  });
});
