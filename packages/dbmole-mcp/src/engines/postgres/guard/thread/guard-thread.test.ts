import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { createGuard } from '../guard.ts';
import { createThreadChecker } from './guard-thread.ts';

/** A server with one function, whose body is given. */
function serve(body = 'begin end'): CatalogQuestion {
  const description = { schema: 'public', name: 'f', kind: 'function', isVisible: true, argTypes: [] };
  const found = { class: '1255', oid: '20000', viaClass: '0', via: '0', how: 'body', detail: 'plpgsql', description };
  return async (sql) => {
    if (sql.includes('pg_is_in_recovery')) return [['0 ', '{public}', '10:10:{public}']];
    if (sql.includes('server_encoding')) return [['180004', 'f', 'UTF8', '["public"]', null, null, null]];
    if (sql.includes('with denied')) return [[JSON.stringify([found])]];
    if (sql.includes('p.prosrc, pg_catalog.array_to_string')) return [['20000', body, null, 'f', 'f', 't', null, 'void']];
    if (sql.includes('current_user')) return [['10', 't', 'is a superuser', 'f', 'root']];
    if (sql.startsWith('select (')) return [['t']];
    return [];
  };
}

const facts: CatalogQuestion = async (sql, params) =>
  params?.[0] === '190000' ? [['180004', null, 'UTF8']] : await serve()(sql, params);

const withBody =
  (body: string): CatalogQuestion =>
  async (sql, params) =>
    params?.[0] === '190000' ? [['180004', null, 'UTF8']] : await serve(body)(sql, params);

const many = (count: number, item: (i: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, i) => item(i)).join(separator);

/** Texts that once took a parser, or a reader of names, very long. */
const statements: Readonly<Record<string, string>> = {
  'columns of many functions': `select ${many(20_000, () => 'a.b')} from ${many(10_000, () => 'f() a')}`,
  parentheses: `select ${'('.repeat(200_000)}1${')'.repeat(200_000)}`,
  'unary operators': `select ${'- '.repeat(200_000)}1`,
  'NOT after NOT': `select ${'not '.repeat(200_000)}true`,
  'nested queries': `${'select (select '.repeat(20_000)}1${')'.repeat(20_000)}`,
  'a long list': `select 1 in (${many(100_000, String)})`,
  'many unions': many(30_000, () => 'select 1', ' union all '),
  'many CTEs': `with ${many(10_000, (i) => `c${i} as (select 1 from c${Math.max(0, i - 1)})`)} select 1`,
  'many joins': `select 1 from t ${many(20_000, (i) => `join t t${i} using (a)`, ' ')}`,
  'nested rows': `select ${'row('.repeat(50_000)}1${')'.repeat(50_000)}`,
  'many casts': `select 1${'::int'.repeat(100_000)}`,
  'fields of fields': `select (a)${'.b'.repeat(100_000)} from t`,
};

const bodies: Readonly<Record<string, string>> = {
  'variables that double': `declare ${many(40, (i) => `v${i} text;`, ' ')} begin ${many(39, (i) => `v${i} := v${i + 1} || v${i + 1};`, ' ')} execute v0; end`,
  'many INTO': `declare a text; begin execute a ${'into a '.repeat(25_000)}; end`,
  'nested blocks': `${'begin '.repeat(20_000)}${'end; '.repeat(20_000)}`,
  'many declarations': `declare ${many(10_000, (i) => `v${i} some_type := f();`, ' ')} begin end`,
  'words that look like declarations': `begin ${'perform declare; '.repeat(5_000)} end`,
  'literals in literals': `begin perform ${many(2_000, () => "query_to_xml('select 1', true, true, '')")}; end`,
  'a long expression': `begin perform ${many(50_000, () => '1', '+')}; end`,
  'unfinished strings': `begin perform '${"''".repeat(90_000)}`,
  comments: `begin ${'/* '.repeat(50_000)} end`,
  'dollar quotes': `begin perform ${many(20_000, (i) => `$a${i}$`, ' ')}; end`,
};

