import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/** Writes down the tests that failed and then passed, which vitest counts as passed. */
export class RetriedReporter implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) appendFileSync(this.#file, `${test.module.relativeModuleId}: ${test.fullName}\n`);
  }
}
