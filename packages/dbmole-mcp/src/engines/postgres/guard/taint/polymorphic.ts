import type { Body } from './bodies.ts';
import { catalogs, firstUserOid, formatFound } from './describe-sql.ts';

/** `anyelement`, `anycompatiblearray`, …; a variable of PL/pgSQL changes the fields of a record by their types. */
const anyType = /^(?:any\w+|record)$/;
const nullTest = /\bis\s+(?:not\s+)?null\b/gi;
/** What gives back what it was given. */
const passing = new Set(
  'select from array array_agg unnest coalesce case when then else end is not distinct least greatest order by limit as'.split(
    ' ',
  ),
);

/**
 * Whether it can make a value of the type of what it is given: it has a type that is known when it is called, and what it does with it
 * looks the same for all.
 */
export function makesAnyType({ parameters, language, text }: Pick<Body, 'parameters' | 'language' | 'text'>): boolean {
  if (!parameters.some(({ type }) => anyType.test(type))) return false;
  if (language !== 'sql') return true;
  const rest = text.replaceAll(nullTest, ' ');
  const own = new Set(parameters.map(({ name }) => name));
  const isPassing = (word: string) => passing.has(word.toLowerCase()) || /^\$\d+$/.test(word) || own.has(word);
  return !/^[\s\w$(),;[\]]*$/.test(rest) || !rest.split(/[\s(),;[\]]+/).every((word) => word === '' || isPassing(word));
}

/** Aggregates that begin with a text, which becomes a value of the type of what they are given. */
export const beginnings = formatFound(`
  with found (class, oid, via_class, via, how, detail) as (
    select ${catalogs.function}, a.aggfnoid::pg_catalog.oid, 0, 0, 'body', ''
    from pg_catalog.pg_aggregate a join pg_catalog.pg_type t on t.typtype operator(pg_catalog.=) 'p' and (
      (a.agginitval is not null and t.oid operator(pg_catalog.=) a.aggtranstype)
      or (a.aggminitval is not null and t.oid operator(pg_catalog.=) a.aggmtranstype))
    where a.aggfnoid::pg_catalog.oid operator(pg_catalog.>=) ${firstUserOid}::pg_catalog.oid and t.typname operator(pg_catalog.~) '^any.'
  )`);
