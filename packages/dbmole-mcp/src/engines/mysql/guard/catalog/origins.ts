import { Failure } from '@dbmole/core';
import type { CallUse } from '../judge-call.ts';
import { grammarOfMaria } from '../known-functions.ts';
import { notARead, tooComplex } from '../refuse.ts';
import type { TableUse, Uses } from '../text/find-uses.ts';
import { type ObjectName, quoteName, type ServerFacts } from './guard-queries.ts';
import { toFoldedKey, toKey } from './known-objects.ts';

/** How a statement reaches an object: the position of the first name, and the views and routines between. */
export interface Origin {
  at: number;
  via: string;
  /** Where a name without a database is looked for. */
  schema: string | undefined;
  /** A view or table is between, whose owner decides what it leads to. */
  isInside?: boolean;
}

export type Reached<T> = T & { origin: Origin };

/** What is looked at next. */
export interface Frontier {
  tables: Reached<TableUse>[];
  calls: Reached<CallUse>[];
}

export function findStart({ tables, calls }: Uses, database: string | undefined): Frontier {
  const start = (at: number, schema = database) => ({ at, via: '', schema });
  return {
    tables: tables.map((use) => ({ ...use, origin: start(use.at) })),
    calls: calls.map((use) => ({ ...use, origin: start(use.at, use.schema) })),
  };
}

/** Runs the work; a refusal in it names what led there and the position in the caller's statement. */
export async function within<T>(origin: Origin, what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
    const via = join(origin.via, what);
    const { message, next: hint } = error;
    if (error.code === 'E_TOO_COMPLEX') throw tooComplex(`${via} cannot be checked: ${message}`, origin.at);
    throw notARead({
      message: via === '' ? message : `${via} is not a read: ${message}`,
      ...(via === '' && hint !== undefined ? { hint } : {}),
      at: origin.at,
    });
  }
}

export function join(via: string, what: string): string {
  return [via, what].filter((part) => part !== '').join(' over ');
}

/** The objects that a call may mean: a function of the database or a package, as in `f`, `a.f`, `a.p.f`. */
export function listCandidates({ name, path, origin }: Reached<CallUse>, maria: boolean): ObjectName[] {
  const [first, second] = path;
  if (first === undefined) return origin.schema === undefined ? [] : [{ schema: origin.schema, name }];
  if (second !== undefined) return [{ schema: first, name: second }];
  const inPackage = maria && origin.schema !== undefined ? [{ schema: origin.schema, name: first }] : [];
  return [{ schema: first, name }, ...inPackage];
}

/** Whether the object comes with the server: no user can log in with these accounts. */
export function isSystemObject({ schema, definer }: ObjectName & { definer: string }): boolean {
  return /^(sys|mysql)$/.test(schema) && /^(mysql|mariadb)\.sys@localhost$/.test(definer);
}

/** Origins by the name that the server found, which may differ from the statement in case. */
export class Origins {
  readonly #origins = new Map<string, Origin>();

  constructor(names: Iterable<ObjectName & { origin: Origin }>) {
    for (const name of names) {
      const folded = toFoldedKey(name);
      if (!this.#origins.has(folded)) this.#origins.set(folded, name.origin);
      this.#origins.set(toKey(name), name.origin);
    }
  }

  of(name: ObjectName): Origin {
    return this.#origins.get(toKey(name)) ?? this.#origins.get(toFoldedKey(name)) ?? { at: 0, via: '', schema: undefined };
  }
}

/** Whether the server searches its built-in functions first. It does not for a name with a path. */
export function isNative(use: CallUse, { maria }: ServerFacts): boolean {
  return use.builtIn && use.path.length === 0 && !(maria && (use.splitOnMaria || grammarOfMaria.has(use.word)));
}

/** Formats the name for a statement that means the same in every mode. */
export function calledAs({ word, name }: CallUse): string {
  return word === '' ? quoteName(name) : word;
}
