import { createHash } from 'node:crypto';

/** More than a cluster keeps open at a time; the oldest are forgotten first. */
const maxIds = 5_000;

/** The ids of scrolls, points in time, cursors and async searches that a connection has seen in its own answers, as hashes. */
export class OpenedIds {
  readonly #hashes = new Set<string>();

  add(id: string): void {
    const hash = hashId(id);
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    const [oldest] = this.#hashes;
    if (this.#hashes.size > maxIds && oldest !== undefined) this.#hashes.delete(oldest);
  }

  has(id: string): boolean {
    return this.#hashes.has(hashId(id));
  }
}

function hashId(id: string): string {
  return createHash('sha256').update(id).digest('base64');
}
