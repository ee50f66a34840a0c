import type { Failure } from '@dbmole/core/failure';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { outOfScope, type Scope, type ScopeDialect } from '../../../policy/scope.ts';
import { formatArray, formatLiteral } from '../values/literal.ts';
import type { CatalogObject } from './proof/catalog/catalog-object.ts';
import { firstUserOid, isImplicit } from './proof/catalog/describe-sql.ts';
import type { Check } from './proof/check.ts';
import { Uses } from './proof/types/uses.ts';
import type { NameUse, StatementNames } from './tree/names.ts';

export const scopeDialect: ScopeDialect = { systemSchemas: /^(?:pg_.*|information_schema)$/, hasOneLevel: false };

export interface ScopeCheck {
  readonly names: StatementNames;
  readonly scope: Scope;
  readonly check: Pick<Check, 'listCode' | 'schemas'>;
  readonly major: number;
  readonly ask: CatalogQuestion;
}

/**
 * Throws for a statement that names, or runs code that names, what is outside. What a view, a table or a policy inside of the scope
 * leads to is not followed, as with a grant. Returns what the premise needs beyond that of the proof: ` and …`, or nothing.
 */
export async function checkScope({ names, scope, check, major, ask }: ScopeCheck): Promise<string> {
  refuseRevealing(names, scope);
  const found = await findRelations(names, ask);
  for (const { use, schema } of found.relations) {
    if (schema === undefined || !scope.allows(schema, use.name)) throw scope.refuse(formatName(use), names.positionOf(use));
  }
  for (const { use, schema, table } of found.rowTypes) {
    if (!scope.allows(schema, table)) throw scope.refuse(`the row type ${formatName(use)}`, names.positionOf(use));
  }
  await refuseCode({ names, scope, check, major, ask });
  return found.relations.map(formatStaying).join('');
}

/** Functions of the server and its extensions, in whatever schema, that show what there is, or what others do. */
const revealing = new RegExp(
  [
    '^pg_(?:get|stat|relation|table|total_relation|indexes|index|sequence|partition|describe|identify|filenode|column_is|database|tablespace)_',
    '^pg_(?:stats?|statistic|freespace|visibility|check|prewarm|buffercache|show|ls|lock|prepared|cursor|available|event_trigger|last)',
    '^(?:bt|gin|gist|brin|hash|heap)_(?:page|metap|multi|index|check|tuple|revmap)',
    '^(?:get_raw_page|verify_heapam|pgstat|pgrowlocks|pg_relpages|dblink)',
  ].join('|'),
);

const regTypes = '_?reg(?:class|type|proc|procedure|oper|operator|namespace|role|config|dictionary|collation|database)';

/** Functions of the server alone; others may have such names as well. */
const revealingBuiltins = new RegExp(
  [
    '^(?:currtid|currval|lo_|loread|to_reg|obj_description|col_description|shobj_description|row_security_active|format_type)',
    // They give a regtype, which also an uncast number beside it becomes.
    '^pg_(?:typeof|basetype)$',
    '_(?:privilege|is_visible)$',
    '_to_xml(?:schema|_and_xmlschema)?$',
    `^${regTypes}(?:in|out|recv|send)?$`,
  ].join('|'),
);
const revealingTypes = new RegExp(`^${regTypes}$`);

function isRevealing({ schema, name }: Pick<NameUse, 'schema' | 'name'>): boolean {
  return revealing.test(name) || (isBuiltin(schema) && revealingBuiltins.test(name));
}

function isBuiltin(schema: string | undefined): boolean {
  return schema === undefined || schema === 'pg_catalog';
}

export function refuseRevealing({ functions, types, dynamic, positionOf }: StatementNames, scope: Scope): void {
  const call = [...functions, ...dynamic].find(isRevealing);
  const type = types.find(({ schema, name }) => isBuiltin(schema) && revealingTypes.test(name));
  const use = call ?? dynamic[0] ?? type;
  if (use === undefined) return;
  const what = use === type ? `the type ${use.name}` : `${use.name}()`;
  throw outOfScope(`${what} can show what is outside of the scope of this connection, which is ${scope.text}`, positionOf(use));
}

export interface Relation {
  readonly use: NameUse;
  /** Undefined where nothing has this name. */
  readonly schema: string | undefined;
  readonly oid: string;
}

interface RowType {
  readonly use: NameUse;
  readonly schema: string;
  readonly table: string;
}

const wanted = 'pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) as w (ord int, nsp text, name text)';

const relationsSql = `
  select 'relation', w.ord::text, x.nspname, x.oid::text, null from ${wanted} cross join lateral (
    select n.nspname, c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relname = w.name and case when w.nsp is null then n.nspname = any (pg_catalog.current_schemas(true)) else n.nspname = w.nsp end
    order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1) x
  union all
  select 'type', w.ord::text, m.nspname, null, c.relname
  from pg_catalog.jsonb_to_recordset($2::pg_catalog.jsonb) as w (ord int, nsp text, name text)
    join pg_catalog.pg_type t on t.typname = w.name join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    left join pg_catalog.pg_type e on e.oid = t.typelem
    join pg_catalog.pg_class c on c.oid = any (array[t.typrelid, e.typrelid]) and c.relkind in ('r', 'p', 'v', 'm', 'f')
    join pg_catalog.pg_namespace m on m.oid = c.relnamespace
  where case when w.nsp is null then n.nspname = any (pg_catalog.current_schemas(true)) else n.nspname = w.nsp end`;

