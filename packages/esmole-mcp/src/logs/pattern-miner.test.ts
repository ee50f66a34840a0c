import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogEntry, minePatterns } from './pattern-miner.ts';

const entry = (message: string, more: Partial<LogEntry> = {}): LogEntry => ({
  message,
  time: undefined,
  level: undefined,
  side: 'now',
  ...more,
});
const repeat = (count: number, format: (at: number) => string) => Array.from({ length: count }, (_, at) => entry(format(at)));
const mine = async (entries: readonly LogEntry[]) =>
  (await minePatterns(entries)).map(({ text, seen }) => `${seen.now.count} ${text}`).sort();

describe('the patterns of lines', () => {
  it('replace words that vary, and keep words with few values apart', async () => {
    const people = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal'];
    const lines = [
      ...repeat(80, (at) => `user ${people[at % 8]} logged in`),
      ...repeat(50, (at) => `payment ${at} accepted by issuer`),
      ...repeat(2, (at) => `payment ${at} declined by issuer`),
    ];
    expect(await mine(lines)).toEqual([
      '2 payment <*> declined by issuer',
      '50 payment <*> accepted by issuer',
      '80 user <*> logged in',
    ]);
  });

  it('count each window, with its first and last time, and levels', async () => {
    const [pattern] = await minePatterns([
      entry('disk 1 is full', { time: 5, level: 'WARN' }),
      entry('disk 2 is full', { time: 3, level: 'ERROR' }),
      entry('disk 3 is full', { time: 9, level: 'ERROR', side: 'baseline' }),
    ]);
    expect(pattern?.seen).toEqual({ now: { count: 2, first: 3, last: 5 }, baseline: { count: 1, first: 9, last: 9 } });
    expect([...(pattern?.levels ?? [])]).toEqual([
      ['WARN', 1],
      ['ERROR', 2],
    ]);
    expect(pattern?.sample).toBe('disk 1 is full');
  });

  it('include every line once, whatever the lines are, and are the same each time', async () => {
    const word = fc.constantFrom('a', 'b', 'c', '<*>', '12', '"', '…', 'é', '10.0.0.1', '2026-01-01T00:00:00Z', 'k=v', '\n');
    const line = fc.array(fc.oneof(word, fc.string({ unit: 'binary' })), { maxLength: 12 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const entries = lines.map((message) => entry(message));
        const patterns = await minePatterns(entries);
        expect(patterns.reduce((sum, { seen }) => sum + seen.now.count, 0)).toBe(lines.length);
        expect(await minePatterns(entries)).toEqual(patterns);
      }),
    );
  });

  it('are bounded, for lines of which none is like another one', async () => {
    const lines = repeat(3_000, (at) => [3, 5, 7, 11, 13].map((factor) => toWord(at * factor * 7_919)).join(' '));
    const patterns = await minePatterns(lines);
    expect(patterns.length).toBeLessThanOrEqual(200);
    expect(patterns.reduce((sum, { seen }) => sum + seen.now.count, 0)).toBe(3_000);
  });
});

function toWord(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}
