import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { type ObjectName, quoteName, readCallee, readHasNative, readIsOfComponent } from './catalog.ts';
import { foldName } from './functions.ts';

/** Views and functions are looked at each time. That a name is neither is believed for so long. */
const ageMs = 10_000;
/** What a server has built in stays so as long as it runs. */
const builtInAgeMs = 600_000;
const mostNames = 20_000;

/** What a name was found to be: a table and no view, a view, or no function that anybody has made. */
type Kind = 'table' | 'view' | 'no routine';

/** What was found out of a server's objects a short while ago. */
export class KnownObjects {
  /** Until when it is believed. */
  readonly #names = new Map<string, number>();
  /** Functions that the server has built in, and until when that is believed. */
  readonly #builtIn = new Map<string, number>();
  /** Names that no native function has which was added to the server. */
  readonly #notAdded = new Map<string, number>();
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

  isKnownBuiltIn(call: string): boolean {
    return (this.#builtIn.get(call) ?? 0) > performance.now();
  }

  /** Whether the server itself has a function that is called so. It may be one of another server, or of another version. */
  async isBuiltIn(call: string, run: CatalogQuestion): Promise<boolean> {
    if (this.isKnownBuiltIn(call)) return true;
    const callee = await readCallee(call, run);
    const isMoved = callee === 'added' && (await isOfComponent(call, run));
    if (callee !== 'built in' && !isMoved) return false;
    this.#builtIn.set(call, performance.now() + (isMoved ? ageMs : builtInAgeMs));
    return true;
  }

  /** Whether a native function was added that is called so. The server takes it before any stored function of this name. */
  async isAdded(name: string, run: CatalogQuestion): Promise<boolean> {
    if ((this.#notAdded.get(name) ?? 0) > performance.now()) return false;
    if ((await readCallee(quoteName(name), run)) === 'added') return true;
    if (this.#notAdded.size >= mostNames) this.#notAdded.clear();
    this.#notAdded.set(name, performance.now() + ageMs);
    return false;
  }

  forget(): void {
    this.#names.clear();
    this.#builtIn.clear();
    this.#notAdded.clear();
    this.#native = undefined;
  }
}

/** Built into MySQL up to 9.5, and later for those who install the component that has them. */
const classicHashing: ReadonlySet<string> = new Set(['md5', 'sha', 'sha1']);

async function isOfComponent(call: string, run: CatalogQuestion): Promise<boolean> {
  const name = call.replaceAll('`', '').toLowerCase();
  return classicHashing.has(name) && (await readIsOfComponent(name, run));
}

/** The same for all names that the server may take for one another. */
export function foldedKeyOf({ schema, name }: ObjectName): string {
  return JSON.stringify([foldName(schema), foldName(name)]);
}

export function keyOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** Reading them resets counters; of the last one those that its averages per second are made of. */
const countersReset: ReadonlySet<string> = new Set([
  'INNODB_CMP_RESET',
  'INNODB_CMPMEM_RESET',
  'INNODB_CMP_PER_INDEX_RESET',
  'INNODB_BUFFER_POOL_STATS',
]);

export function resetsCounters({ schema, name }: ObjectName): boolean {
  return /^information_schema$/i.test(schema) && countersReset.has(name.toUpperCase());
}

/** They come with the server, and hold no views that anybody could have made. */
export function isSystemSchema(schema: string): boolean {
  return /^information_schema$/i.test(schema) || schema === 'performance_schema';
}
