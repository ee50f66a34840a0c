import type { StatementNames } from '../names.ts';
import type { Body } from './bodies.ts';
import { catalogs, firstUserOid, formatFound } from './describe-sql.ts';
import { textCasts } from './uses.ts';

/** `anyelement`, `anycompatiblearray`, …; a variable of PL/pgSQL changes the fields of a record by their types. */
const anyType = /^(?:any\w+|record)$/;
/** Functions that give back what they were given. */
const passing = new Set(['array_agg', 'unnest']);

export function takesAnyType(parameters: Body['parameters']): boolean {
  return parameters.some(({ type }) => anyType.test(type));
}

/**
 * Whether it can make a value of the type of what it is given: its types are known only when it is called, and what it does with a
 * value looks the same for all of them.
 */
export function makesAnyType(
  { parameters, language }: Pick<Body, 'parameters' | 'language'>,
  statements: readonly StatementNames[],
): boolean {
  if (!takesAnyType(parameters)) return false;
  return language !== 'sql' || statements.length === 0 || !statements.every(isPassing);
}

function isPassing({ functions, operators, types, untyped, hasConstants }: StatementNames): boolean {
  if (untyped !== undefined || hasConstants || operators.length > 0 || types.length > 0) return false;
  return functions.every(({ schema, name }) => (schema === undefined || schema === 'pg_catalog') && passing.has(name));
}

/** What fills the row that it gets, or casts what it gets to text. */
const builtinMakers = [
  ...[
    'json_populate_record',
    'json_populate_recordset',
    'jsonb_populate_record',
    'jsonb_populate_recordset',
    'jsonb_populate_record_valid',
  ],
  ...textCasts,
];

const anyTypes = (name: string) =>
  `${name}.typtype operator(pg_catalog.=) 'p' and ${name}.typname operator(pg_catalog.~) '^any.'`;
const isOwn = (oid: string) => `${oid}::pg_catalog.oid operator(pg_catalog.>=) ${firstUserOid}::pg_catalog.oid`;

/**
 * Aggregates that begin with a text, which becomes a value of the type of what they are given; and by other names, what of the server
 * makes such values: its functions with several arguments of one type, and those that fill rows.
 */
export const beginnings = formatFound(`
  with builtin as (
    select p.oid, p.prosrc from pg_catalog.pg_proc p
    where p.oid operator(pg_catalog.<) ${firstUserOid}::pg_catalog.oid and (
      p.proname operator(pg_catalog.=) any ('{${builtinMakers.join(',')}}'::pg_catalog.name[])
      or (select pg_catalog.count(*) from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]) a (oid)
        join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) a.oid and ${anyTypes('t')}) operator(pg_catalog.>) 1)
  ), found (class, oid, via_class, via, how, detail) as (
    select ${catalogs.function}, a.aggfnoid::pg_catalog.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_aggregate a join pg_catalog.pg_type t on ${anyTypes('t')} and (
      (a.agginitval is not null and t.oid operator(pg_catalog.=) a.aggtranstype)
      or (a.aggminitval is not null and t.oid operator(pg_catalog.=) a.aggmtranstype))
    where ${isOwn('a.aggfnoid')}
    union all
    select ${catalogs.operator}, o.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_operator o join builtin b on b.oid operator(pg_catalog.=) o.oprcode::pg_catalog.oid where ${isOwn('o.oid')}
    union all
    select ${catalogs.function}, p.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid operator(pg_catalog.=) p.prolang
      join builtin b on b.prosrc operator(pg_catalog.=) p.prosrc
    where ${isOwn('p.oid')} and l.lanname operator(pg_catalog.=) 'internal'
  )`);
