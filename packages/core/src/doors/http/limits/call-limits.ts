import type { Principal } from '../authenticate.ts';
import { HttpRefusal } from '../refusal.ts';
import type { HttpLimits } from './limits.ts';

/** Principals whose rate is remembered. Forgetting one that was silent for long gives it nothing that it did not have. */
const maxRemembered = 10_000;
const minuteMs = 60_000;

interface Rate {
  /** Calls that may begin now. */
  left: number;
  at: number;
}

/** Counts the calls of each principal. */
export class CallLimits {
  readonly #limits: HttpLimits;
  readonly #running = new Map<string, number>();
  readonly #rates = new Map<string, Rate>();
  #total = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /** Calls whose answer has not been delivered. */
  get running(): number {
    return this.#total;
  }

  /** Returns how to end the call, which may be called more than once. Throws an HttpRefusal. */
  begin({ id }: Principal): () => void {
    const { callsPerClient, calls } = this.#limits;
    const running = this.#running.get(id) ?? 0;
    if (running >= callsPerClient) throw tooMany(429, `${running} calls of this client are running`, '--max-calls-per-client');
    if (this.#total >= calls) throw tooMany(503, `${this.#total} calls are running`, '--max-calls');
    this.#takeTurn(id);
    this.#running.set(id, running + 1);
    this.#total += 1;
    return once(() => this.#end(id));
  }

  #end(id: string): void {
    const running = (this.#running.get(id) ?? 1) - 1;
    if (running > 0) this.#running.set(id, running);
    else this.#running.delete(id);
    this.#total -= 1;
  }

  /** A bucket that holds the calls of one minute and refills steadily. */
  #takeTurn(id: string): void {
    const { callsPerMinute } = this.#limits;
    const now = performance.now();
    const { left: before, at } = this.#rates.get(id) ?? { left: callsPerMinute, at: now };
    const left = Math.min(callsPerMinute, before + ((now - at) * callsPerMinute) / minuteMs);
    if (left < 1) {
      const retryAfter = Math.ceil(((1 - left) * minuteMs) / callsPerMinute / 1_000);
      const message = `this client made ${callsPerMinute} calls within a minute, which is the limit (--calls-per-minute)`;
      throw new HttpRefusal(429, message, { retryAfter });
    }
    this.#rates.delete(id);
    this.#rates.set(id, { left: left - 1, at: now });
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > maxRemembered && oldest !== undefined) this.#rates.delete(oldest);
  }
}

function tooMany(status: 429 | 503, what: string, option: string): HttpRefusal {
  return new HttpRefusal(status, `${what}, which is the limit (${option})`, { retryAfter: 1 });
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
