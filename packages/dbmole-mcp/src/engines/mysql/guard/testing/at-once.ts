import type { Steps } from '../in-turns.ts';

/** Does all of the work in one turn. */
export function atOnce<T>(work: Steps<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