export async function findRelations({ relations, functions, ...names }: StatementNames, ask: CatalogQuestion) {
  // A call with one argument may be a cast to the type of that name.
  const types = [...names.types, ...functions.filter(({ args }) => args === 1)];
  if (relations.length + types.length === 0) return { relations: [], rowTypes: [] };
  const rows = await ask(relationsSql, [toJson(relations), toJson(types)]);
  const byOrder = new Map(rows.filter(([kind]) => kind === 'relation').map((row) => [Number(row[1]), row]));
  return {
    relations: relations.map((use, i): Relation => {
      const [, , schema, oid] = byOrder.get(i) ?? [];
      // A qualified name is what it says, whether or not there is something of that name.
      return { use, schema: use.schema ?? schema ?? undefined, oid: oid ?? '' };
    }),
    rowTypes: rows.flatMap(([kind, ord, schema, , table]): RowType[] => {
      const use = types[Number(ord)];
      return kind === 'type' && use !== undefined ? [{ use, schema: schema ?? '', table: table ?? '' }] : [];
    }),
  };
}

export function toJson(uses: readonly Pick<NameUse, 'schema' | 'name'>[]): string {
  return JSON.stringify(uses.map(({ schema, name }, ord) => ({ ord, nsp: schema ?? null, name })));
}

/** A name without a schema must still mean the same when the statement runs. */
function formatStaying({ use: { schema, name }, oid }: Relation): string {
  if (schema !== undefined) return '';
  const quoted = formatLiteral(`"${name.replaceAll('"', '""')}"`);
  return ` and pg_catalog.to_regclass(${quoted})::pg_catalog.oid operator(pg_catalog.=) ${formatLiteral(oid)}::pg_catalog.oid`;
}

interface CodeCheck extends ScopeCheck {
  readonly isWrite?: boolean;
}

/** Refuses code that reads what is outside. In a write, the caller follows what the code changes. */
export async function refuseCode({ names, scope, check, major, ask, isWrite }: CodeCheck): Promise<readonly CatalogObject[]> {
  const code = check.listCode(names).filter(({ isTrusted }) => !isTrusted);
  const unknown = code.find(({ isUnprovable, edges }) => isUnprovable || edges.some(({ how }) => how === 'finds'));
  if (unknown !== undefined)
    throw outside(`${describe(unknown)} chooses what it reads at run time, which may be outside of`, scope);
  const telling = code.find(tells);
  if (telling !== undefined) throw outside(`${describe(telling)} can show what is outside of`, scope);
  const reads = code.flatMap((object) => object.reads);
  const inBodies = code.flatMap((object) => object.calls);
  const calls = new Set([...[...names.functions, ...names.fields].map(({ name }) => name), ...inBodies]);
  const operators = new Set([...names.operators.map(({ name }) => name), ...inBodies]);
  // `||` and others cast to text, without the name of it.
  const types = new Set([...new Uses([names]).list('types'), ...calls]);
  const [named, stored, revealed] = await Promise.all([
    reads.length === 0 ? [] : ask(namedSql, [toJson(reads), formatArray(check.schemas)]),
    major < 14 ? [] : ask(storedSql, [formatArray(calls), formatArray(operators), formatArray(types)]),
    calls.size + types.size === 0 ? [] : ask(revealedSql, [formatArray(calls), formatArray(types)]),
  ]);
  const relations = [...named, ...stored.filter(([, , kind]) => kind === 'relation')];
  const isOutside = relations.some(([schema, table]) => !scope.allows(schema ?? '', table ?? ''));
  if (isOutside) throw outside('a function that the statement calls reads outside of', scope);
  const shown = stored.find(
    ([schema, name, kind]) => kind === 'object' && isRevealing({ schema: schema ?? '', name: name ?? '' }),
  );
  const [what] = revealed[0] ?? [shown && `a function that uses ${shown[1]}`];
  if (what != null) throw outside(`${what} can show what is outside of`, scope);
  const writer = isWrite === true ? stored.find(([, , kind]) => kind === 'writer') : undefined;
  if (writer !== undefined) throw outside(`${writer[1]}() changes rows, perhaps outside of`, scope);
  return code;
}

/** Whether a body calls, or casts to, what shows more than rows. */
function tells({ reads, calls }: CatalogObject): boolean {
  const tables = new Set(reads.map(({ name }) => name));
  return calls.some((name) => !tables.has(name) && isRevealing({ schema: undefined, name }));
}

export function outside(what: string, scope: Scope): Failure {
  return outOfScope(`${what} the scope of this connection, which is ${scope.text}`);
}

function describe({ schema, name }: CatalogObject): string {
  return `function ${schema}.${name}()`;
}

