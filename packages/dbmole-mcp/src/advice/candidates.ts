import type { JoinKey, Key, OrderedKey, TableUse } from './resolve-shape.ts';
import type { IndexFacts, TableFacts } from './table-facts.ts';
import { minRows } from './table-facts.ts';

/** An index that does not exist yet. */
export interface Candidate {
  table: TableFacts;
  /** The keys as the engine writes them: columns and expressions, followed by an operator class or DESC. */
  keys: readonly string[];
  /** How many of the keys, from the left, are compared with single values, so that their order does not matter. */
  equalKeys: number;
  /** Columns that are only stored in it, so that the table need not be read. */
  included: readonly string[];
  /** `inverted`: for what is inside of documents, arrays and texts. */
  kind: 'ordered' | 'inverted';
  /** Part of the rows that a search by its keys leaves, as far as statistics tell. */
  fraction: number;
  /** The table that a join searches it for, by its alias. */
  partner: string | undefined;
  /** It serves one arm of an OR, which needs an index for each. */
  isArm: boolean;
}

/** How an engine writes the key of an index. */
export interface KeyWriter {
  format(key: Key): string | undefined;
  /** The key of an index for LIKE with a wildcard in front; undefined where the engine has no such index. */
  formatInfix(key: Key): string | undefined;
  /** What would make one possible. */
  withoutInfix: string | undefined;
  /** Whether an index can store columns that it is not searched by. */
  stores: boolean;
  /** Whether the inverted kind exists. */
  inverts: boolean;
}

const maxEqual = 3;
const maxKeys = 4;
const maxIncluded = 4;
/** An index with wider rows is like a second table. */
const maxIncludedWidth = 64;
/** For single values that occur in more of a table, an index with further columns would be a second table. */
const maxCoveredFraction = 0.05;
const maxCandidates = 14;

interface Candidates {
  /** The most likely one first. */
  fresh: readonly Candidate[];
  /** Whether existing indexes make some of them unnecessary. */
  areCovered: boolean;
}

/** Indexes that the statement could use and that do not exist. */
export function listCandidates(uses: readonly TableUse[], writer: KeyWriter): Candidates {
  const all = uses.filter(({ table }) => table.rows >= minRows).flatMap((use) => new UseCandidates(use, writer).list());
  const fresh = new Map<string, Candidate>();
  for (const candidate of all.filter((one) => !isCovered(one))) {
    const known = fresh.get(identify(candidate));
    if (known === undefined || candidate.fraction < known.fraction) fresh.set(identify(candidate), candidate);
  }
  return { fresh: [...fresh.values()].slice(0, maxCandidates), areCovered: all.length > 0 };
}

export function identify({ table, keys, included, kind }: Candidate): string {
  return `${table.id} ${kind} ${keys.join(', ')} / ${included.join(', ')}`;
}

class UseCandidates {
  readonly #use: TableUse;
  readonly #writer: KeyWriter;

  constructor(use: TableUse, writer: KeyWriter) {
    this.#use = use;
    this.#writer = writer;
  }

