import { Failure } from '../failure.ts';

/**
 * Refusals in which whoever answers hung up before the handshake, so before any credential. A busy server does that with
 * those who come at the same time as many others, and takes them a moment later.
 */
const early = new WeakSet<Failure>();

export function markEarlyHangUp(failure: Failure): Failure {
  early.add(failure);
  return failure;
}

export function isEarlyHangUp(failure: unknown): boolean {
  return failure instanceof Failure && early.has(failure);
}