/** A call ends with a verdict or a clear refusal, and the main thread is never held up for long. */
async function check(sql: string, run: CatalogQuestion): Promise<{ outcome: string; blockedMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const outcome = await createThreadChecker()
    .check(sql, run)
    .then(
      () => 'accepted',
      (error: unknown) => (error instanceof Failure ? error.code : String(error)),
    );
  delay.disable();
  return { outcome, blockedMs: delay.max / 1e6 };
}

const verdicts = ['accepted', 'E_NOT_A_READ', 'E_TOO_COMPLEX', 'E_SYNTAX', 'E_INPUT'];
/** Generous: the machine may be busy with other things. Ours is a few milliseconds. */
const maxBlockedMs = 500;

describe('the thread that checks statements', () => {
  it.each(Object.entries(statements))('answers without holding up others: %s', async (_name, sql) => {
    const { outcome, blockedMs } = await check(sql, facts);
    expect(verdicts).toContain(outcome);
    expect(blockedMs).toBeLessThan(maxBlockedMs);
  });

  it.each(Object.entries(bodies))('answers without holding up others, for a function with %s', async (_name, body) => {
    const { outcome, blockedMs } = await check('select f()', withBody(body));
    expect(verdicts).toContain(outcome);
    expect(blockedMs).toBeLessThan(maxBlockedMs);
  });

  it('refuses a chain of WITH that would occupy the server for hours, and accepts a long one', async () => {
    const chain = (length: number) =>
      `with ${many(length, (i) => `c${i} as (select ${i === 0 ? '1' : `* from c${i - 1}`})`)} select 1`;
    expect((await check(chain(300), facts)).outcome).toBe('accepted');
    expect((await check(chain(301), facts)).outcome).toBe('E_TOO_COMPLEX');
    expect((await check(`with a as (${chain(200)}), b as (${chain(200)}) select 1`, facts)).outcome).toBe('E_TOO_COMPLEX');
  });

  it('goes on with other statements while one is too complex', async () => {
    const hostile = many(400_000, () => '(', '');
    const [first, ...others] = await Promise.all([
      check(`select ${hostile}`, facts),
      ...Array.from({ length: 5 }, (_, i) => check(`select ${i}`, facts)),
    ]);
    expect(verdicts).toContain(first.outcome);
    expect(others.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'accepted'));
  });

  it('does not let statements of one database wait for many of another', async () => {
    const [hostile, other] = [createThreadChecker(), createThreadChecker()];
    let done = 0;
    const long = Array.from({ length: 6 }, async (_, i) => {
      await hostile.check(`select ${i} in (${many(10_000, String)})`, facts);
      done += 1;
    });
    await other.check('select 1', facts);
    expect(done).toBeLessThanOrEqual(2);
    await Promise.all(long);
  });

  it('drops statements that have not begun when their calls end', async () => {
    const checker = createThreadChecker();
    const ended = new AbortController();
    const long = Array.from({ length: 3 }, (_, i) =>
      checker.check(`select ${i} in (${many(10_000, String)})`, facts, false, ended.signal).then(
        () => 'accepted',
        () => 'dropped',
      ),
    );
    ended.abort();
    // The first one may have begun.
    expect((await Promise.all(long)).slice(1)).toEqual(['dropped', 'dropped']);
  });

  it('reports why a question to the server failed', async () => {
    const failing: CatalogQuestion = async () => {
      throw new Failure('connection', 'the connection was lost');
    };
    await expect(createThreadChecker().check('select 1', failing)).rejects.toMatchObject({
      kind: 'connection',
      message: 'the connection was lost',
    });
  });

  it('is not asked about a text that it has just accepted', async () => {
    const guard = createGuard();
    const { premise } = await guard.check('select 1', facts);
    const silent: CatalogQuestion = async () => {
      throw new Error('asked again');
    };
    expect((await guard.check('select 1', silent)).premise).toBe(premise);
    guard.forget();
    await expect(guard.check('select 1', silent)).rejects.toThrow('asked again');
  });
});
