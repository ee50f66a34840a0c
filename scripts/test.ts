/**
 * Everything: lint, types, build, every test on every engine, coverage. Ends with `N passed, N failed, N skipped`, where
 * each of the other steps counts as one. Arguments are handed to vitest: `npm test -- packages/core` runs a part of it,
 * without the coverage that only the whole can reach.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { coverageProblems } from './coverage.ts';
import { lintStep, root, runStep, typesSteps } from './steps.ts';

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numFailedTestSuites: number;
  success: boolean;
}

const filters = process.argv.slice(2);
const whole = filters.length === 0;
const scratch = mkdtempSync(join(tmpdir(), 'mole-test-'));
const reportFile = join(scratch, 'report.json');
const skippedFile = join(scratch, 'skipped.txt');
const retriedFile = join(scratch, 'retried.txt');
/** Three at least: most of the time a test waits for an engine, a limit or another process. */
const workers = Math.max(3, availableParallelism());
const count = { passed: 0, failed: 0, skipped: 0 };

function tally(ok: boolean): void {
  if (ok) count.passed += 1;
  else count.failed += 1;
}

tally(runStep(lintStep));
for (const step of typesSteps) tally(runStep(step));
const built = runStep({ name: 'build', command: ['tsx', 'scripts/build.ts'] });
tally(built);
fetchEngines();
if (built) runTests();
if (whole) checkCoverage();
nameLines(skippedFile, 'Not tested on this machine:');
nameLines(retriedFile, 'Passed at the second attempt only, so look for a race:');
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed === 0 ? 0 : 1);

/** Before the tests, where its progress can be seen. What cannot be had is a matter for the tests: a failure in CI, else a skip. */
function fetchEngines(): void {
  if (whole) runStep({ name: 'fetch the engines', command: ['tsx', 'scripts/engines.ts', 'fetch'] });
}

function runTests(): void {
  const coverage = whole ? ['--coverage'] : [];
  const ended = runStep({
    name: 'tests',
    command: ['vitest', 'run', `--maxWorkers=${workers}`, ...coverage, ...filters],
    env: { DBMOLE_SKIPPED_FILE: skippedFile, MOLE_TEST_REPORTS: scratch },
  });
  if (!existsSync(reportFile)) {
    tally(false);
    return;
  }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport;
  count.passed += report.numPassedTests;
  count.failed += report.numFailedTests;
  count.skipped += report.numPendingTests + report.numTodoTests;
  // A file that fails to load, or an error after the last test, fails the run without a failed test.
  if (!ended && report.numFailedTests === 0) count.failed += 1;
}

function checkCoverage(): void {
  const problems = coverageProblems(join(root, 'coverage', 'coverage-summary.json'));
  for (const problem of problems) console.error(`✗ coverage: ${problem}`);
  tally(problems.length === 0);
}

/** Each line once, below a heading. */
function nameLines(file: string, heading: string): void {
  if (!existsSync(file)) return;
  console.log(`\n${heading}`);
  for (const line of new Set(readFileSync(file, 'utf8').trim().split('\n'))) console.log(`  ${line}`);
}
