import { Failure } from '@dbmole/core/failure';
import { aroundAll, type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest';
import type { EngineId, ServerId } from './catalog.ts';
import type { EngineOptions, RunningEngine } from './engine.ts';
import { type NodeLine, openNode } from './fetch/node-runtime.ts';
import { sharedEngine } from './run/shared-engine.ts';
import { startEngine } from './run/start-engine.ts';
import { startTopology, type Topology, type TopologyOptions } from './run/start-topology.ts';
import { openChromium } from './servers/chromium.ts';
import { recordSkipped } from './skipped.ts';
import { isUnavailable } from './unavailable.ts';

export interface UseEngineOptions extends EngineOptions {
  /** The one of the whole run instead of one's own: quicker, but others work on it too, and it cannot be killed. */
  readonly shared?: boolean;
}

/** A download of the first run may be part of it. */
const timeoutMs = 600_000;

/**
 * Runs an engine while the tests and hooks of a `describe` (or of a file) run. Returns how to reach it, for use in hooks and tests.
 * Where the engine cannot be had, the tests are skipped, and so are their hooks; in CI they fail.
 */
export function useEngine(id: ServerId, options: UseEngineOptions = {}): () => RunningEngine {
  const { shared, ...wanted } = options;
  return useRunning(id, () => (shared ? sharedEngine(id, wanted) : startEngine(id, wanted)));
}

/** The same for the two ssh servers. */
export function useTopology(options: TopologyOptions = {}): () => Topology {
  return useRunning('ssh', () => startTopology(options));
}

/** The executable of a line of Node while the tests of a `describe` run, for what runs in a Node of its own. */
export function useNode(line: NodeLine): () => string {
  const running = useRunning(`node${line}`, async () => ({ path: await openNode(line), stop: async () => undefined }));
  return () => running().path;
}

/** The executable of a browser while the tests of a `describe` run. */
export function useChromium(): () => string {
  const running = useRunning('chromium', async () => ({ path: await openChromium(), stop: async () => undefined }));
  return () => running().path;
}

function useRunning<T extends { stop(): Promise<void> }>(id: EngineId | `node${NodeLine}`, start: () => Promise<T>): () => T {
  let running: T | undefined;
  // The runner reads the second parameter off the source and takes it for fixtures, of which we want none.
  aroundAll(async (...[runSuite, , suite]) => {
    running = await startOrSkip(id, suite, start);
    try {
      await runSuite();
    } finally {
      await running?.stop();
      running = undefined;
    }
  }, timeoutMs);
  return () => {
    if (running) return running;
    throw new Failure('internal', `${id} was asked for outside of the tests and hooks of its describe`);
  };
}

async function startOrSkip<T>(id: string, suite: Readonly<RunnerTestSuite>, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (process.env.CI === 'true' || !isUnavailable(error)) throw error;
    const tests = skipAll(suite);
    recordSkipped({ engine: id, where: readName(suite), tests, reason: `${error.message} ${error.hint ?? ''}`.trim() });
    return undefined;
  }
}

/** The hooks would ask for the engine, so they go too. Answers how many tests that were. */
function skipAll(suite: Readonly<RunnerTestSuite>): number {
  // Readonly is a word to users; the runner reads mode and result when it comes to a test.
  const hooks = TestRunner.getSuiteHooks(suite as RunnerTestSuite);
  for (const list of [hooks.beforeAll, hooks.afterAll, hooks.aroundAll]) list.length = 0;
  return suite.tasks
    .map((task) => (task.type === 'suite' ? skipAll(task) : skipTest(task)))
    .reduce((sum, count) => sum + count, 0);
}

function skipTest(test: RunnerTestCase): number {
  test.mode = 'skip';
  // Otherwise the reporters would not hear of the test.
  test.result = { state: 'skip' };
  return 1;
}

function readName(suite: Readonly<RunnerTestSuite>): string {
  return suite.name === suite.file.name ? suite.name : `${suite.file.name} > ${suite.name}`;
}
