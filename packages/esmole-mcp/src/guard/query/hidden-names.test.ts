import { Failure } from '@dbmole/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkQueryText, type QueryLanguage } from './check-query.ts';

/*
 * No build of a supported version that tests can fetch has SQL or PPL, so the texts know themselves what they read: each part of a query says whether it reads the
 * hidden index. Names of it in values, comments and quoted fields read nothing.
 */

interface Part {
  readonly text: string;
  readonly isHidden: boolean;
}

const plain = (...texts: string[]): fc.Arbitrary<Part> => fc.constantFrom(...texts).map((text) => ({ text, isHidden: false }));
const hiding = (...texts: string[]): fc.Arbitrary<Part> => fc.constantFrom(...texts).map((text) => ({ text, isHidden: true }));
/** Texts and parts in their order. */
const join = (...parts: (string | fc.Arbitrary<Part>)[]): fc.Arbitrary<Part> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? plain(part) : part))).map((list) => ({
    text: list.map(({ text }) => text).join(''),
    isHidden: list.some(({ isHidden }) => isHidden),
  }));
const often = (common: fc.Arbitrary<Part>, rare: fc.Arbitrary<Part>) =>
  fc.oneof({ weight: 5, arbitrary: common }, { weight: 1, arbitrary: rare });
const letter = fc.constantFrom('SELECT', 'select', 'Select');

interface Grammar {
  readonly open: fc.Arbitrary<Part>;
  readonly hidden: fc.Arbitrary<Part>;
  readonly gap: fc.Arbitrary<Part>;
  readonly value: fc.Arbitrary<Part>;
}

/** Tables in every place where a query of SQL has one. */
function makeSql({ open, hidden, gap, value }: Grammar): fc.Arbitrary<Part> {
  const { query } = fc.letrec<{ query: Part; table: Part; from: Part }>((tie) => ({
    table: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      often(open, hidden),
      join('(', tie('query'), ')'),
      join(tie('table'), gap, 'JOIN ', tie('table'), ' ON a = b'),
      join('(', tie('table'), ', ', tie('table'), ')'),
    ),
    from: fc.oneof(tie('table'), join(tie('table'), ',', gap, tie('table'))),
    query: join(
      letter.map((text) => ({ text, isHidden: false })),
      ' ',
      value,
      ', ',
      value,
      gap,
      'FROM ',
      tie('from'),
      fc.oneof(plain(''), join(gap, 'WHERE a = ', value), join(' GROUP BY ', value, gap, 'ORDER BY a'), plain(' LIMIT 5')),
    ),
  }));
  return query;
}

const decoys = [`'FROM ".fuzz"'`, `'it''s, ".fuzz"'`, `'; SELECT * FROM .fuzz --'`, 'a', 'COUNT(*)', 'EXTRACT(YEAR FROM at)'];

const select = makeSql({
  open: plain('logs', '"logs"', '"logs-*"', 'FROZEN logs'),
  hidden: hiding('".fuzz"', '`.fuzz`', '.fuzz', '"logs,.fuzz"', '".f*"', 'FROZEN ".fuzz"'),
  gap: plain(' ', '\n', ' /* FROM ".fuzz" */ ', ' -- JOIN ".fuzz"\n', ' /* /* */ " */ '),
  value: plain(...decoys, '"from"', '"a "", .fuzz"'),
});

const grammars: Readonly<Record<Exclude<QueryLanguage, 'esql'>, fc.Arbitrary<Part>>> = {
  sql: fc.oneof(
    { weight: 6, arbitrary: select },
    { weight: 1, arbitrary: join('EXPLAIN (PLAN PARSED) ', select) },
    { weight: 1, arbitrary: join('DESCRIBE ', often(plain('logs', '"logs"'), hiding('".fuzz"', '.fuzz'))) },
    { weight: 1, arbitrary: join('SHOW COLUMNS IN ', often(plain('logs'), hiding('".fuzz"', '".f*"'))) },
  ),
  'opensearch sql': makeSql({
    open: plain('logs', '`logs`', '"logs"', 'default.logs'),
    hidden: hiding(
      '`.fuzz`',
      '".fuzz"',
      '.fuzz',
      'default..fuzz',
      '`default`.`.fuzz`',
      '@opensearch.default..fuzz',
      'information..fuzz',
    ),
    gap: plain(' ', '\n', '\t'),
    value: plain(...decoys, '`from`'),
  }),
  ppl: makePpl(),
};

function makePpl(): fc.Arbitrary<Part> {
  const index = often(plain('logs', '`logs`', 'logs, web-*'), hiding('.fuzz', '`.fuzz`', 'logs, .fuzz', 'logs,`.fuzz`', '.f*'));
  const value = plain(`"source=.fuzz"`, `'| join .fuzz'`, '"]"', '5', '"\\" ] .fuzz"');
  const { search } = fc.letrec<{ search: Part; command: Part; commands: Part }>((tie) => ({
    command: fc.oneof(
      { depthSize: 'small' },
      join('where a = ', value),
      plain('fields a, b', 'stats count() by a', 'head 5', 'sort - a', 'eval x = a + 1', 'dedup a'),
      join('lookup ', index, ' a'),
      join('join on a = b ', index),
      join('join left = l right = r on l.a = r.a [ ', tie('search'), ' ]'),
      join('append [ ', tie('search'), ' ]'),
      join('where a in [ ', tie('search'), ' ]'),
    ),
    commands: fc.oneof(plain(''), join(' | ', tie('command')), join('|', tie('command'), ' | ', tie('command'))),
    search: join(fc.oneof(plain('source=', 'source = ', 'search source=', 'index=')), index, tie('commands')),
  }));
  return search;
}

function isAccepted(text: string, language: QueryLanguage): boolean {
  try {
    checkQueryText(text, language, { systemIndices: false });
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

describe.each(['sql', 'opensearch sql', 'ppl'] as const)('a text in %s', (language) => {
  it('is refused wherever it reads a hidden index, and not for values that look like one', () => {
    const texts = fc.sample(grammars[language], { numRuns: 1_500, seed: 21 }).filter(({ text }) => text.length < 20_000);
    const reading = texts.filter(({ isHidden }) => isHidden);
    const harmless = texts.filter(({ isHidden }) => !isHidden);
    expect(reading.length).toBeGreaterThan(150);
    expect(harmless.length).toBeGreaterThan(150);
    expect(reading.filter(({ text }) => isAccepted(text, language)).map(({ text }) => text)).toEqual([]);
    expect(harmless.filter(({ text }) => isAccepted(text, language)).length).toBeGreaterThan(harmless.length * 0.6);
  }, 60_000);
});
