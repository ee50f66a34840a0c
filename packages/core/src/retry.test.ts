import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { maxAttempts, retry } from './retry.ts';

describe('retry', () => {
  const failing = (failures: number) => async (attempt: number) => {
    if (attempt <= failures) throw new Error(`failure ${attempt}`);
    return attempt;
  };

  it('returns the first success and throws the last error', async () => {
    const always = { max: 3, mayRetry: () => true };
    expect(await retry(always, failing(0))).toBe(1);
    expect(await retry(always, failing(2))).toBe(3);
    await expect(retry(always, failing(3))).rejects.toThrow('failure 3');
  });

  it('does not retry what the error forbids', async () => {
    const seen: number[] = [];
    const mayRetry = (_error: unknown, attempt: number) => seen.push(attempt) < 2;
    await expect(retry({ max: 5, mayRetry }, failing(4))).rejects.toThrow('failure 2');
    expect(seen).toEqual([1, 2]);
  });
});

it('has every rung in the table of the architecture page', () => {
  const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \|[^|]*\| (\d+) \|/gm)].map(([, rung = '', max]) => [rung, Number(max)]);
  expect(Object.fromEntries(rows)).toEqual(maxAttempts);
});
