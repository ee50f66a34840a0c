import { setImmediate } from 'node:timers/promises';
import { Failure } from '@dbmole/core';
import { afterAll, describe, expect, it } from 'vitest';
import { createGuard } from './guard.ts';
import { serve } from './testing/fake-server.ts';
import { type HostileText, hostileTexts } from './testing/hostile-texts.ts';
import { measureBlocking } from './testing/measure-blocking.ts';

/** Generous, as the machine that runs the tests is busy; on a quiet one no turn takes more than 20 ms. */
const maxBlockedMs = 250;

describe.each(['MySQL', 'MariaDB'] as const)('the guard of %s with a hostile text', (product) => {
  let worst = { blockedMs: 0, name: '' };
  afterAll(
    () => void process.stderr.write(`${product}: blocked for ${worst.blockedMs.toFixed(0)} ms at most, by ${worst.name}\n`),
  );

  it.each(hostileTexts[product])('lets other calls run while it checks $name', async ({ name, sql, server = {}, code }) => {
    const { result, blockedMs } = await measureBlocking(() => readCode({ sql, server }));
    if (blockedMs > worst.blockedMs) worst = { blockedMs, name };
    expect(result).toBe(code);
    expect(blockedMs).toBeLessThan(maxBlockedMs);
  });
});

async function readCode({ sql, server = {} }: Pick<HostileText, 'sql' | 'server'>): Promise<string | undefined> {
  const { run } = serve(server);
  // A server takes its time to answer.
  const runLater: typeof run = async (...question) => setImmediate().then(() => run(...question));
  try {
    await createGuard().check(sql, runLater);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}
