export interface BenchOptions {
  /** How often each program is started. */
  runs: number;
  /** The program that runs JavaScript; another version of Node is measured by its path. */
  node: string;
}

/** One number that we promise, and how it is measured. Another file in `lines/` and a word in `registry.ts` add one. */
export interface Line {
  name: string;
  /** The number must not be above it. */
  goal: number;
  unit: string;
  measure(options: BenchOptions): Promise<Measured>;
}

export interface Measured {
  value: number;
  /** What helps to judge the number: medians, minima, processor time. Not measurable here is null. */
  details: Record<string, number | null>;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
