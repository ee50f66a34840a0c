import { setImmediate } from 'node:timers/promises';

/** Work on a text that may be long. Each `yield` is a place where other calls may go first. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** How long the process may be kept from other calls. */
const turnMs = 4;
let turnStarted = 0;

/** Does all of the work, and lets other calls go first whenever a turn is over. */
export async function inTurns<T>(work: Steps<T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await giveWay();
    step = work.next();
  }
  return step.value;
}

/** For pieces of work that are small, but may be many. */
export async function giveWay(): Promise<void> {
  if (performance.now() - turnStarted < turnMs) return;
  await setImmediate();
  turnStarted = performance.now();
}
