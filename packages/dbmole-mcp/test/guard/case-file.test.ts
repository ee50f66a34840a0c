import { describe, expect, it } from 'vitest';
import { fillCase, isFor, parseCases } from './case-file.ts';

describe('a case file', () => {
  it('holds statements of several lines, their verdict and why', () => {
    const cases = parseCases(
      "A comment.\n--- one.a | refuse | writes\ndelete\n  from t\n\n--- two-b | allow | reads\nselect '--- x'\n",
    );
    expect(cases).toEqual([
      { id: 'one.a', verdict: 'refuse', why: 'writes', only: [], notes: {}, sql: 'delete\n  from t' },
      { id: 'two-b', verdict: 'allow', why: 'reads', only: [], notes: {}, sql: "select '--- x'" },
    ]);
  });

  it('knows what a case is only for, and other notes', () => {
    const [one] = parseCases('--- one | allow | reads | only: mysql >=8.4 | control: none\nselect 1\n');
    expect(one).toMatchObject({ only: ['mysql', '>=8.4'], notes: { control: 'none' }, why: 'reads' });
  });

  it('writes characters that no editor keeps', () => {
    expect(parseCases('--- one | refuse | NUL\nselect 1\\{0}\\{r}\n')[0]?.sql).toBe('select 1\u0000\r');
  });

  it.each([
    ['a head line without a verdict', '--- one | reads\nselect 1'],
    ['a note without a value', '--- one | refuse | why | nothing\nselect 1'],
    ['an id that is there twice', '--- one | allow | a\nselect 1\n--- one | allow | b\nselect 2'],
    ['a case without a statement', '--- one | allow | a\n\n--- two | allow | b\nselect 2'],
  ])('refuses %s', (_, text) => {
    expect(() => parseCases(text)).toThrow();
  });

  it.each([
    ['', true],
    ['>=8.0', true],
    ['>=8', true],
    ['>8.0', false],
    ['<8.4', true],
    ['>=5.7 <8', false],
    ['mysql', true],
    ['mariadb', false],
    ['mysql mariadb >=8.0', true],
    ['mysql >=8.4', false],
  ])('is for a server by %j: %s', (only, expected) => {
    const [parsed] = parseCases(`--- one | allow | reads${only && ` | only: ${only}`}\nselect 1`);
    if (parsed === undefined) throw new Error('one case');
    expect(isFor(parsed, { flavour: 'mysql', version: '8.0.31' })).toBe(expected);
  });

  it('fills in what it has values for', () => {
    expect(fillCase("select '{PORT}', '{}', '{A}', '{1,2}'", { PORT: 5432 })).toBe("select '5432', '{}', '{A}', '{1,2}'");
  });
});
