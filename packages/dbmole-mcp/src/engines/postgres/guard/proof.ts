import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import type { Trust } from '../../../guard/trust.ts';
import type { StatementNames } from './names.ts';
import type { Parser } from './parser.ts';
import { withGuardErrors } from './proof/catalog-errors.ts';
import { openProof, type Proof } from './proof/load.ts';
import { SharedLoad } from './shared-load.ts';

/** The catalog of one database, as far as reads depend on it. */
export class CatalogProof {
  readonly #openParser: () => Promise<Parser>;
  readonly #trust: Trust | undefined;
  #loads: SharedLoad<Proof> | undefined;
  #known: Proof | undefined;

  constructor(openParser: () => Promise<Parser>, trust?: Trust) {
    this.#openParser = openParser;
    this.#trust = trust;
  }

  /**
   * Gives the premise: an accepted statement runs only while it holds. A refused one never gets there, so the premise is checked
   * before a refusal that may rest on an outdated catalog.
   */
  async check(names: StatementNames, run: CatalogQuestion): Promise<string> {
    const ask = withGuardErrors(run);
    const known = await this.#load(ask);
    try {
      await known.check.check(names, ask);
      return known.premise;
    } catch (error) {
      if (known.check.isBroken) this.#forget(known);
      else if ((await ask(`select ${known.premise}`))[0]?.[0] === 't') throw error;
    }
    this.#forget(known);
    const { check, premise } = await this.#load(ask);
    await check.check(names, ask);
    return premise;
  }

  /** Another call may have forgotten it already, and loaded a newer one. */
  #forget(known: Proof): void {
    if (this.#known === known) this.forget();
  }

  forget(): void {
    this.#loads = undefined;
    this.#known = undefined;
  }

  async #load(run: CatalogQuestion): Promise<Proof> {
    this.#loads ??= new SharedLoad(async (ask) => openProof(ask, await this.#openParser(), this.#trust));
    this.#known = await this.#loads.get(run);
    return this.#known;
  }
}
