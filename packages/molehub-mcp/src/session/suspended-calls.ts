import { randomUUID } from 'node:crypto';
import type { HubCaller } from '../server/caller.ts';
import { type Fields, isFields } from './json.ts';

interface Round {
  caller: HubCaller;
  /** What came back with the answers to a question. */
  state: unknown;
  inputResponses: Fields | undefined;
}

interface Suspended {
  /** The call's next question, or its result. */
  next: Promise<Fields>;
  answer(result: Fields): void;
  giveUp(): void;
}

const prefix = 'molehub:';
const questionKey = 'question';
const waitMs = 600_000;

/**
 * A server of the older era asks in the middle of a call, and a client of the newer one answers with another call. So the first call goes on
 * behind the result that is the question, and the client's second call gets what comes next.
 */
export class SuspendedCalls {
  readonly #waiting = new Map<string, Suspended>();

  async run({ caller, state, inputResponses }: Round, call: (caller: HubCaller) => Promise<Fields>): Promise<Fields> {
    const suspended = typeof state === 'string' && state.startsWith(prefix) ? this.#take(state) : undefined;
    if (suspended === undefined) return await this.#begin(caller, call);
    const stop = abortWith(caller.signal, () => suspended.giveUp());
    const given = inputResponses?.[questionKey];
    suspended.answer(isFields(given) ? given : { action: 'cancel' });
    return await suspended.next.finally(stop);
  }

  close(): void {
    for (const { giveUp } of this.#waiting.values()) giveUp();
    this.#waiting.clear();
  }

  #take(state: string): Suspended {
    const found = this.#waiting.get(state);
    this.#waiting.delete(state);
    if (found === undefined) throw new Error('the call that asked is over; call again without requestState');
    return found;
  }

  async #begin(caller: HubCaller, call: (caller: HubCaller) => Promise<Fields>): Promise<Fields> {
    const controller = new AbortController();
    let isAsked = false;
    const stop = abortWith(caller.signal, () => {
      if (!isAsked) controller.abort(caller.signal.reason);
    });
    let show: (result: Fields) => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const expectNext = () =>
      new Promise<Fields>((resolve, reject) => {
        show = resolve;
        fail = reject;
      });
    const elicit = (params: Fields, signal: AbortSignal) =>
      new Promise<Fields>((resolve, reject) => {
        isAsked = true;
        const state = `${prefix}${randomUUID()}`;
        const shown = show;
        const timer = setTimeout(() => void this.#waiting.get(state)?.giveUp(), waitMs).unref();
        const end = () => {
          clearTimeout(timer);
          stopWaiting();
          this.#waiting.delete(state);
        };
        const giveUp = () => {
          end();
          reject(new Error('no answer came'));
          controller.abort(new Error('no answer came'));
        };
        const stopWaiting = abortWith(signal, giveUp);
        const answer = (result: Fields) => {
          end();
          resolve(result);
        };
        this.#waiting.set(state, { next: expectNext(), answer, giveUp });
        const inputRequests = { [questionKey]: { method: 'elicitation/create', params } };
        shown({ resultType: 'input_required', inputRequests, requestState: state });
      });
    const first = expectNext();
    call({ ...caller, signal: controller.signal, elicit }).then(
      (result) => show(result),
      (error: unknown) => fail(error),
    );
    return await first.finally(stop);
  }
}

function abortWith(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
