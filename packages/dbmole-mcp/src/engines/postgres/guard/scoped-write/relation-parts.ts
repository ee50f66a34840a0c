import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { BodyReference } from '../proof/bodies/bodies.ts';
import { catalogs, firstUserOid } from '../proof/catalog/describe-sql.ts';

/** A text that the server runs with a relation. */
export interface Part {
  readonly kind: 'query' | 'rule' | 'trigger' | 'policy' | 'computed' | 'expression';
  /** For messages: `the rule r`. */
  readonly label: string;
  readonly text: string;
}

export interface Trigger {
  readonly label: string;
  /** Bits of `pg_trigger.tgtype`. */
  readonly type: number;
  readonly body: BodyReference;
  /** Code of the server itself, which only compares or computes the row. */
  readonly isBuiltin: boolean;
}

/** A foreign key, seen from one of its two tables. */
export interface ForeignKey {
  readonly label: string;
  /** The other table. */
  readonly oid: string;
  /** Columns of this table, and of the one that refers. */
  readonly own: readonly string[];
  readonly referring: readonly string[];
  /** `a` and `r` only check, others change the rows that refer. */
  readonly onDelete: string;
  readonly onUpdate: string;
}

/** What reading or changing a relation can lead to. */
export interface RelationParts {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly parts: readonly Part[];
  readonly triggers: readonly Trigger[];
  /** Keys of this table to others. */
  readonly outgoing: readonly ForeignKey[];
  /** Keys of others to this table. */
  readonly incoming: readonly ForeignKey[];
  /** Partitions and other children. */
  readonly children: readonly string[];
  /** Columns that get a value when none is given. */
  readonly filled: readonly string[];
  /** Sequences of its defaults: schema, name, and the table that owns it. */
  readonly sequences: readonly (readonly [string, string, string | null])[];
}

const columnNames = (table: string, numbers: string) => `(select pg_catalog.json_agg(a.attname) from pg_catalog.pg_attribute a
        where a.attrelid = ${table} and a.attnum = any (${numbers}))`;

const keys = (own: 'conrelid' | 'confrelid', other: 'conrelid' | 'confrelid') => `
    (select pg_catalog.json_agg(pg_catalog.json_build_object('label', pg_catalog.concat('the foreign key ', k.conname), 'oid', k.${other}::text,
        'own', ${columnNames(`k.${own}`, own === 'conrelid' ? 'k.conkey' : 'k.confkey')},
        'referring', ${columnNames('k.conrelid', 'k.conkey')}, 'onDelete', k.confdeltype, 'onUpdate', k.confupdtype))
      from pg_catalog.pg_constraint k where k.contype = 'f' and k.${own} = c.oid)`;

/** The types of columns, and what these are made of. */
const columnTypes = `
          with recursive typed (oid) as (
            select a.atttypid from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            union select p.oid from typed n join pg_catalog.pg_type t on t.oid = n.oid cross join lateral (
              select t.typelem union all select t.typbasetype
              union all select a.atttypid from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0) p (oid)
            where p.oid >= ${firstUserOid})
          select oid from typed`;