  list(): Candidate[] {
    const { range, prefix, joins, order, choices } = this.#use;
    const equal = this.#equalKeys();
    const searched = [
      ...[...prefix, ...range].slice(0, 2).map((key) => this.#make(equal, [key])),
      ...(equal.length > 0 ? [this.#make(equal, [])] : []),
      ...(order.length > 0 ? [this.#make(equal, [], order)] : []),
      ...this.#joinLists(joins).flatMap((keys) => this.#joined(keys, equal)),
      ...equal.slice(1).map((key) => this.#make([key], [])),
      ...(equal.length > 0 ? range.slice(0, 1).map((key) => this.#make([], [key])) : []),
    ].filter((candidate) => candidate !== undefined);
    const arms = choices.flatMap(({ keys }) => keys.flatMap((key) => this.#make([], [key]) ?? []));
    searched.push(...arms.map((arm) => ({ ...arm, isArm: true })));
    return [...searched, ...searched.flatMap((candidate) => this.#cover(candidate)), ...this.#inverted()];
  }

  /** The most selective first: it serves other statements as well. */
  #equalKeys(): Key[] {
    return this.#use.equal.toSorted((a, b) => a.fraction - b.fraction).slice(0, maxEqual);
  }

  /** One list for each table on the other side. */
  #joinLists(joins: readonly JoinKey[]): JoinKey[][] {
    const lists = new Map<string | undefined, JoinKey[]>();
    for (const key of joins) lists.set(key.partner, [...(lists.get(key.partner) ?? []), key]);
    return [...lists.values()];
  }

  #joined(keys: readonly JoinKey[], equal: readonly Key[]): (Candidate | undefined)[] {
    const partner = keys[0]?.partner;
    const { range, order } = this.#use;
    return [
      this.#make(keys, [], [], partner),
      ...(order.length > 0 ? [this.#make(keys, [], order, partner)] : []),
      ...(equal.length > 0 ? [this.#make([...keys, ...equal], [], [], partner)] : []),
      ...range.slice(0, 1).map((key) => this.#make(keys, [key], [], partner)),
    ];
  }

  #make(
    equal: readonly Key[],
    range: readonly Key[],
    order: readonly OrderedKey[] = [],
    partner?: string | undefined,
  ): Candidate | undefined {
    const { table } = this.#use;
    const format = (key: Key) => (key.column.kind === 'plain' || key.expression ? this.#writer.format(key) : undefined);
    const equalTexts = equal.map(format);
    const rangeTexts = range.map((key) => {
      const text = format(key);
      return text === undefined || !key.isPrefix || key.column.prefixClass === '' ? text : `${text} ${key.column.prefixClass}`;
    });
    const isMixed = new Set(order.map(({ descending }) => descending)).size > 1;
    const orderTexts = order.map((key) => {
      const text = format(key);
      return text === undefined || !isMixed || !key.descending ? text : `${text} DESC`;
    });
    const texts = [...new Set([...equalTexts, ...rangeTexts, ...orderTexts])];
    const keys = texts.filter((text) => text !== undefined).slice(0, maxKeys);
    if (keys.length === 0 || texts.includes(undefined)) return undefined;
    const fraction = [...equal, ...range].reduce((all, key) => all * key.fraction, 1);
    return {
      table,
      keys,
      equalKeys: new Set(equalTexts).size,
      included: [],
      kind: 'ordered',
      fraction: Math.max(fraction, 1 / table.rows),
      partner,
      isArm: false,
    };
  }

  /** The same with the other columns that the statement needs, where they are few and short. */
  #cover(candidate: Candidate): Candidate[] {
    const { used } = this.#use;
    if (used === undefined || !this.#writer.stores || isCovered(candidate)) return [];
    if (candidate.equalKeys === candidate.keys.length && candidate.fraction > maxCoveredFraction) return [];
    const others = [...new Set(used)].filter(({ label }) => !candidate.keys.includes(label));
    const width = others.reduce((sum, column) => sum + column.width, 0);
    if (others.length === 0 || others.length > maxIncluded || width > maxIncludedWidth) return [];
    return [{ ...candidate, included: others.map(({ label }) => label) }];
  }

  #inverted(): Candidate[] {
    if (!this.#writer.inverts) return [];
    const { table, contains, infix } = this.#use;
    const documents = contains.filter(({ column, expression }) => column.kind === 'document' && expression === undefined);
    const keys = new Map([
      ...documents.map(({ column, fraction }) => [column.label, fraction] as const),
      ...infix.flatMap((key) => {
        const text = this.#writer.formatInfix(key);
        return text === undefined ? [] : [[text, key.fraction] as const];
      }),
    ]);
    return [...keys].map(([text, fraction]) => ({
      table,
      keys: [text],
      equalKeys: 1,
      included: [],
      kind: 'inverted',
      fraction,
      partner: undefined,
      isArm: false,
    }));
  }
}

/** Whether an existing index is searched in the same way and has everything that this one would have. */
function isCovered(candidate: Candidate): boolean {
  return candidate.table.indexes.some((index) => covers(index, candidate));
}

function covers(index: IndexFacts, { keys, equalKeys, included, kind }: Candidate): boolean {
  if (kind === 'inverted') return !index.isOrdered && index.keys.some((key) => keys.map(readColumn).includes(readColumn(key)));
  if (!index.isOrdered || included.some((column) => !index.keys.includes(column) && !index.included.includes(column)))
    return false;
  const equal = keys.slice(0, equalKeys);
  // Whatever comes after them, they find one row.
  if (index.unique && index.keys.every((key) => equal.includes(key))) return true;
  const first = index.keys.slice(0, equalKeys);
  const isSameSearch = equal.every((key) => first.some((one) => one === key || one.startsWith(`${key} `)));
  return isSameSearch && keys.slice(equalKeys).every((key, i) => sameOrder(index.keys[equalKeys + i], key));
}

/** Removes the operator class. */
function readColumn(key: string): string {
  return key.endsWith('_ops') ? key.slice(0, key.lastIndexOf(' ')) : key;
}

/** An index can be read backwards. */
function sameOrder(existing: string | undefined, wanted: string): boolean {
  return existing === wanted || existing === `${wanted} DESC`;
}

/** Whether the first index, once it is there, serves every search of the second. */
export function replaces(one: Candidate, other: Candidate): boolean {
  if (one.table.id !== other.table.id || one.kind !== 'ordered' || other.kind !== 'ordered') return false;
  return covers({ label: '', keys: one.keys, included: one.included, unique: false, isOrdered: true }, other);
}

/** Whether an index that exists is the beginning of the new one. */
export function makesRedundant({ keys, kind }: Candidate, index: IndexFacts): boolean {
  if (kind !== 'ordered' || !index.isOrdered || index.unique || index.included.length > 0) return false;
  return index.keys.length <= keys.length && index.keys.every((key, i) => key === keys[i]);
}
