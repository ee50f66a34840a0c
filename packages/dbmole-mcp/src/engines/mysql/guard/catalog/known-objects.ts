import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { foldName } from '../judge-call.ts';
import { notARead } from '../refuse.ts';
import { type ObjectName, quoteName, readCallee, readHasNative, readIsOfComponent } from './guard-queries.ts';

/** How long a name counts as one that is neither a view nor a function. Views and functions are read each time. */
const ageMs = 10_000;
/** Built-in functions stay the same while the server runs. */
const builtInAgeMs = 600_000;
const maxNames = 20_000;

/** What a name was found to be: a table, a view, or not a stored routine. */
type Kind = 'table' | 'view' | 'no routine';

/** Caches what was recently found about a server's objects. */
export class KnownObjects {
  /** The expiry of each entry. */
  readonly #names = new Map<string, number>();
  /** The expiry of each function that the server has built in. */
  readonly #builtIn = new Map<string, number>();
  /** The expiry of each name that no added native function has. */
  readonly #notAdded = new Map<string, number>();
  #native: { value: boolean | undefined; until: number } | undefined;

  is(kind: Kind, name: ObjectName): boolean {
    return (this.#names.get(`${kind} ${toKey(name)}`) ?? 0) > performance.now();
  }

  remember(kind: Kind, name: ObjectName): void {
    if (this.#names.size >= maxNames) this.#names.clear();
    this.#names.set(`${kind} ${toKey(name)}`, performance.now() + ageMs);
  }

  /** Whether native functions were added to the server; undefined where the account may not see them. */
  async hasNative(maria: boolean, run: CatalogQuestion): Promise<boolean | undefined> {
    if (this.#native === undefined || this.#native.until < performance.now()) {
      this.#native = { value: await readHasNative(maria, run), until: performance.now() + ageMs };
    }
    return this.#native.value;
  }

  isKnownBuiltIn(call: string): boolean {
    return (this.#builtIn.get(call) ?? 0) > performance.now();
  }

  /** Whether this server has the function built in. The name may be that of another product or version. */
  async isBuiltIn(call: string, run: CatalogQuestion): Promise<boolean> {
    if (this.isKnownBuiltIn(call)) return true;
    const callee = await readCallee(call, run);
    const isMoved = callee === 'added' && (await isOfComponent(call, run));
    if (callee !== 'built in' && !isMoved) return false;
    this.#builtIn.set(call, performance.now() + (isMoved ? ageMs : builtInAgeMs));
    return true;
  }

  /** Whether a native function of this name was added. The server prefers it to a stored function of the same name. */
  async isAdded(name: string, run: CatalogQuestion): Promise<boolean> {
    if ((this.#notAdded.get(name) ?? 0) > performance.now()) return false;
    if ((await readCallee(quoteName(name), run)) === 'added') return true;
    if (this.#notAdded.size >= maxNames) this.#notAdded.clear();
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

/** Functions built into MySQL up to 9.5; later versions have them in a component. */
const classicHashing: ReadonlySet<string> = new Set(['md5', 'sha', 'sha1']);

async function isOfComponent(call: string, run: CatalogQuestion): Promise<boolean> {
  const name = call.replaceAll('`', '').toLowerCase();
  return classicHashing.has(name) && (await readIsOfComponent(name, run));
}

/** A key that is equal for all names that the server may treat as equal. */
export function toFoldedKey({ schema, name }: ObjectName): string {
  return JSON.stringify([foldName(schema), foldName(name)]);
}

export function toKey({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** Tables that reset their counters when they are read; the last one resets those of its averages per second. */
const countersReset: ReadonlySet<string> = new Set([
  'INNODB_CMP_RESET',
  'INNODB_CMPMEM_RESET',
  'INNODB_CMP_PER_INDEX_RESET',
  'INNODB_BUFFER_POOL_STATS',
]);

export function resetsCounters({ schema, name }: ObjectName): boolean {
  return foldName(schema) === 'INFORMATION_SCHEMA' && countersReset.has(foldName(name));
}

export function refuseReset(name: string): never {
  throw notARead({
    message: `reading ${name} resets its counters`,
    hint: foldName(name).endsWith('_RESET')
      ? 'Read the table without _RESET in its name; it has the same rows.'
      : "Use SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool%' for the totals.",
    at: 0,
  });
}

/** Whether the schema comes with the server and cannot hold views of users. */
export function isSystemSchema(schema: string): boolean {
  return /^information_schema$/i.test(schema) || schema === 'performance_schema';
}

/**
 * Refuses tables of MariaDB's CONNECT engine that do more than read. Such a table may use other servers, web addresses and libraries,
 * and with EXECSRC it runs the text of a condition. Tables over files are reads; others only if they name a table.
 */
export function refuseOptions(options: string): void {
  if (options.length >= maxShown) throw notARead({ message: 'it has more options than the server shows', at: 0 });
  const outward = /\b(execsrc|srcdef|http|uri|module|subtype|query_string|wrapper|driver)\b/i.exec(options);
  if (outward !== null) throw notARead({ message: `its option ${outward[0].toUpperCase()} can do more than read`, at: 0 });
  // The type may also be in the list of options.
  const types = [...options.matchAll(/\b(?:table_type|type\s*=)\W*(\w+)/gi)].map(([, type = '']) => type.toUpperCase());
  // This is the default of the engine.
  if (types.length === 0 && /\btabname\b/i.test(options)) types.push('PRX');
  const type = types.find((one) => !readingTypes.has(one));
  if (type !== undefined) throw notARead({ message: `its type ${type} is not known to be safe to read`, at: 0 });
}

/** The server truncates the options a little above this length. */
const maxShown = 2_000;

const readingTypes: ReadonlySet<string> = new Set(
  'DOS FIX BIN DBF CSV FMT VEC INI XML JSON BSON DIR VIR ZIP MYSQL ODBC JDBC'.split(' '),
);
