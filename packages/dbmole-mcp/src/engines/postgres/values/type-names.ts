import type { Column, Param } from '../../../engine.ts';
import type { Field } from '../wire/messages.ts';

/** The types that are the same in every server: name, OID, OID of the array. */
const builtIn: readonly (readonly [string, number, number?])[] = [
  ['boolean', 16, 1000],
  ['bytea', 17, 1001],
  ['"char"', 18, 1002],
  ['name', 19, 1003],
  ['bigint', 20, 1016],
  ['smallint', 21, 1005],
  ['int2vector', 22, 1006],
  ['integer', 23, 1007],
  ['regproc', 24, 1008],
  ['text', 25, 1009],
  ['oid', 26, 1028],
  ['tid', 27, 1010],
  ['xid', 28, 1011],
  ['cid', 29, 1012],
  ['oidvector', 30, 1013],
  ['json', 114, 199],
  ['xml', 142, 143],
  ['pg_node_tree', 194],
  ['point', 600, 1017],
  ['lseg', 601, 1018],
  ['path', 602, 1019],
  ['box', 603, 1020],
  ['polygon', 604, 1027],
  ['line', 628, 629],
  ['cidr', 650, 651],
  ['real', 700, 1021],
  ['double precision', 701, 1022],
  ['unknown', 705],
  ['circle', 718, 719],
  ['macaddr8', 774, 775],
  ['money', 790, 791],
  ['macaddr', 829, 1040],
  ['inet', 869, 1041],
  ['aclitem', 1033, 1034],
  ['character', 1042, 1014],
  ['character varying', 1043, 1015],
  ['date', 1082, 1182],
  ['time without time zone', 1083, 1183],
  ['timestamp without time zone', 1114, 1115],
  ['timestamp with time zone', 1184, 1185],
  ['interval', 1186, 1187],
  ['time with time zone', 1266, 1270],
  ['bit', 1560, 1561],
  ['bit varying', 1562, 1563],
  ['numeric', 1700, 1231],
  ['refcursor', 1790, 2201],
  ['regprocedure', 2202, 2207],
  ['regoper', 2203, 2208],
  ['regoperator', 2204, 2209],
  ['regclass', 2205, 2210],
  ['regtype', 2206, 2211],
  ['record', 2249, 2287],
  ['cstring', 2275, 1263],
  ['void', 2278],
  ['uuid', 2950, 2951],
  ['pg_lsn', 3220, 3221],
  ['tsvector', 3614, 3643],
  ['tsquery', 3615, 3645],
  ['regconfig', 3734, 3735],
  ['regdictionary', 3769, 3770],
  ['jsonb', 3802, 3807],
  ['int4range', 3904, 3905],
  ['numrange', 3906, 3907],
  ['tsrange', 3908, 3909],
  ['tstzrange', 3910, 3911],
  ['daterange', 3912, 3913],
  ['int8range', 3926, 3927],
  ['jsonpath', 4072, 4073],
  ['regnamespace', 4089, 4090],
  ['regrole', 4096, 4097],
  ['regcollation', 4191, 4192],
  ['int4multirange', 4451, 6150],
  ['nummultirange', 4532, 6151],
  ['tsmultirange', 4533, 6152],
  ['tstzmultirange', 4534, 6153],
  ['datemultirange', 4535, 6155],
  ['int8multirange', 4536, 6157],
  ['pg_snapshot', 5038, 5039],
  ['xid8', 5069, 271],
];

export const builtInTypes: ReadonlyMap<number, string> = new Map(
  builtIn.flatMap(([name, oid, array]) => [
    [oid, name] as const,
    ...(array === undefined ? [] : [[array, `${name}[]`] as const]),
  ]),
);

/** The types whose text depends on the session's time zone, and those that carry a zone. */
const zoned = new Set([1184, 1185, 1266, 1270, 3910, 3911, 4534, 6153]);

export function isZoned({ type }: Field): boolean {
  return zoned.has(type);
}

/** Formats as the server's `format_type` does. `others` has what this server and database add. */
function toColumn({ name, type, modifier }: Field, others: ReadonlyMap<number, string>): Column {
  const base = builtInTypes.get(type);
  if (base === undefined) return { name, type: others.get(type) ?? `oid:${type}` };
  return { name, type: modifier < 0 ? base : withModifier(base, formatModifier(base.replace('[]', ''), modifier)) };
}

/** `timestamp(3) without time zone`, `numeric(10,2)[]`. */
function withModifier(name: string, modifier: string): string {
  return name.replace(/^(?:time(?:stamp)?|.+?)(?= with|\[\]|$)/, (word) => word + modifier);
}

function formatModifier(name: string, modifier: number): string {
  if (name === 'numeric') return formatNumeric(modifier - 4);
  if (name === 'character' || name === 'character varying') return `(${modifier - 4})`;
  if (name === 'bit' || name === 'bit varying' || name.startsWith('time')) return `(${modifier})`;
  return name === 'interval' ? formatInterval(modifier) : '';
}

function formatNumeric(packed: number): string {
  // The scale has 11 bits and a sign.
  return `(${(packed >> 16) & 0xffff},${((packed & 0x7ff) ^ 1024) - 1024})`;
}

const intervalFields: ReadonlyMap<number, string> = new Map([
  [1 << 2, ' year'],
  [1 << 1, ' month'],
  [1 << 3, ' day'],
  [1 << 10, ' hour'],
  [1 << 11, ' minute'],
  [1 << 12, ' second'],
  [(1 << 2) | (1 << 1), ' year to month'],
  [(1 << 3) | (1 << 10), ' day to hour'],
  [(1 << 3) | (1 << 10) | (1 << 11), ' day to minute'],
  [(1 << 3) | (1 << 10) | (1 << 11) | (1 << 12), ' day to second'],
  [(1 << 10) | (1 << 11), ' hour to minute'],
  [(1 << 10) | (1 << 11) | (1 << 12), ' hour to second'],
  [(1 << 11) | (1 << 12), ' minute to second'],
]);

function formatInterval(modifier: number): string {
  const digits = modifier & 0xffff;
  return (intervalFields.get((modifier >> 16) & 0x7fff) ?? '') + (digits === 0xffff ? '' : `(${digits})`);
}

export interface Question {
  sql: string;
  params: readonly Param[];
}

const list = 'select t.oid, pg_catalog.format_type(t.oid, null) from pg_catalog.pg_type t';

/** The types that are read at the start: declared ones. Row types of tables would be as many as tables. */
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
    return field.origin === undefined ? column : { ...column, origin: field.origin };
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
