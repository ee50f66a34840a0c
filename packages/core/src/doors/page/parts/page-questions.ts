import { randomUUID } from 'node:crypto';
import type { UnaskedCall } from '../../../approval/approvals.ts';
import { type Person, type PersonAnswer, questionMs } from '../../../approval/person.ts';
import { cutVisible, formatVisible } from '../../../text.ts';

/** A question of a call that waits for it. It is plain data, and every text in it is safe to show. */
export interface WaitingQuestion {
  id: string;
  tool: string;
  client: string;
  message: string;
  /** Milliseconds since 1970. */
  at: number;
  expiresAt: number;
}

/** A question that needs no answer any more. */
export interface SettledQuestion extends WaitingQuestion {
  outcome: 'approved' | 'declined' | 'expired' | 'withdrawn' | 'left';
  settledAt: number;
}

/** What a question ends with where the user did not answer. */
const unanswered = { expired: 'silent', withdrawn: 'unable', left: 'unable' } as const;

/** Clients that hear nothing give a call up after a minute. */
const silentClientMs = 50_000;
/** A page that is loaded again is back within this time. */
const reloadMs = 3_000;
const maxSettled = 20;
/** Further ones are refused to be asked, as where no page is open. */
const maxWaiting = 50;

interface Open {
  question: WaitingQuestion;
  settle(outcome: SettledQuestion['outcome'], answer: PersonAnswer): void;
}

/** The questions of calls whose clients cannot ask, which the open pages show. The first answer counts. */
export class PageQuestions {
  readonly #open = new Map<string, Open>();
  readonly #listeners = new Set<() => void>();
  #settled: readonly SettledQuestion[] = [];

  get waiting(): readonly WaitingQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** The newest first. */
  get settled(): readonly SettledQuestion[] {
    return this.#settled;
  }

  /** The person at the page; undefined while no page is open. */
  findPerson = (call: UnaskedCall): Person | undefined => {
    if (this.#listeners.size === 0 || this.#open.size >= maxWaiting) return undefined;
    return { place: 'page', ask: (message, signal) => this.#ask(call, message, signal) };
  };

  /** Returns whether the question was waiting. */
  answer(id: string, answer: PersonAnswer): boolean {
    const open = this.#open.get(id);
    open?.settle(answer.action === 'accept' ? 'approved' : 'declined', answer);
    return open !== undefined;
  }

  /** Returns how to stop listening. When the last page has gone, nothing waits for it any more, unless it comes back at once. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) setTimeout(() => this.#leaveAll(), reloadMs).unref();
    };
  }

  #leaveAll(): void {
    if (this.#listeners.size > 0) return;
    for (const { settle } of [...this.#open.values()]) settle('left', { action: unanswered.left });
  }

  async #ask({ tool, client, keepAlive }: UnaskedCall, message: string, signal: AbortSignal): Promise<PersonAnswer> {
    const at = Date.now();
    const waitMs = keepAlive === undefined ? silentClientMs : questionMs;
    const alive = keepAlive?.();
    const question = { id: randomUUID(), tool, client: showName(client ?? ''), message, at, expiresAt: at + waitMs };
    let stop: (() => void) | undefined;
    try {
      return await new Promise<PersonAnswer>((resolve) => {
        const give = (outcome: keyof typeof unanswered) => this.#settle(question.id, outcome, { action: unanswered[outcome] });
        const onAbort = () => give('withdrawn');
        const timer = setTimeout(() => give(keepAlive === undefined ? 'left' : 'expired'), waitMs);
        timer.unref();
        signal.addEventListener('abort', onAbort);
        stop = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
        };
        this.#open.set(question.id, {
          question,
          settle: (outcome, answer) => {
            this.#open.delete(question.id);
            this.#settled = [{ ...question, outcome, settledAt: Date.now() }, ...this.#settled].slice(0, maxSettled);
            resolve(answer);
            this.#tell();
          },
        });
        if (signal.aborted) onAbort();
        else this.#tell();
      });
    } finally {
      stop?.();
      alive?.stop();
    }
  }

  #settle(id: string, outcome: SettledQuestion['outcome'], answer: PersonAnswer): void {
    this.#open.get(id)?.settle(outcome, answer);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function showName(name: string): string {
  return cutVisible(formatVisible(name).replaceAll(/\s+/g, ' '), 100);
}
