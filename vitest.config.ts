import { defineConfig, type TestUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { RetriedReporter } from './scripts/retried-reporter.ts';

/**
 * What ships. How much of `engines` runs depends on the machine: what its cache holds, whether there are containers, and half of it
 * runs in processes of its own.
 */
const packages = ['core', 'local-engine', 'dbmole-mcp', 'esmole-mcp', 'molehub-mcp'];

/** Takes a core for itself for a minute, for which the others should not wait at the end. */
const longest = '/scripts/regular-expressions.test.ts';

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(other.moduleId.endsWith(longest)) - Number(one.moduleId.endsWith(longest)));
  }
}

/** Where `npm test` reads what happened. */
const reports = process.env.MOLE_TEST_REPORTS;
function listReporters(): NonNullable<TestUserConfig['reporters']> {
  if (reports === undefined) return ['default'];
  return ['default', ['json', { outputFile: `${reports}/report.json` }], new RetriedReporter(`${reports}/retried.txt`)];
}

/** Units lie beside their source; what needs an engine, a build or another process lies in `test/`. */
export default defineConfig({
  test: {
    reporters: listReporters(),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: 20_000,
          // Loading the same modules for each of 300 files would cost as much again as all the tests.
          isolate: false,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts'],
          // Starts engines once for all files that may share one, and stops everything at the end.
          globalSetup: ['packages/engines/src/vitest-global-setup.ts'],
          testTimeout: 120_000,
          // A second is nothing on a busy machine, and what is awaited comes at once where it is not.
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 600_000,
          // Engines, processes and clocks of a busy machine: `npm test` names each test that needed its second attempt.
          retry: process.env.CI === undefined ? 0 : 1,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      reporter: ['json-summary'],
      reportOnFailure: true,
      include: packages.map((name) => `packages/${name}/src/**/*.ts`),
      exclude: ['**/*.test.ts', '**/testing/**'],
    },
  },
});