const relationKinds = `c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')`;

/** The relations that names in bodies may mean. */
export const namedSql = `
  select distinct n.nspname, c.relname from ${wanted}
    join pg_catalog.pg_class c on c.relname = w.name and ${relationKinds} join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where case when w.nsp is null then n.nspname = any ($2::text[]) else n.nspname = w.nsp end`;

/** The parts of the type t. */
const partTypes = `
      select t.typelem union all select t.typbasetype
      union all select a.atttypid from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0`;

/**
 * The relations in bodies that are stored as trees, by what the catalog records of them: of functions and operators that are named and
 * the types that they take and give, of casts to types that are named and checks of such domains, and of implicit casts and functions for
 * sorting, which need no name. Of the
 * server's own objects, it records nothing.
 */
const storedSql = `
  with recursive named (oid) as (
    select t.oid from pg_catalog.pg_type t where t.typname = any ($3::text[])
    union select p.oid from named n join pg_catalog.pg_type t on t.oid = n.oid cross join lateral (${partTypes}) p (oid) where p.oid <> 0
  ), reached (class, oid) as (
    select 1255::pg_catalog.oid, p.oid from pg_catalog.pg_proc p where p.oid >= ${firstUserOid} and p.proname = any ($1::text[])
    union select 1255::pg_catalog.oid, o.oprcode::pg_catalog.oid from pg_catalog.pg_operator o
      where o.oid >= ${firstUserOid} and o.oprname = any ($2::text[])
    union select 1255::pg_catalog.oid, k.castfunc from pg_catalog.pg_cast k
      where k.castfunc >= ${firstUserOid} and (${isImplicit('k')} or k.casttarget in (select oid from named))
    union select 1255::pg_catalog.oid, a.amproc::pg_catalog.oid from pg_catalog.pg_amproc a where a.amproc::pg_catalog.oid >= ${firstUserOid}
    union select 2606::pg_catalog.oid, c.oid from pg_catalog.pg_constraint c where c.contypid in (select oid from named)
    union select n.class, n.oid from reached r cross join lateral (
      select d.refclassid, d.refobjid from pg_catalog.pg_depend d where d.classid = r.class and d.objid = r.oid
        and r.class in (1255, 2606, 2617) and d.refclassid in (1247, 1255, 1259, 2617) and d.refobjid >= ${firstUserOid}
      union all select 2606, c.oid from pg_catalog.pg_constraint c where r.class = 1247 and c.contypid = r.oid
      union all select 1247, p.oid from pg_catalog.pg_type t cross join lateral (${partTypes}) p (oid) where r.class = 1247 and t.oid = r.oid and p.oid <> 0
    ) n (class, oid)
  ), used (kind, number) as (
    select distinct m[1], m[2] from reached r join pg_catalog.pg_proc p on r.class = 1255 and p.oid = r.oid
      cross join lateral pg_catalog.regexp_matches(p.prosqlbody::text, '(relid|funcid|type) ([0-9]+)', 'g') m)
  select n.nspname, c.relname, 'relation' from reached r
    join pg_catalog.pg_class c on r.class = 1259 and c.oid = r.oid and ${relationKinds}
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  union select n.nspname, c.relname, 'relation' from used u join pg_catalog.pg_class c on u.kind = 'relid' and pg_catalog.concat(c.oid) = u.number
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  union select n.nspname, x.name, 'object' from used u join (
      select 'funcid', oid, proname, pronamespace from pg_catalog.pg_proc where oid < ${firstUserOid}
      union all select 'type', oid, typname, typnamespace from pg_catalog.pg_type where oid < ${firstUserOid}) x (kind, oid, name, schema)
      on x.kind = u.kind and pg_catalog.concat(x.oid) = u.number join pg_catalog.pg_namespace n on n.oid = x.schema
  union select n.nspname, p.proname, 'writer' from reached r join pg_catalog.pg_proc p on r.class = 1255 and p.oid = r.oid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.prosqlbody::text ~ ':commandType [2345] '`;

/** Functions that take or give names of objects, and domains and arrays of them. */
const revealedSql = `
  with reg as (select t.oid from pg_catalog.pg_type t where t.oid < ${firstUserOid} and t.typname ~ '^${regTypes}$'),
    made as (select t.oid, t.typname from pg_catalog.pg_type t left join pg_catalog.pg_type e on e.oid = t.typelem
      where t.oid >= ${firstUserOid} and (t.typbasetype in (select oid from reg) or e.typbasetype in (select oid from reg))),
    every as (select oid from reg union all select oid from made)
  select pg_catalog.concat('the type ', m.typname) from made m where m.typname = any ($2::text[])
  union all
  select pg_catalog.concat('function ', p.proname, '()') from pg_catalog.pg_proc p
  where p.oid >= ${firstUserOid} and p.proname = any ($1::text[])
    and (p.prorettype in (select oid from every) or exists (
      select from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[] || coalesce(p.proallargtypes, '{}')) a
      where a in (select oid from every)))`;

export function formatName({ schema, name }: NameUse): string {
  return schema === undefined ? name : `${schema}.${name}`;
}
