import type { Column, Param } from '../../../engine.ts';
import type { Field } from '../wire/messages.ts';
import { toColumn } from './type-names.ts';

export interface Question {
  sql: string;
  params: readonly Param[];
}

const list = 'select t.oid, pg_catalog.format_type(t.oid, null) from pg_catalog.pg_type t';

/** Asked at the start: declared types. Row types of tables would be as many as tables. */
export const declaredTypes: Question = {
  sql: `${list} where t.oid operator(pg_catalog.>=) 16384 and (t.typtype in ('e', 'r', 'm') or t.typtype = 'b' and t.typelem not in (
    select r.oid from pg_catalog.pg_type r where r.typtype = 'c')) limit 5000`,
  params: [],
};

/** The names of the types that a server has beyond those of every server. A type that was not known is known the next time. */
export class TypeCatalog {
  readonly #names = new Map<number, string>();
  readonly #missing = new Set<number>();

  readColumn(field: Field): Column {
    const column = toColumn(field, this.#names);
    if (column.type.startsWith('oid:')) this.#missing.add(field.type);
    return column;
  }

  learn(rows: readonly (readonly (string | null)[])[]): void {
    for (const [oid, name] of rows) if (oid && name) this.#names.set(Number(oid), name);
  }

  /** What there is to ask for, once. */
  takeQuestion(): Question | undefined {
    if (this.#missing.size === 0) return undefined;
    const oids = `{${[...this.#missing].join(',')}}`;
    this.#missing.clear();
    return { sql: `${list} where t.oid = any($1::pg_catalog.oid[])`, params: [oids] };
  }
}
