import { takeController } from '../abort.ts';
import type { PersonPlace } from '../approval/person.ts';
import type { Failure } from '../failure.ts';

/** A call that was answered. */
export interface AnsweredCall {
  tool: string;
  /** Undefined where the call succeeded, or where each of its statements has a failure of its own. */
  failure: Failure | undefined;
  isError: boolean;
  /** Where a person confirmed the call. */
  confirmedBy?: PersonPlace | undefined;
  milliseconds: number;
}

/** Calls that have not been answered yet. A process that serves several clients has one of these for all. */
export class RunningCalls {
  /** When each began. */
  readonly #running = new Map<AbortController, number>();
  #stopped: Failure | undefined;
  #listener: ((call: AnsweredCall) => void) | undefined;

  get count(): number {
    return this.#running.size;
  }

  /** Sets the only listener, which must not throw. */
  onAnswered(listener: (call: AnsweredCall) => void): void {
    this.#listener = listener;
  }

  /** The call counts from here on until `end`. */
  begin(): AbortController {
    const controller = takeController();
    this.#running.set(controller, performance.now());
    return controller;
  }

  /** The listener is called for each call with an answer; a call that was passed on to another process has none here. */
  end(controller: AbortController, answer?: Omit<AnsweredCall, 'milliseconds'>): void {
    const startedAt = this.#running.get(controller);
    this.#running.delete(controller);
    if (startedAt === undefined || answer === undefined || this.#listener === undefined) return;
    this.#listener({ ...answer, milliseconds: performance.now() - startedAt });
  }

  /** Throws after `abortAll`. */
  refuse(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** Aborts every running call and refuses new ones. */
  abortAll(reason: Failure): void {
    this.#stopped = reason;
    for (const controller of this.#running.keys()) controller.abort(reason);
  }
}
