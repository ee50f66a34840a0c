import { randomBytes } from 'node:crypto';
import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { formatArray, formatLiteral } from '../../../values/literal.ts';
import { firstUserOid } from '../../proof/catalog/describe-sql.ts';

/** What the catalog has of a relation. */
export interface RelationFacts {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** A name without a schema means it. */
  readonly isVisible: boolean;
  /** By number, without dropped ones. Values of the type of another relation's rows, or arrays of them, name that relation. */
  readonly columns: readonly (readonly [number: number, name: string, rowsOf: string | null])[];
  /** The query of a view that is not the server's own. */
  readonly definition: string | null;
  /** Its parents and children, also as partitions. */
  readonly relatives: readonly (readonly [oid: string, isParent: boolean])[];
  /** Each generated column with one that it is computed from. */
  readonly generated: readonly (readonly [column: number, from: number])[];
  /** Changes with all of this. */
  readonly hash: string;
}

/** A name in a statement. */
export interface RelationName {
  readonly schema: string | undefined;
  readonly name: string;
}

/** Random, so that no definition can be made to have the hash of another one. */
const seed = randomBytes(8).readBigInt64BE();

/** Operators are qualified, because a search path may have user operators before the server's own. */
const equal = 'operator(pg_catalog.=)';

const formatHash = (
  c: string,
) => `pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', ${c}.oid, pg_catalog.quote_ident(${c}.relname),
  ${c}.relnamespace, ${c}.relkind,
  (select pg_catalog.string_agg(pg_catalog.concat_ws(':', a.attnum, pg_catalog.quote_ident(a.attname), a.attisdropped, a.attgenerated, a.atttypid), ',' order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid ${equal} ${c}.oid and a.attnum operator(pg_catalog.>) 0::pg_catalog.int2),
  (select pg_catalog.string_agg(pg_catalog.concat_ws(':', i.inhrelid, i.inhparent), ',' order by i.inhrelid, i.inhparent)
    from pg_catalog.pg_inherits i where i.inhrelid ${equal} ${c}.oid or i.inhparent ${equal} ${c}.oid),
  (select pg_catalog.string_agg(pg_catalog.concat(d.oid, ':', d.xmin), ',' order by d.oid)
    from pg_catalog.pg_attrdef d join pg_catalog.pg_attribute a on a.attrelid ${equal} d.adrelid and a.attnum ${equal} d.adnum
    where d.adrelid ${equal} ${c}.oid and a.attgenerated operator(pg_catalog.<>) ''::pg_catalog."char")), '${seed}'::pg_catalog.int8)`;

/** The relation whose rows a type has, also as an array or a domain; null for any other type. */
const formatRow = (type: string) => `(select nullif(pg_catalog.concat(x.typrelid), '0') from pg_catalog.pg_type t
  left join pg_catalog.pg_type b on b.oid = t.typbasetype join pg_catalog.pg_type x on x.oid = case
    when t.typtype = 'c' then t.oid when b.typtype = 'c' then b.oid when t.typelem <> 0 then t.typelem else b.typelem end
  where t.oid = ${type} and ${type} >= ${firstUserOid})`;

const wanted = (param: number) =>
  `pg_catalog.jsonb_to_recordset($${param}::pg_catalog.jsonb) as w (ord int, nsp text, name text)`;

/**
 * The relations of these names, what views among them read, and their parents and children. A name of the first list is looked up as
 * the statement would, one of the second in all schemas of the third.
 */
