import type { BaseConnection } from '../../connection.ts';
import type { Registry, Resolved } from '../entry.ts';
import { canonical } from '../tree.ts';
import type { SecretUse } from './secret-memory.ts';

interface RenewalOptions<C extends BaseConnection> {
  registry: Pick<Registry<C>, 'resolve'>;
  /** Whether a secret was refused, rather than anything else being wrong. */
  isRefusal(error: unknown): boolean;
}

/**
 * Handles a password that was changed while an old one was still in memory. When an opening is refused, the secrets that programs
 * gave are read again; if they have changed, it is retried once with them. A wrong password is never sent twice.
 */
export class SecretRenewal<C extends BaseConnection> {
  readonly #options: RenewalOptions<C>;
  /** What each configuration that was handed out was made of. */
  readonly #resolved = new WeakMap<C, Resolved<C>>();

  constructor(options: RenewalOptions<C>) {
    this.#options = options;
  }

  /** Replaces the registry's own. */
  async resolve(name?: string, signal?: AbortSignal): Promise<Resolved<C>> {
    const resolved = await this.#options.registry.resolve(name, signal);
    this.#resolved.set(resolved.config, resolved);
    return resolved;
  }

  /** Opens something with a configuration that `resolve` gave; `isOld` says that a secret in it was not read for this. */
  async open<T>(config: C, work: (config: C, isOld: boolean) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work(config, this.#isOld(config));
    } catch (error) {
      const renewed = this.#isRefused(config, error) ? await this.#renew(config, signal) : undefined;
      if (renewed === undefined) throw error;
      return await this.#openAgain(renewed, work);
    }
  }

  async #openAgain<T>(config: C, work: (config: C, isOld: boolean) => Promise<T>): Promise<T> {
    try {
      return await work(config, false);
    } catch (error) {
      this.#isRefused(config, error);
      throw error;
    }
  }

  /** Whether an old secret may be why. Whatever was refused, the next call reads it again. */
  #isRefused(config: C, error: unknown): boolean {
    if (!this.#options.isRefusal(error)) return false;
    for (const use of this.#usesIn(config)) use.forget();
    return this.#isOld(config);
  }

  #isOld(config: C): boolean {
    return this.#usesIn(config).some(({ fresh }) => !fresh);
  }

  #usesIn(config: C): readonly SecretUse[] {
    return this.#resolved.get(config)?.uses ?? [];
  }

  /** Undefined when nothing else came out, or it is another connection by now. */
  async #renew(config: C, signal: AbortSignal): Promise<C | undefined> {
    const before = this.#resolved.get(config);
    const { config: after, version } = await this.resolve(config.name, signal);
    return version === before?.version && canonical(after) !== canonical(config) ? after : undefined;
  }
}