const partsSql = (major: number) => `
  select c.oid, n.nspname, c.relname, c.relkind,
    (select pg_catalog.json_agg(pg_catalog.json_build_object('kind', x.kind, 'label', x.label, 'text', x.text)) from (
      select 'query', 'the query', pg_catalog.pg_get_viewdef(c.oid) where c.relkind = 'v'
      union all select 'rule', pg_catalog.concat('the rule ', r.rulename), pg_catalog.pg_get_ruledef(r.oid)
        from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.ev_type <> '1' and r.ev_enabled <> 'D'
      union all select 'trigger', pg_catalog.concat('the trigger ', t.tgname), pg_catalog.pg_get_triggerdef(t.oid)
        from pg_catalog.pg_trigger t where t.tgrelid = c.oid and t.tgqual is not null and t.tgenabled <> 'D'
      union all select 'policy', pg_catalog.concat('the policy ', p.polname), y.text
        from pg_catalog.pg_policy p cross join lateral (values
          (pg_catalog.pg_get_expr(p.polqual, p.polrelid)), (pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid))) y (text)
        where p.polrelid = c.oid and y.text is not null
      union all select case when ${major >= 18 ? "a.attgenerated = 'v'" : 'false'} then 'computed' else 'expression' end,
          pg_catalog.concat('the column ', a.attname), pg_catalog.pg_get_expr(d.adbin, d.adrelid)
        from pg_catalog.pg_attrdef d join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum where d.adrelid = c.oid
      union all select 'expression', pg_catalog.concat('the check ', k.conname), pg_catalog.pg_get_expr(k.conbin, k.conrelid)
        from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
      union all select 'expression', 'an index', y.text
        from pg_catalog.pg_index i cross join lateral (values
          (pg_catalog.pg_get_expr(i.indexprs, i.indrelid)), (pg_catalog.pg_get_expr(i.indpred, i.indrelid))) y (text)
        where i.indrelid = c.oid and y.text is not null
      union all select 'expression', 'the partition key', pg_catalog.pg_get_expr(p.partexprs, p.partrelid)
        from pg_catalog.pg_partitioned_table p where p.partrelid = c.oid and p.partexprs is not null
      union all select 'expression', 'the type of a column', pg_catalog.pg_get_expr(k.conbin, 0)
        from pg_catalog.pg_constraint k where k.contypid <> 0 and k.contype = 'c' and k.contypid in (${columnTypes})
    ) x (kind, label, text)),
    (select pg_catalog.json_agg(pg_catalog.json_build_object('label', pg_catalog.concat('the trigger ', t.tgname), 'type', t.tgtype,
        'isBuiltin', p.oid < ${firstUserOid} and p.pronamespace = 11 and l.lanname = 'internal',
        'body', pg_catalog.json_build_object('class', '${catalogs.function}', 'oid', p.oid::text, 'language', case
          when l.lanname in ('sql', 'plpgsql') and l.lanpltrusted then l.lanname else pg_catalog.concat('language ', l.lanname) end)))
      from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid join pg_catalog.pg_language l on l.oid = p.prolang
      where t.tgrelid = c.oid and t.tgenabled <> 'D'),${keys('conrelid', 'confrelid')},${keys('confrelid', 'conrelid')},
    (select pg_catalog.json_agg(i.inhrelid::text) from pg_catalog.pg_inherits i where i.inhparent = c.oid),
    (select pg_catalog.json_agg(a.attname) from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and (a.atthasdef or a.attidentity <> '')),
    (select pg_catalog.json_agg(distinct pg_catalog.jsonb_build_array(m.nspname, s.relname, o.refobjid::text))
      from pg_catalog.pg_attrdef f
        join pg_catalog.pg_depend d on d.classid = 2604 and d.objid = f.oid and d.refclassid = ${catalogs.relation}
        join pg_catalog.pg_class s on s.oid = d.refobjid and s.relkind = 'S' join pg_catalog.pg_namespace m on m.oid = s.relnamespace
        left join pg_catalog.pg_depend o on o.classid = ${catalogs.relation} and o.objid = s.oid and o.refclassid = ${catalogs.relation}
          and o.deptype in ('a', 'i')
      where f.adrelid = c.oid)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = any ($1::pg_catalog.oid[])`;

export async function openParts(ask: CatalogQuestion, major: number, oids: readonly string[]): Promise<readonly RelationParts[]> {
  const rows = await ask(partsSql(major), [`{${oids.join(',')}}`]);
  return rows.map(([oid, schema, name, kind, ...lists]) => {
    const [parts, triggers, outgoing, incoming, children, filled, sequences] = lists;
    return {
      oid: oid ?? '',
      schema: schema ?? '',
      name: name ?? '',
      kind: kind ?? '',
      parts: parseList<Part>(parts),
      triggers: parseList<Trigger>(triggers),
      outgoing: parseList<ForeignKey>(outgoing),
      incoming: parseList<ForeignKey>(incoming),
      children: parseList<string>(children),
      filled: parseList<string>(filled),
      sequences: parseList<readonly [string, string, string | null]>(sequences),
    };
  });
}

function parseList<T>(json: string | null | undefined): readonly T[] {
  // The query returns it in this form.
  return json ? (JSON.parse(json) as T[]) : [];
}