const factsSql = `
  with recursive named (ord, oid) as (
    select w.ord, x.oid from ${wanted(1)} cross join lateral (
      select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relname = w.name and case when w.nsp is null then n.nspname = any (pg_catalog.current_schemas(true)) else n.nspname = w.nsp end
      order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1) x
  ), started (oid) as (
    select oid from named
    union select c.oid from ${wanted(2)} join pg_catalog.pg_class c on c.relname = w.name
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where case when w.nsp is null then n.nspname = any ($3::text[]) else n.nspname = w.nsp end
  ), reached (oid) as (
    select oid from started union select x.oid from reached r cross join lateral (
      select d.refobjid from pg_catalog.pg_rewrite w join pg_catalog.pg_depend d
          on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = w.oid and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
        where w.ev_class = r.oid and w.rulename = '_RETURN'
      union all select ${formatRow('a.atttypid')}::pg_catalog.oid from pg_catalog.pg_attribute a
        where a.attrelid = r.oid and a.attnum > 0 and a.atttypid >= ${firstUserOid}
      union all select i.inhparent from pg_catalog.pg_inherits i where i.inhrelid = r.oid
      union all select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = r.oid) x (oid))
  select c.oid, n.nspname, c.relname, pg_catalog.pg_table_is_visible(c.oid),
    (select pg_catalog.json_agg(pg_catalog.json_build_array(a.attnum, a.attname, ${formatRow('a.atttypid')}) order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    case when c.relkind in ('v', 'm') and c.oid >= ${firstUserOid} then pg_catalog.pg_get_viewdef(c.oid) end,
    (select pg_catalog.json_agg(pg_catalog.json_build_array(
        pg_catalog.concat(case when i.inhrelid = c.oid then i.inhparent else i.inhrelid end), i.inhrelid = c.oid))
      from pg_catalog.pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid),
    (select pg_catalog.json_agg(pg_catalog.json_build_array(a.attnum, d.refobjsubid))
      from pg_catalog.pg_attribute a join pg_catalog.pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
        join pg_catalog.pg_depend d on d.refclassid = 1259 and d.refobjid = c.oid and d.refobjsubid not in (0, a.attnum)
          and (d.classid = 2604 and d.objid = f.oid or d.classid = 1259 and d.objid = c.oid and d.objsubid = a.attnum)
      where a.attrelid = c.oid and a.attgenerated <> ''),
    ${formatHash('c')}, (select pg_catalog.json_agg(d.ord) from named d where d.oid = c.oid)
  from reached r join pg_catalog.pg_class c on c.oid = r.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind not in ('i', 'I')`;

interface Wanted {
  /** Looked up as the statement would. */
  readonly names: readonly RelationName[];
  /** A name without a schema is looked up in all of `schemas`. */
  readonly anywhere: readonly RelationName[];
  readonly schemas: Iterable<string>;
}

interface FoundRelation {
  readonly facts: RelationFacts;
  /** The places in `names` that mean it. */
  readonly meantBy: readonly number[];
}

export async function openRelations(
  ask: CatalogQuestion,
  { names, anywhere, schemas }: Wanted,
): Promise<readonly FoundRelation[]> {
  const rows = await ask(factsSql, [toJson(names), toJson(anywhere), formatArray(schemas)]);
  return rows.map(([oid, schema, name, isVisible, columns, definition, relatives, generated, hash, meantBy]) => ({
    facts: {
      oid: oid ?? '',
      schema: schema ?? '',
      name: name ?? '',
      isVisible: isVisible === 't',
      columns: parseJson<[number, string, string | null]>(columns),
      definition: definition ?? null,
      relatives: parseJson<[string, boolean]>(relatives),
      generated: parseJson<[number, number]>(generated),
      hash: hash ?? '',
    },
    meantBy: parseJson<number>(meantBy),
  }));
}

/** True as long as the facts hold: ` and …`. */
export function formatFactsPremise(relations: readonly RelationFacts[]): string {
  if (relations.length === 0) return '';
  const sorted = relations.toSorted((a, b) => Number(a.oid) - Number(b.oid));
  const oids = sorted.map(({ oid }) => oid).join(',');
  const now = `(select pg_catalog.string_agg(pg_catalog.concat(${formatHash('c')}), ' ' order by c.oid) from pg_catalog.pg_class c
    where c.oid ${equal} any ('{${oids}}'::pg_catalog.oid[]))`;
  return ` and ${now} ${equal} ${formatLiteral(sorted.map(({ hash }) => hash).join(' '))}`;
}

/** True as long as the name means this relation, or still none: ` and …`. */
export function formatNamePremise({ schema, name }: RelationName, found: RelationFacts | undefined): string {
  // With a schema it is the name of the relation, which its facts have.
  if (schema !== undefined && found !== undefined) return '';
  if (schema !== undefined) {
    const named = `n.nspname ${equal} ${formatLiteral(schema)}::pg_catalog.name and c.relname ${equal} ${formatLiteral(name)}::pg_catalog.name`;
    return ` and not exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid ${equal} c.relnamespace where ${named})`;
  }
  const meant = `pg_catalog.to_regclass(${formatLiteral(`"${name.replaceAll('"', '""')}"`)})::pg_catalog.oid`;
  return found === undefined ? ` and ${meant} is null` : ` and ${meant} ${equal} ${formatLiteral(found.oid)}::pg_catalog.oid`;
}

function toJson(names: readonly RelationName[]): string {
  return JSON.stringify(names.map(({ schema, name }, ord) => ({ ord, nsp: schema ?? null, name })));
}

function parseJson<T>(json: string | null | undefined): readonly T[] {
  // The query returns it in this form.
  return json ? (JSON.parse(json) as T[]) : [];
}
