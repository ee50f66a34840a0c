import { useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { fuzzPostgres } from './postgres-fuzz.ts';
import { makeStatement } from './postgres-fuzz-statements.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Any will do; with a fixed one, a red run can be repeated. */
const seed = 20_260_214;

describe('the statements of the fuzzer', () => {
  it('are the same for the same seed', () => {
    const make = (first: number) => {
      const random = createSeededRandom(first);
      return Array.from({ length: 50 }, () => makeStatement(random));
    };
    expect(make(1)).toEqual(make(1));
    expect(make(1)).not.toEqual(make(2));
    expect(new Set(make(1)).size).toBeGreaterThan(45);
  });
});

describe('the fuzzer', () => {
  const first = useEngine('postgres14');
  const second = useEngine('postgres18');

  it('finds nothing that is taken for a read and does more', async () => {
    const report = await fuzzPostgres({ seed, statements: 20_000, engines: [first(), second()] });
    expect(report.found).toEqual([]);
    expect(report.made).toBe(20_000);
    // Else it would try nothing.
    expect(report.accepted).toBeGreaterThan(5_000);
    expect(report.ran).toBeGreaterThan(3_000);
  });

  it('finds it where strings end elsewhere than the guard thinks', async () => {
    const report = await fuzzPostgres({ seed, statements: 2_000, engines: [first(), second()], standardStrings: 'off' });
    expect(report.found.length).toBeGreaterThan(3);
  });

  it('finds a lot in a guard that refuses nothing', async () => {
    const report = await fuzzPostgres({ seed, statements: 1_500, engines: [second()], check: async () => undefined });
    expect(report.found.length).toBeGreaterThan(15);
  });
});
