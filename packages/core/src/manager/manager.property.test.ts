import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManagerWorld, type Step } from '../testing/fakes/manager-world.ts';

const name = fc.constantFrom('one', 'two');
const pick = fc.nat({ max: 11 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('acquire' as const), name }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('proceed' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('update' as const), name, pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('release' as const, 'invalidate', 'abort', 'loseTunnel'), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'close'), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('failNext' as const) }) },
);

/** Both names exist at first; whether and when the server stops is chosen apart, so that most histories are long. */
const history = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
  shutDownAt: fc.option(fc.nat({ max: 60 }), { freq: 4 }),
  graceMs: fc.constantFrom(0, 60_000),
});

it('keeps its promises in every history of calls, changes, losses and failures', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), history, async (scheduler, { steps, shutDownAt, graceMs }) => {
      const world = new ManagerWorld(scheduler, graceMs);
      for (const first of ['one', 'two']) await world.run({ do: 'update', name: first, pick: 0 });
      for (const [index, next] of steps.entries()) {
        if (index === shutDownAt) await world.run({ do: 'shutDown' });
        await world.run(next);
      }
      await world.end();
      expect(world.seams.violations).toEqual([]);
    }),
    // The limit ends the search for a smaller counterexample; a good run is far below it.
    { numRuns: 300, interruptAfterTimeLimit: 15_000 },
  );
});
