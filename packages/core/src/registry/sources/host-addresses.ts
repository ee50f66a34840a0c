import { lookup } from 'node:dns/promises';
import { settlesWithin } from '../../abort.ts';
import { plainHost, resolvableName } from '../../local-host.ts';

/** All addresses of a name, as a connection to it would find them. */
type HostLookup = (host: string) => Promise<readonly string[]>;

const systemLookup: HostLookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

const defaultLookupMs = 2_000;
/** Connections that are being opened share the resolver's few threads. */
const atOnce = 2;

export interface LookupOptions {
  /** The system's resolver by default. */
  lookup?: HostLookup | undefined;
  /** The time for all names of one change. A name that does not resolve by then counts as written. */
  lookupMs?: number | undefined;
}

/**
 * Tells whether two hosts share an address. Comparing happens under the lock of the store and cannot wait for a resolver: it notes
 * the names that it does not know, and is repeated once `resolveMissing` has resolved them.
 */
export class HostAddresses {
  readonly #known = new Map<string, ReadonlySet<string>>();
  readonly #missing = new Set<string>();
  readonly #options: LookupOptions;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** Compares two results of `plainHost`. */
  isSame(a: string, b: string): boolean {
    if (a === b) return true;
    const [addresses, others] = [this.#addresses(a), this.#addresses(b)];
    return [...addresses].some((address) => others.has(address));
  }

  /** Whether every comparison so far knew the addresses of both hosts. */
  isComplete(): boolean {
    return this.#missing.size === 0;
  }

  async resolveMissing(): Promise<void> {
    const { lookup: find = systemLookup, lookupMs: ms = defaultLookupMs } = this.#options;
    const hosts = [...this.#missing];
    for (const host of hosts) this.#known.set(host, new Set([host]));
    this.#missing.clear();
    const resolveNext = async (): Promise<void> => {
      const host = hosts.shift();
      if (host === undefined) return;
      const addresses = await find(host).catch(() => []);
      this.#known.set(host, new Set([host, ...addresses.map(plainHost)]));
      await resolveNext();
    };
    await settlesWithin(Promise.all(Array.from({ length: atOnce }, resolveNext)), { ms, keepsAlive: false });
    hosts.length = 0;
  }

  #addresses(host: string): ReadonlySet<string> {
    const known = this.#known.get(host);
    if (known) return known;
    if (resolvableName(host) !== undefined) this.#missing.add(host);
    return new Set([host]);
  }
}
