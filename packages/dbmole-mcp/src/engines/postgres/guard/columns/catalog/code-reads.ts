import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import type { CatalogObject } from '../../proof/catalog/catalog-object.ts';
import { firstUserOid } from '../../proof/catalog/describe-sql.ts';
import type { Check } from '../../proof/check.ts';
import type { NameUse, StatementNames } from '../../tree/names.ts';
import { isClean } from '../value.ts';
import type { RelationFacts, RelationName } from './relation-facts.ts';
import type { Relations } from './relations.ts';
import { reachRelations } from './views.ts';

/** What the code of the database reads, that statements can run. */
export interface CodeReads {
  /** Functions, operators and types that lead to protected columns, or to what cannot be followed. */
  readonly names: ReadonlySet<string>;
  /** Any expression may lead there. */
  readonly isEverywhere: boolean;
  /** The relations that were looked at. */
  readonly relations: ReadonlySet<RelationFacts>;
}

export const noCode: CodeReads = { names: new Set(), isEverywhere: false, relations: new Set() };

/** Bodies that are stored as trees, whose relations the catalog records; also by the operators and aggregates that call them. */
const storedSql = `
  with recursive reached (root, class, oid) as (
    select p.oid, 1255::pg_catalog.oid, p.oid from pg_catalog.pg_proc p where p.oid >= ${firstUserOid} and p.prosqlbody is not null
    union select r.root, x.class, x.oid from reached r cross join lateral (
      select d.refclassid, d.refobjid from pg_catalog.pg_depend d
        where d.classid = r.class and d.objid = r.oid and r.class = 1255 and d.refclassid in (1255, 1259, 2617) and d.refobjid >= ${firstUserOid}
      union all select 1255, o.oprcode::pg_catalog.oid from pg_catalog.pg_operator o where r.class = 2617 and o.oid = r.oid) x (class, oid)
  ), named (root, name) as (
    select p.oid, p.proname from pg_catalog.pg_proc p where p.oid in (select root from reached)
    union all select o.oprcode::pg_catalog.oid, o.oprname from pg_catalog.pg_operator o where o.oprcode::pg_catalog.oid in (select root from reached)
    union all select f.oid, p.proname from pg_catalog.pg_aggregate a join pg_catalog.pg_proc p on p.oid = a.aggfnoid::pg_catalog.oid
      cross join lateral (values (a.aggtransfn::pg_catalog.oid), (a.aggfinalfn::pg_catalog.oid), (a.aggcombinefn::pg_catalog.oid)) f (oid)
      where f.oid in (select root from reached)
    union all select c.castfunc, '' from pg_catalog.pg_cast c where c.castfunc in (select root from reached)
    union all select a.amproc::pg_catalog.oid, '' from pg_catalog.pg_amproc a where a.amproc::pg_catalog.oid in (select root from reached)
  )
  select n.name, pg_catalog.json_agg(distinct pg_catalog.jsonb_build_array(s.nspname, c.relname))
  from named n join reached r on r.root = n.root and r.class = 1259 join pg_catalog.pg_class c on c.oid = r.oid
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
  group by n.name`;

/** The relations that stored bodies read, by the names that lead to them; the empty name needs none. */
export type StoredReads = ReadonlyMap<string, readonly RelationName[]>;

export async function openStoredReads(ask: CatalogQuestion, major: number): Promise<StoredReads> {
  if (major < 14) return new Map();
  const rows = await ask(storedSql);
  return new Map(
    rows.map(([name, json]) => {
      // The query returns it in this form.
      const pairs = JSON.parse(json ?? '[]') as [string, string][];
      return [name ?? '', pairs.map(([schema, relation]) => ({ schema, name: relation }))];
    }),
  );
}

interface CodeContext {
  readonly check: Check;
  readonly relations: Relations;
  readonly stored: StoredReads;
  readonly ask: CatalogQuestion;
}

