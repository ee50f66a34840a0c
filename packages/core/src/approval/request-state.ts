import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Failure, type FailureCode } from '../failure.ts';
import { canonical, isFields, parseJson } from '../registry/tree.ts';
import { questionMs } from './person.ts';

/** What was measured before the question, as plain data. */
export type Counts = Readonly<Record<string, unknown>> | undefined;

/** What a question was about, which comes back with its answer. */
export interface QuestionState {
  /** What has to be the same when it is done. Undefined where nothing could be measured. */
  readonly counts: Counts;
  /** The change in a few words, without any data. */
  readonly summary: string;
  /** Why it needs a person. */
  readonly why: { readonly code: FailureCode; readonly text: string };
  /** How many questions the call has asked. */
  readonly round: number;
  /** When it was asked, in milliseconds since 1970. */
  readonly askedAt: number;
}

interface Sealed extends QuestionState {
  nonce: string;
  binding: string;
}

/**
 * Seals what a question was about, because the answer comes back through the client, which could change it: a state counts once, for the
 * same request of the same caller, for ten minutes, in this process.
 */
export class RequestStates {
  readonly #key = randomBytes(32);
  /** The nonces of states that came back, with the time at which they expire anyway. */
  readonly #used = new Map<string, number>();
  /** Milliseconds since 1970. */
  readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  mint(state: Omit<QuestionState, 'askedAt'>, binding: unknown): string {
    const sealed: Sealed = {
      ...state,
      askedAt: this.now(),
      nonce: randomBytes(16).toString('base64url'),
      binding: hashBinding(binding),
    };
    const body = Buffer.from(JSON.stringify(sealed)).toString('base64url');
    return `${body}.${this.#sign(body)}`;
  }

  /** Throws for a state that does not count. One that counts does so only now. */
  take(state: string, binding: unknown): QuestionState {
    const [body = '', signature = '', ...others] = state.split('.');
    if (others.length > 0 || !isSame(signature, this.#sign(body))) throw invalidState('it was not made by this process');
    const sealed = parseJson(Buffer.from(body, 'base64url').toString('utf8'));
    if (!isSealed(sealed)) throw invalidState('it was not made by this process');
    if (sealed.binding !== hashBinding(binding)) throw invalidState('it was given for another request');
    const expiresAt = sealed.askedAt + questionMs;
    if (this.now() > expiresAt) throw invalidState('it has expired');
    if (this.#used.has(sealed.nonce)) throw invalidState('it was used before');
    this.#forgetExpired();
    this.#used.set(sealed.nonce, expiresAt);
    const { counts, summary, why, round, askedAt } = sealed;
    return { counts, summary, why, round, askedAt };
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('base64url');
  }

  #forgetExpired(): void {
    const now = this.now();
    for (const [nonce, expiresAt] of this.#used) if (expiresAt < now) this.#used.delete(nonce);
  }
}

function hashBinding(binding: unknown): string {
  return createHash('sha256').update(canonical(binding)).digest('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The signature says who wrote it; this is for the compiler. */
function isSealed(value: unknown): value is Sealed {
  return isFields(value) && typeof value.nonce === 'string' && typeof value.askedAt === 'number';
}

function invalidState(why: string): Failure {
  return new Failure('refused', `the confirmation does not count: ${why}; nothing was run`, {
    code: 'E_APPROVAL_INVALID',
    hint: 'Call again without requestState; the user is asked again.',
  });
}
