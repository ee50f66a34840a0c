import { setImmediate } from 'node:timers/promises';

/** Work on a text that may be long. Other calls may run at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The longest time in which no other call runs. */
const turnMs = 4;
let turnStarted = 0;

/** Does all of the work, and lets other calls run whenever a turn is over. */
export async function inTurns<T>(work: Steps<T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await giveWay();
    step = work.next();
  }
  return step.value;
}

/** Lets other calls run between many small pieces of work. */
export async function giveWay(): Promise<void> {
  if (performance.now() - turnStarted < turnMs) return;
  await setImmediate();
  turnStarted = performance.now();
}