/** Which of the names in these statements and queries lead to protected columns. They must have been checked. */
export async function openCodeReads(bodies: readonly StatementNames[], context: CodeContext): Promise<CodeReads> {
  const { check, relations, stored, ask } = context;
  const code = bodies.flatMap((names) => check.listCode(names));
  const calls = [...bodies.flatMap(listUses).map(({ name }) => name), ...code.flatMap((object) => object.calls), ''];
  const inTrees = [...new Set(calls)].flatMap((name) => stored.get(name) ?? []);
  if (code.length === 0 && inTrees.length === 0) return noCode;
  await relations.loadAnywhere([...code.flatMap((object) => object.reads), ...inTrees], check.schemas, ask);
  const judged = new Judge(context);
  await judged.judge(code);
  if (!code.some(judged.isReading) && !calls.some(judged.isStored)) return { ...noCode, relations: judged.relations };
  const isReading = (name: string, names: StatementNames) =>
    judged.isStored(name) ||
    check.listCode(names).some((object) => judged.isReading(object) || object.calls.some(judged.isStored));
  const nothing = { schema: undefined, name: '\u0001', at: -1 };
  const isEverywhere = bodies.some((names) => isReading('', keepOnly(names, nothing)));
  const found = bodies.flatMap((names) => listUses(names).filter((use) => isReading(use.name, keepOnly(names, use))));
  return { names: new Set(found.map(({ name }) => name)), isEverywhere, relations: judged.relations };
}

function listUses({ functions, operators, types, fields }: StatementNames): readonly NameUse[] {
  return [...functions, ...operators, ...types, ...fields];
}

/** The same statement with one name. */
function keepOnly(names: StatementNames, use: NameUse): StatementNames {
  const keep = <T extends NameUse>(uses: readonly T[]) => uses.filter((one) => one === use);
  const [functions, operators, types, fields] = [
    keep(names.functions),
    keep(names.operators),
    keep(names.types),
    keep(names.fields),
  ];
  const kept = functions.length + operators.length + types.length + fields.length === 0 ? [use] : types;
  return { ...names, functions, operators, types: kept, fields, relations: [], targets: [], dynamic: [], untyped: undefined };
}

/** Whether functions read what is protected. */
class Judge {
  readonly #context: CodeContext;
  readonly relations = new Set<RelationFacts>();
  readonly #reading = new Set<CatalogObject>();
  readonly #stored = new Set<string>();

  constructor(context: CodeContext) {
    this.#context = context;
  }

  readonly isReading = (object: CatalogObject): boolean => this.#reading.has(object);
  readonly isStored = (name: string): boolean => this.#stored.has(name);

  async judge(code: readonly CatalogObject[]): Promise<void> {
    for (const object of new Set(code))
      if (isOpaque(object) || (await this.#reads(object.reads, object.columns))) this.#reading.add(object);
    for (const [name, reads] of this.#context.stored) if (await this.#reads(reads, all)) this.#stored.add(name);
  }

  async #reads(names: readonly RelationName[], columns: ReadonlySet<string>): Promise<boolean> {
    const { relations, ask } = this.#context;
    let isFound = false;
    for (const facts of names.flatMap((name) => relations.listAnywhere(name))) {
      const isAll = columns.has('*') || facts.definition !== null;
      for (const reached of await reachRelations([facts], relations, ask)) {
        this.relations.add(reached);
        isFound ||= relations
          .getColumns(reached)
          .some(({ name, value }) => !isClean(value) && (isAll || columns.has(name ?? '')));
      }
    }
    return isFound;
  }
}

const all: ReadonlySet<string> = new Set('*');

/** What it reads is not known from its body. */
function isOpaque({ isUnprovable, isTrusted, isExplored, body, reason, edges }: CatalogObject): boolean {
  if (isUnprovable || isTrusted || edges.some(({ how }) => how === 'finds')) return true;
  return body !== undefined && (!isExplored || reason !== undefined);
}
