import { describe, expect, it } from 'vitest';
import { PreparedTexts } from './run-statement.ts';

describe('PreparedTexts', () => {
  it('finds a text only in the mode in which it was added', () => {
    const texts = new PreparedTexts();
    texts.add('SELECT "a"', 'ANSI_QUOTES');
    expect(texts.has('SELECT "a"', 'ANSI_QUOTES')).toBe(true);
    expect(texts.has('SELECT "a"', '')).toBe(false);
    expect(texts.has('SELECT "a" ', 'ANSI_QUOTES')).toBe(false);
  });

  it('keeps few texts and no long ones', () => {
    const texts = new PreparedTexts();
    const long = `SELECT '${'x'.repeat(10_000)}'`;
    texts.add(long, '');
    expect(texts.has(long, '')).toBe(false);
    for (let n = 0; n < 51; n += 1) texts.add(`SELECT ${n}`, '');
    expect([texts.has('SELECT 0', ''), texts.has('SELECT 50', '')]).toEqual([false, true]);
  });
});
