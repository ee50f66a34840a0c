import type { SessionTarget } from '../../engine.ts';
import type { Link } from './link.ts';
import { openLink } from './open-link.ts';

/** A KILL that is not answered in this time goes unanswered. */
const answerMs = 5_000;
/** The engine's answer when the thread is gone. */
const noSuchThread = 1094;

/**
 * A connection kept free for stopping what runs on the others, shared by all sessions of one configured connection. It is opened
 * when it is first likely to be needed, and closed with the last session.
 */
export class Control {
  #target: SessionTarget;
  #users = 0;
  #opening: Promise<Link> | undefined;
  #link: Link | undefined;
  #ending = new AbortController();
  /** A connection runs one command at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(target: SessionTarget) {
    this.#target = target;
  }

  /** The latest target is used: a tunnel may have been opened anew since. */
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
    const link = await opening?.catch(() => undefined);
    await link?.end();
  }

  /** Opens it ahead, so that stopping takes no longer than one round trip. */
  prepare(): void {
    this.#open().catch(() => undefined);
  }

  /** `claim` is asked at the last moment whether there is still something to stop. */
  kill(threadId: number, claim: () => boolean): Promise<void> {
    const killed = this.#queue.then(() => this.#killTwice(threadId, claim));
    this.#queue = killed.catch(() => undefined);
    return killed;
  }

  /** Again on a new connection when the one that was there had died meanwhile. */
  async #killTwice(threadId: number, claim: () => boolean): Promise<void> {
    const link = await this.#open();
    if (!claim()) return;
    try {
      await killOn(link, threadId);
    } catch (error) {
      if (link.lost === undefined) throw error;
      await killOn(await this.#open(), threadId);
    }
  }

  #open(): Promise<Link> {
    if (this.#link?.lost !== undefined) this.#opening = undefined;
    this.#opening ??= this.#openNew();
    return this.#opening;
  }

  async #openNew(): Promise<Link> {
    this.#link = undefined;
    try {
      this.#link = await openLink({ ...this.#target, database: undefined }, this.#ending.signal);
      return this.#link;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }
}

async function killOn(link: Link, threadId: number): Promise<void> {
  const timer = setTimeout(() => link.destroy(), answerMs);
  try {
    await link.query(`KILL QUERY ${threadId}`);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'errno') !== noSuchThread) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** By the object that is the configured connection: it is the same for all sessions of one pool. */
const controls = new WeakMap<object, Control>();

export function controlOf(target: SessionTarget): Control {
  const known = controls.get(target.config);
  if (known !== undefined) return known;
  const control = new Control(target);
  controls.set(target.config, control);
  return control;
}
