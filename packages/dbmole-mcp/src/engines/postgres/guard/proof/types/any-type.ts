import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { words } from '../../tree/nodes.ts';
import { trees } from '../catalog/dependents-sql.ts';
import { anyTypes, catalogs, firstUserOid, formatFound } from '../catalog/describe-sql.ts';
import { hasAny } from './match.ts';
import { fillerSymbol, fillers, textCasts, type Uses } from './uses.ts';

const makers = [...fillers, ...textCasts].join(',');

/**
 * Aggregates that begin with a text, which becomes a value of the type of what they are given; and by other names, what of the server
 * makes such values: its functions with several arguments of one type, those that fill rows, and those that cast to text.
 */
export const valueMakers = formatFound(`
  with maker as (
    select p.oid, p.prosrc from pg_catalog.pg_proc p where p.proname = any ('{${makers}}'::pg_catalog.name[]) or p.prosrc = '${fillerSymbol}'
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
    from pg_catalog.pg_proc p join builtin b on b.prosrc = p.prosrc
    where p.oid >= ${firstUserOid} and (p.prolang = 12 or (p.prosrc = '${fillerSymbol}' and p.proname <> all ('{${makers}}'::pg_catalog.name[])))
  )`);

/** Statistics hold arrays of any type, by names: where they are, and what runs code by the type of the values in such an array. */
export interface Statistics {
  readonly relations: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
  /** Functions that return their rows, or rows of any kind. */
  readonly sources: ReadonlySet<string>;
  /** Functions and operators that compare the values, send them as bytes, or write them as JSON by a cast. */
  readonly users: ReadonlySet<string>;
}

export const noStatistics: Statistics = { relations: new Set(), columns: new Set(), sources: new Set(), users: new Set() };

/** Those that compare, or send as bytes; of the functions that take one array, as the server lets no other have one of these. */
const applying = 'max,min,array_sort,hash_array,hash_array_extended,array_send,anyarray_send,record_send';

const found = `held (oid) as (
    select 'anyarray'::pg_catalog.regtype::pg_catalog.oid
    union select c.reltype from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
      where a.attrelid < ${firstUserOid} and a.atttypid in ('anyarray'::pg_catalog.regtype, pg_catalog.to_regtype('pg_catalog.pg_statistic[]'))
    union select t.oid from held h join pg_catalog.pg_type t on h.oid in (t.typelem, t.typbasetype)
  ), source as (
    -- With parameters for its results, a function returns rows of those, as far as its own type is the one of any row.
    select p.oid, p.proname from pg_catalog.pg_proc p where p.oid >= ${firstUserOid}
      and array(select oid from held union select 'record'::pg_catalog.regtype)
        && case when p.proargmodes is null then array[p.prorettype] else p.proallargtypes end
  ), plain as (
    select p.oid, p.proname from pg_catalog.pg_proc p
    where p.proname = any ('{${applying}}'::pg_catalog.name[]) or pg_catalog.strpos(p.proname, 'json') > 0
  ), reader as (
    select oid, proname from plain
    union select p.oid, p.proname from pg_catalog.pg_aggregate a join plain d on d.oid in (a.aggtransfn, a.aggfinalfn)
      join pg_catalog.pg_proc p on p.oid = a.aggfnoid
  )`;

const question = `
  with recursive ${found}, place as (
    select c.relname, a.attname from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    where a.attrelid < ${firstUserOid} and a.atttypid in (select oid from held)
  )
  select 'relations', relname from place union select 'columns', attname from place union select 'sources', proname from source
  union select 'users', proname from reader
  union select 'users', o.oprname from pg_catalog.pg_operator o join reader t on t.oid = o.oprcode where o.oid >= ${firstUserOid}`;

export async function openStatistics(run: CatalogQuestion): Promise<Statistics> {
  const rows = await run(question);
  const list = (kind: keyof Statistics, others: Iterable<string> = []) =>
    new Set([...rows.flatMap(([of, name]) => (of === kind ? (name ?? '') : [])), ...others]);
  return {
    relations: list('relations'),
    columns: list('columns'),
    sources: list('sources'),
    users: list('users', words.values()),
  };
}

/** Views and functions in standard SQL that use statistics so. */
export const formatStatisticsUsers = (major: number) =>
  formatFound(`
  with recursive ${found}, pattern as materialized (
    select pg_catalog.concat(':[a-z_]*typ[a-zI]* (?:', (select pg_catalog.string_agg(pg_catalog.concat(oid), '|') from held),
        ') |:funcid (?:0', (select pg_catalog.string_agg(pg_catalog.concat('|', oid), '') from source), ') ') as sources,
      pg_catalog.concat('[{]JSONCONSTRUCTOREXPR |:(?:(?:op)?func|aggfno|winfno)id (?:',
        (select pg_catalog.string_agg(pg_catalog.concat(oid), '|') from reader), ') ') as users
  ), found (class, oid, via_class, via, how, detail) as (
    select t.class, t.oid, 0, 0, 'makes', '' from (${trees(major)}) t, pattern p
    where t.oid >= ${firstUserOid} and t.tree ~ p.sources and t.tree ~ p.users
  )`);

/** Whether statements, or a body, use statistics so. */
export function usesStatistics({ names, statements }: Uses, known: Statistics): boolean {
  if (!hasAny(names, known.users)) return false;
  const readsColumns = statements.some(({ columns }) => columns.has('*') || hasAny(columns, known.columns));
  return hasAny(names, known.sources) || (readsColumns && hasAny(names, known.relations));
}
