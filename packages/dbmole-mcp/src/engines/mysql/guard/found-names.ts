import { type ObjectName, quoteName, type ServerFacts } from './catalog.ts';
import type { CallUse } from './functions.ts';
import { grammarOfMaria } from './known-functions.ts';
import { foldedKeyOf, keyOf } from './known-objects.ts';
import type { Origin, Reached } from './origin.ts';

/** A function of the database, or one of a package: `f`, `a.f`, `a.p.f`. */
export function candidatesOf({ name, path, origin }: Reached<CallUse>, maria: boolean): ObjectName[] {
  const [first, second] = path;
  if (first === undefined) return origin.schema === undefined ? [] : [{ schema: origin.schema, name }];
  if (second !== undefined) return [{ schema: first, name: second }];
  const inPackage = maria && origin.schema !== undefined ? [{ schema: origin.schema, name: first }] : [];
  return [{ schema: first, name }, ...inPackage];
}

/** Comes with the server: nobody can log in with these accounts. */
export function isSystemObject({ schema, definer }: ObjectName & { definer: string }): boolean {
  return /^(sys|mysql)$/.test(schema) && /^(mysql|mariadb)\.sys@localhost$/.test(definer);
}

/** Where names come from, by the name that the server found: it may be in other letters than the one in the statement. */
export class Origins {
  readonly #origins = new Map<string, Origin>();

  constructor(names: Iterable<ObjectName & { origin: Origin }>) {
    for (const name of names) {
      const folded = foldedKeyOf(name);
      if (!this.#origins.has(folded)) this.#origins.set(folded, name.origin);
      this.#origins.set(keyOf(name), name.origin);
    }
  }

  of(name: ObjectName): Origin {
    return this.#origins.get(keyOf(name)) ?? this.#origins.get(foldedKeyOf(name)) ?? { at: 0, via: '', schema: undefined };
  }
}

/** What the servers look for among the functions that they have built in before anything else. No path leads there. */
export function isNative(use: CallUse, { maria }: ServerFacts): boolean {
  return use.builtIn && use.path.length === 0 && !(maria && (use.splitOnMaria || grammarOfMaria.has(use.word)));
}

/** As it is written in a statement that is read in any mode. */
export function calledAs({ word, name }: CallUse): string {
  return word === '' ? quoteName(name) : word;
}
