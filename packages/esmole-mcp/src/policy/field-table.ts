import { type ColumnAction, findStrictest } from '@dbmole/core';
import { covers } from '../guard/index-names.ts';
import type { IndexFields } from './index-fields.ts';

/** The protected fields of the indices that one request reads. */
export class FieldTable {
  readonly #indices: ReadonlyMap<string, IndexFields>;
  readonly strict: boolean;

  constructor(indices: ReadonlyMap<string, IndexFields>, strict: boolean) {
    this.#indices = indices;
    this.strict = strict;
  }

  get isEmpty(): boolean {
    return this.#indices.size === 0;
  }

  /** A field of a mapping, which is shown where all fields are. */
  get mapsProtected(): boolean {
    return [...this.#indices.values()].some(({ protectedNames }) => protectedNames.size > 0);
  }

  /** The same, or one that only the documents have. */
  get hasProtected(): boolean {
    return this.mapsProtected || [...this.#indices.values()].some(({ hidesProtected }) => hidesProtected);
  }

  /** Whether a name is one of an index, an alias or a data stream. */
  knows(name: string): boolean {
    return [...this.#indices.values()].some((fields) => fields.isCalled(name));
  }

  /** Whether what is at the path of a document is protected, or holds something that is. */
  isProtectedAt(path: string): boolean {
    return this.findNamed(path) !== undefined || [...this.#indices.values()].some((fields) => fields.mayHold(path));
  }

  has(index: string): boolean {
    return this.#indices.has(index);
  }

  /** The strictest action of all indices, or of the one that is named, for an object and all that is in it. */
  find(path: string, index?: string): ColumnAction | undefined {
    return findStrictest(this.#choose(index).map((fields) => fields.find(path)));
  }

  /** The same for the values of exactly this field. */
  findValues(path: string, index?: string): ColumnAction | undefined {
    return findStrictest(this.#choose(index).map((fields) => fields.findValues(path)));
  }

  #choose(index: string | undefined): readonly IndexFields[] {
    const one = index === undefined ? undefined : this.#indices.get(index);
    return one === undefined ? [...this.#indices.values()] : [one];
  }

  /** What is protected of the fields that a text may name: a name, or a pattern with `*`. */
  findNamed(text: string): ColumnAction | undefined {
    const name = text.replace(/\^[\d.]+$/, '');
    if (!name.includes('*')) return this.findValues(name);
    const names = [...this.#indices.values()].flatMap(({ protectedNames }) => [...protectedNames]);
    return findStrictest(names.filter((one) => covers(name, one)).map((one) => this.findValues(one)));
  }

  with(more: FieldTable): FieldTable {
    return new FieldTable(new Map([...this.#indices, ...more.#indices]), this.strict);
  }
}
