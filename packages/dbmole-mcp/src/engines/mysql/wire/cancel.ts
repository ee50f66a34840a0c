import type { SessionTarget } from '../../../engine.ts';
import type { Conversation } from './conversation.ts';
import { logIn } from './log-in.ts';

/** A KILL must be answered in this time. */
const answerMs = 5_000;
/** The engine's error number for a thread that has ended. */
const noSuchThread = 1094;

/**
 * A connection kept free for stopping what runs on the others, shared by all sessions of one configured connection. It is opened
 * when it is first likely to be needed, and closed with the last session.
 */
export class Canceller {
  #target: SessionTarget;
  #users = 0;
  #opening: Promise<Conversation> | undefined;
  #conversation: Conversation | undefined;
  #ending = new AbortController();
  /** A connection runs one command at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(target: SessionTarget) {
    this.#target = target;
  }

  /** The latest target is used, because a tunnel may have been reopened on another port. */
  acquire(target: SessionTarget): void {
    this.#target = target;
    this.#users += 1;
    if (this.#ending.signal.aborted) this.#ending = new AbortController();
  }

  async release(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#ending.abort(new Error('the connection is closed'));
    const opening = this.#opening;
    this.#opening = undefined;
    const conversation = await opening?.catch(() => undefined);
    await conversation?.end();
  }

  /** Connects ahead, so that stopping takes one round trip. */
  prepare(): void {
    this.#open().catch(() => undefined);
  }

  /** `claim` is called right before the KILL, and returns false when there is nothing left to stop. */
  kill(threadId: number, claim: () => boolean): Promise<void> {
    const killed = this.#queue.then(() => this.#killTwice(threadId, claim));
    this.#queue = killed.catch(() => undefined);
    return killed;
  }

  /** Repeats the KILL on a new connection when the old one was lost. */
  async #killTwice(threadId: number, claim: () => boolean): Promise<void> {
    const conversation = await this.#open();
    if (!claim()) return;
    try {
      await killOn(conversation, threadId);
    } catch (error) {
      if (conversation.lost === undefined) throw error;
      await killOn(await this.#open(), threadId);
    }
  }

  #open(): Promise<Conversation> {
    if (this.#conversation?.lost !== undefined) this.#opening = undefined;
    this.#opening ??= this.#openNew();
    return this.#opening;
  }

  async #openNew(): Promise<Conversation> {
    this.#conversation = undefined;
    try {
      this.#conversation = await logIn({ ...this.#target, database: undefined }, this.#ending.signal);
      return this.#conversation;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }
}

async function killOn(conversation: Conversation, threadId: number): Promise<void> {
  const timer = setTimeout(() => conversation.destroy(), answerMs);
  try {
    await conversation.query(`KILL QUERY ${threadId}`);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'errno') !== noSuchThread) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Cancellers by the object of the configured connection, which all sessions of a pool share. */
const cancellers = new WeakMap<object, Canceller>();

export function getCanceller(target: SessionTarget): Canceller {
  const known = cancellers.get(target.config);
  if (known !== undefined) return known;
  const canceller = new Canceller(target);
  cancellers.set(target.config, canceller);
  return canceller;
}

/** Configured connections where several commands in one write failed: some proxies take one command at a time. */
export const stepwise = new WeakSet<Canceller>();
