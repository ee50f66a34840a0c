import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { changeFile } from '../files/change-file.ts';
import { isWritableByOthers, readSmallFile } from '../files/read-file.ts';
import { isFields, parseJson } from '../registry/tree.ts';
import { questionMs } from './person.ts';
import type { Counts } from './request-state.ts';

/** A call that waits for a person who confirms it in a terminal. */
export interface PendingCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The working directory of the server, on which its connections depend. */
  readonly cwd: string;
  /** The change in a few words. */
  readonly summary: string;
  /** What was measured; absent where nothing could be. */
  readonly counts?: Counts;
  readonly expiresAt: number;
}

/** Older ones make room: a model that repeats a call must not fill the disk. */
const maxPending = 20;
const maxFileBytes = 16 * 1024 * 1024;
/** No letters and digits that are mistaken for each other. */
const idLetters = 'abcdefghjkmnpqrstuvwxyz23456789';
const idLength = 6;

/** Calls that wait, in a file for its owner only. An entry is removed when it is taken or has expired. */
export class PendingStore {
  readonly #path: string;
  readonly #now: () => number;

  constructor(stateFolder: string, now: () => number = Date.now) {
    this.#path = join(stateFolder, 'approvals.json');
    this.#now = now;
  }

  list(): readonly PendingCall[] {
    const image = readSmallFile(this.#path, { maxBytes: maxFileBytes });
    // What another user could have written may be that user's statement.
    return image === undefined || isWritableByOthers(image) ? [] : this.#parse(image.bytes);
  }

  async add(call: Omit<PendingCall, 'id' | 'expiresAt'>): Promise<PendingCall> {
    const added = { ...call, id: createId(), expiresAt: this.#now() + questionMs };
    await this.#change((calls) => [...calls, added].slice(-maxPending));
    return added;
  }

  /** True for the one that takes it; it is gone then. */
  async take(id: string): Promise<boolean> {
    let isTaken = false;
    await this.#change((calls) => {
      isTaken = calls.some((call) => call.id === id);
      return calls.filter((call) => call.id !== id);
    });
    return isTaken;
  }

  async #change(edit: (calls: readonly PendingCall[]) => readonly PendingCall[]): Promise<void> {
    await changeFile({
      path: this.#path,
      edit: (image) => {
        const calls = image === undefined || isWritableByOthers(image) ? [] : this.#parse(image.bytes);
        return `${JSON.stringify(edit(calls))}\n`;
      },
    });
  }

  #parse(bytes: Buffer): readonly PendingCall[] {
    const list = parseJson(bytes.toString('utf8'));
    const now = this.#now();
    return Array.isArray(list) ? list.filter(isPending).filter(({ expiresAt }) => expiresAt > now) : [];
  }
}

function isPending(value: unknown): value is PendingCall {
  if (!isFields(value) || !isFields(value.args) || typeof value.expiresAt !== 'number') return false;
  return [value.id, value.tool, value.cwd, value.summary].every((text) => typeof text === 'string');
}

function createId(): string {
  return Array.from({ length: idLength }, () => idLetters[randomInt(idLetters.length)]).join('');
}
