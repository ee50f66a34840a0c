import { mergeTaints, type Taint, unknownTaint } from '../../../../../policy/taint.ts';
import type { Tree } from '../storage.ts';
import type { Instruction, Program } from './instruction.ts';
import { isSameParts, mergeParts, type Part, type Value } from './value.ts';

/** What the cursors of a program are opened on. A number that is opened on several things counts as all of them. */
export class Cursors {
  readonly #trees = new Map<number, (Tree | undefined)[]>();
  readonly #keys = new Map<number, number>();
  readonly #pseudo = new Map<number, number>();
  readonly #copies = new Map<number, number>();
  readonly #virtual = new Set<number>();
  readonly #written = new Set<number>();
  /** The columns that the program put into its own tables. */
  readonly #parts = new Map<number, readonly Part[]>();
  readonly #rowids = new Map<number, Taint>();
  readonly #arguments = new Map<number, Taint>();
  readonly #table: (column: number) => Part;

  /** `virtual` is the taint of a column of the virtual tables that the statement can reach. */
  constructor(program: Program, trees: ReadonlyMap<number, Tree>, virtual: (column: number) => Part) {
    this.#table = virtual;
    for (const one of program) this.#open(one, trees);
  }

  #open({ op, p1, p2, p3, p4, p5 }: Instruction, trees: ReadonlyMap<number, Tree>): void {
    if (op === 'OpenRead' || op === 'OpenWrite' || op === 'ReopenIdx') {
      // The root page of a table that the statement itself creates is in a register.
      const tree = (p5 & rootInRegister) === 0 && p3 === 0 ? trees.get(p2) : undefined;
      this.#trees.set(p1, [...this.trees(p1), tree]);
      if (op === 'OpenWrite') this.#written.add(p1);
    } else if (op === 'OpenEphemeral' || op === 'OpenAutoindex' || op === 'SorterOpen') {
      const size = Number(/^k\((\d+)/.exec(p4)?.[1] ?? 0);
      this.#keys.set(p1, Math.max(size, this.#keys.get(p1) ?? 0));
    } else if (op === 'OpenPseudo') this.#pseudo.set(p1, p2);
    else if (op === 'OpenDup') this.#copies.set(p1, p2);
    else if (op === 'VOpen') this.#virtual.add(p1);
  }

  /** It may be there to keep the keys of a table apart. */
  isWritten(cursor: number): boolean {
    return this.#written.has(cursor);
  }

  /** The tables and indexes of the file; undefined for one that is not known. */
  trees(cursor: number): readonly (Tree | undefined)[] {
    return this.#trees.get(cursor) ?? [];
  }

  isOwn(cursor: number): boolean {
    return this.#keys.has(cursor) || this.#copies.has(cursor);
  }

  /** The leading columns of an own table by which it is ordered. */
  keyParts(cursor: number, parts: readonly Part[]): readonly Part[] {
    return parts.slice(0, this.#keys.get(this.#find(cursor)) ?? 0);
  }

  column(cursor: number, column: number, read: (register: number) => Value | undefined): Part {
    const register = this.#pseudo.get(cursor);
    const value = register === undefined ? undefined : read(register);
    const found = value?.parts === undefined ? value?.taint : value.parts[column];
    const trees = this.trees(cursor).map((tree) => (tree === undefined ? unknownTaint : tree.columns[column]));
    const isKnown = register !== undefined || trees.length > 0 || this.isOwn(cursor) || this.#virtual.has(cursor);
    const virtual = this.#virtual.has(cursor) ? [this.#table(column), this.#arguments.get(cursor)] : [];
    return mergeTaints(
      found,
      ...trees,
      this.#parts.get(this.#find(cursor))?.[column],
      ...virtual,
      isKnown ? undefined : unknownTaint,
    );
  }

  rowid(cursor: number): Part {
    const trees = this.trees(cursor).map((tree) => (tree === undefined ? unknownTaint : tree.rowid));
    return mergeTaints(...trees, this.#rowids.get(this.#find(cursor)), this.#arguments.get(cursor));
  }

  /** All columns, as they are in a copy of the row. */
  row(cursor: number): readonly Part[] {
    const trees = this.trees(cursor).map((tree) => tree?.columns ?? [unknownTaint]);
    return [...trees, this.#parts.get(this.#find(cursor)) ?? []].reduce(mergeParts, []);
  }

  /** Adds a row to an own table; true if that was not known. */
  store(cursor: number, parts: readonly Part[], rowid?: Part): boolean {
    const at = this.#find(cursor);
    const known = this.#parts.get(at) ?? [];
    const merged = mergeParts(known, parts);
    const key = mergeTaints(this.#rowids.get(at), rowid);
    const isKnown = isSameParts(known, merged) && key?.action === this.#rowids.get(at)?.action;
    this.#parts.set(at, merged);
    if (key !== undefined) this.#rowids.set(at, key);
    return !isKnown;
  }

  /** Adds what a table function was called with. */
  pass(cursor: number, taint: Part): boolean {
    const known = this.#arguments.get(cursor);
    const merged = mergeTaints(known, taint);
    if (merged !== undefined) this.#arguments.set(cursor, merged);
    return known?.action !== merged?.action || known?.labels.length !== merged?.labels.length;
  }

  #find(cursor: number): number {
    return this.#copies.get(cursor) ?? cursor;
  }
}

const rootInRegister = 0x10;
