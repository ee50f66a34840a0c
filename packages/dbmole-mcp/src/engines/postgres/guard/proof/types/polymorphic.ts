import type { StatementNames } from '../../tree/names.ts';
import type { Body } from '../bodies/bodies.ts';
import { anyTypes, catalogs, firstUserOid, formatFound } from '../catalog/describe-sql.ts';
import { fillers, textCasts } from './uses.ts';

/** `anyelement`, `anycompatiblearray`, …; a variable of PL/pgSQL changes the fields of a record by their types. */
const anyType = /^(?:any\w+|record)$/;
/** Functions that return what they were given. */
const passing = new Set(['array_agg', 'unnest']);

export function takesAnyType(parameters: Body['parameters']): boolean {
  return parameters.some(({ type }) => anyType.test(type));
}

/**
 * Whether it can make a value of its argument's type, which is known only when it is called.
 */
export function makesAnyType(
  { parameters, language }: Pick<Body, 'parameters' | 'language'>,
  statements: readonly StatementNames[],
): boolean {
  if (!takesAnyType(parameters)) return false;
  return language !== 'sql' || statements.length === 0 || !statements.every(isPassing);
}

function isPassing({ functions, operators, types, records, untyped, hasConstants }: StatementNames): boolean {
  const isCast = types.length > 0 || records.casts.size > 0 || records.operands.has('');
  if (untyped !== undefined || hasConstants || operators.length > 0 || isCast) return false;
  return functions.every(({ schema, name }) => (schema === undefined || schema === 'pg_catalog') && passing.has(name));
}

const makers = [...fillers, ...textCasts].join(',');

/**
 * Aggregates that begin with a text, which becomes a value of the type of what they are given; and by other names, what of the server
 * makes such values: its functions with several arguments of one type, those that fill rows, and those that cast to text.
 */
export const valueMakers = formatFound(`
  with maker as (
    select p.oid, p.prosrc from pg_catalog.pg_proc p where p.proname = any ('{${makers}}'::pg_catalog.name[])
  ), builtin as (
    select oid, prosrc from maker
    union select p.oid, p.prosrc from pg_catalog.pg_proc p
    where p.oid < ${firstUserOid} and ((select pg_catalog.count(*) from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]) a (oid)
        join pg_catalog.pg_type t on t.oid = a.oid and ${anyTypes('t')}) > 1)
  ), found (class, oid, via_class, via, how, detail) as (
    select ${catalogs.function}, a.aggfnoid::pg_catalog.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_aggregate a join pg_catalog.pg_type t on ${anyTypes('t')} and (
      (a.agginitval is not null and t.oid = a.aggtranstype) or (a.aggminitval is not null and t.oid = a.aggmtranstype))
    where a.aggfnoid::pg_catalog.oid >= ${firstUserOid}
    union all
    select ${catalogs.operator}, o.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_operator o join builtin b on b.oid = o.oprcode::pg_catalog.oid where o.oid >= ${firstUserOid} and o.oprname <> '#='
    union all
    select ${catalogs.cast}, c.oid, 0, 0, 'makes', '' from pg_catalog.pg_cast c join maker m on m.oid = c.castfunc
    union all
    select ${catalogs.function}, a.aggfnoid::pg_catalog.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_aggregate a join maker m on m.oid in (a.aggtransfn, a.aggfinalfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
    union all
    select ${catalogs.function}, p.oid, 0, 0, 'makes', ''
    from pg_catalog.pg_proc p join builtin b on b.prosrc = p.prosrc where p.oid >= ${firstUserOid} and p.prolang = 12
  )`);
