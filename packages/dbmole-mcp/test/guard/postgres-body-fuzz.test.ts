import { useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { type BodyFuzzReport, fuzzBodies } from './postgres-body-fuzz.ts';
import { makeBodyProgram } from './postgres-body-fuzz-programs.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Any will do; with a fixed one, a red run can be repeated. */
const seed = 20_261_119;

/** What a person needs to see of a run, and the shortest programs that got through. */
function describeReport({ found, falselyRefused, ...counts }: BodyFuzzReport): string {
  const share = ((100 * falselyRefused.length) / counts.provable).toFixed(1);
  const shortest = found.toSorted((a, b) => a.sql.length - b.sql.length).slice(0, 5);
  const programs = shortest.map(({ where, sql }) => `on ${where}:\n${sql}`);
  return [`seed ${seed}: ${JSON.stringify(counts)}, ${share} % of what is provable refused`, ...programs].join('\n\n');
}

describe('the programs of the body fuzzer', () => {
  it('are the same for the same seed', () => {
    const make = (first: number) => {
      const random = createSeededRandom(first);
      return Array.from({ length: 50 }, (_, number) =>
        makeBodyProgram(random, { number, setting: number % 2 === 0 ? 'reader' : 'superuser' }),
      );
    };
    expect(make(1)).toEqual(make(1));
    expect(make(1)).not.toEqual(make(2));
  });
});

describe('the body fuzzer', () => {
  const first = useEngine('postgres14');
  const second = useEngine('postgres18');

  it('finds no function with an effect that is taken for a read', async () => {
    const report = await fuzzBodies({ seed, statements: 20_000, engines: [first(), second()] });
    expect(report.found.length, describeReport(report)).toBe(0);
    expect(report.made).toBe(20_000);
    // Else it would try nothing.
    expect(report.invalid / report.made).toBeLessThan(0.3);
    expect(report.caught).toBeGreaterThan(8_000);
    expect(report.accepted).toBeGreaterThan(3_000);
    // It refuses nearly nothing that is harmless and whose SQL is all known.
    const [refused] = report.falselyRefused.toSorted((a, b) => a.sql.length - b.sql.length);
    expect(report.falselyRefused.length / report.provable, refused?.sql).toBeLessThan(0.01);
  }, 1_800_000);

  it('finds a lot in a guard that refuses nothing', async () => {
    const openCheck = () => async () => undefined;
    const report = await fuzzBodies({ seed, statements: 1_000, engines: [second()], openCheck });
    expect(report.found.length).toBeGreaterThan(400);
  });
});
