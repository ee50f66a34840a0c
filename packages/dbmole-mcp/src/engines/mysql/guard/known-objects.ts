import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { type ObjectName, readHasNative } from './catalog.ts';

/** Views and functions are looked at each time. That a name is neither is believed for so long. */
const ageMs = 10_000;
const mostNames = 20_000;

/** What a name was found to be: a table and no view, or no function that anybody has made. */
type Kind = 'table' | 'no routine';

/** What was found out of a server's objects a short while ago. */
export class KnownObjects {
  /** Until when it is believed. */
  readonly #names = new Map<string, number>();
  #native: { value: boolean | undefined; until: number } | undefined;

  is(kind: Kind, name: ObjectName): boolean {
    return (this.#names.get(`${kind} ${keyOf(name)}`) ?? 0) > performance.now();
  }

  remember(kind: Kind, name: ObjectName): void {
    if (this.#names.size >= mostNames) this.#names.clear();
    this.#names.set(`${kind} ${keyOf(name)}`, performance.now() + ageMs);
  }

  /** Whether the server has native functions beside its own; undefined where the account may not see them. */
  async hasNative(maria: boolean, run: CatalogQuestion): Promise<boolean | undefined> {
    if (this.#native === undefined || this.#native.until < performance.now()) {
      this.#native = { value: await readHasNative(maria, run), until: performance.now() + ageMs };
    }
    return this.#native.value;
  }

  forget(): void {
    this.#names.clear();
    this.#native = undefined;
  }
}

export function keyOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** They come with the server, and hold no views that anybody could have made. */
export function isSystemSchema(schema: string): boolean {
  return /^information_schema$/i.test(schema) || schema === 'performance_schema';
}
