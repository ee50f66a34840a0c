import { existsSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { root } from './steps.ts';

/** The threshold is never lowered. */
const threshold = 90;

interface Counter {
  total: number;
  covered: number;
}
type Summary = Record<string, { lines: Counter; functions: Counter }>;

/** One line for each package whose lines or functions are covered less than they must be. */
export function coverageProblems(summaryFile: string): string[] {
  if (!existsSync(summaryFile)) return ['no report was written'];
  const packages = byPackage(JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary);
  const problems: string[] = [];
  for (const [name, counters] of packages) {
    for (const what of ['lines', 'functions'] as const) {
      const percent = (100 * counters[what].covered) / Math.max(1, counters[what].total);
      console.log(`  coverage ${name} ${what} ${percent.toFixed(1)} %`);
      if (percent < threshold) problems.push(`${name}: ${percent.toFixed(1)} % of ${what}, ${threshold} % is needed`);
    }
  }
  return packages.size === 0 ? ['no package was measured'] : problems;
}

function byPackage(summary: Summary): Map<string, Summary[string]> {
  const packages = new Map<string, Summary[string]>();
  for (const [file, counters] of Object.entries(summary)) {
    const [folder, name] = relative(root, file).split(sep);
    if (folder !== 'packages' || name === undefined) continue;
    const sum = packages.get(name) ?? { lines: { total: 0, covered: 0 }, functions: { total: 0, covered: 0 } };
    for (const what of ['lines', 'functions'] as const) {
      sum[what].total += counters[what].total;
      sum[what].covered += counters[what].covered;
    }
    packages.set(name, sum);
  }
  return packages;
}
