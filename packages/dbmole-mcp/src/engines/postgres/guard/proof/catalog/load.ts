import { Failure } from '@dbmole/core/failure';
import { type CatalogQuestion, premiseCode } from '../../../../../guard/read-statement.ts';
import type { Trust } from '../../../../../guard/trust.ts';
import { openServerFacts, type ServerFacts } from '../../server-facts.ts';
import type { Parser } from '../../thread/parser.ts';
import { type Check, type CheckOptions, createCheck } from '../check.ts';
import { applyTrust } from '../trusted.ts';
import { formatStatisticsUsers, noStatistics, openStatistics, type Statistics, valueMakers } from '../types/any-type.ts';
import type { Providers } from '../types/match.ts';
import { type CatalogObject, type Found, isUserType, listUserTypes } from './catalog-object.ts';
import { providers as providersSql } from './dependents-sql.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';
import { Graph, openFound } from './graph.ts';
import { openPowers } from './powers.ts';
import { formatPremise, nothingWatched, openSeen, type Watched } from './premise.ts';
import { formatRootParams, rootParams, sortRoots } from './roots.ts';
import { bodiesPerPage, formatBodies, formatRoots, formatSelfQuerying } from './roots-sql.ts';

/** The objects of this database that a read must not reach. */
export interface Proof {
  readonly check: Check;
  /** The major version of the server. */
  readonly major: number;
  /** An SQL expression that is true while what was loaded still holds. */
  readonly premise: string;
  readonly watched: Watched;
}

/** The catalog is loaded again if it changes meanwhile. */
const maxAttempts = 3;

export async function openProof(run: CatalogQuestion, parser: Parser, trust?: Trust): Promise<Proof> {
  const facts = await openServerFacts(run);
  const computedSince = facts.major >= 18 ? facts.oldestTransaction : undefined;
  let watched: Watched = { ...nothingWatched, computedSince };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await openSeen(run, watched);
    const loaded = await openCheck(run, { parser, facts, trust });
    const wasWatched = formatPremise(before, watched) === formatPremise(before, { ...loaded.watched, computedSince });
    watched = { ...loaded.watched, computedSince };
    const after = await openSeen(run, watched);
    // Nothing relevant was committed meanwhile.
    const isSame = before.moment !== undefined && before.moment === after.moment;
    if (isSame || (wasWatched && before.fingerprint === after.fingerprint && before.path === after.path))
      return { ...loaded, watched, premise: formatPremise(after, watched) };
  }
  throw new Failure('engine', 'the catalog of this database keeps changing, so reads cannot be checked', {
    code: premiseCode,
    hint: 'Retry when functions and views are no longer being created and dropped.',
  });
}

const sessionSql = `
  with path (setting) as materialized (
    select distinct pg_catalog.lower(x) from pg_catalog.pg_proc p cross join lateral pg_catalog.unnest(p.proconfig) x
    where pg_catalog.starts_with(x, 'search_path=')
  )
  select exists (
    select from pg_catalog.pg_cast c
      join pg_catalog.pg_type s on s.oid = c.castsource and s.typtype = 'c'
      join pg_catalog.pg_type t on t.oid = c.casttarget and t.typtype <> 'c'
    where c.castcontext = 'i'),
    (select s = 'pg_catalog' from pg_catalog.unnest(pg_catalog.current_schemas(true)) with ordinality x (s, i)
      where s !~ '^pg_(toast_)?temp' order by i limit 1),
    -- "$user" may be any role. Names in search paths may be folded, cut and quoted.
    (select pg_catalog.json_agg(n.nspname) from pg_catalog.pg_namespace n
      where n.nspname = any (pg_catalog.current_schemas(true)) or n.nspname ~ '[^!-~]|"'
        or exists (select from pg_catalog.pg_roles r where r.rolname = n.nspname)
        or exists (select from path where pg_catalog.strpos(setting, pg_catalog.lower(n.nspname)) > 0)),
    (select pg_catalog.json_agg(distinct p.proname) from pg_catalog.pg_proc p where p.prorettype = 'record'::pg_catalog.regtype),
    (select pg_catalog.json_agg(distinct p.proname) from pg_catalog.pg_proc p
      where p.oid >= ${firstUserOid} and p.prorettype = 'record'::pg_catalog.regtype and p.proargmodes is null)`;

async function openSession(
  run: CatalogQuestion,
): Promise<Pick<CheckOptions, 'rowsAreCast' | 'isCatalogFirst' | 'schemas' | 'records' | 'recordFunctions'>> {
  const [cast, isFirst, schemas, records, unknown] = (await run(sessionSql))[0] ?? [];
  return {
    rowsAreCast: cast === 't',
    schemas: new Set(parseList(schemas)),
    records: new Set(['', ...parseList(records)]),
    recordFunctions: new Set(parseList(unknown)),
    isCatalogFirst: isFirst === 't',
  };
}

interface CheckInputs {
  readonly parser: Parser;
  readonly facts: ServerFacts;
  readonly trust: Trust | undefined;
}

async function openCheck(run: CatalogQuestion, { parser, facts, trust }: CheckInputs) {
  const { major } = facts;
  const session = await openSession(run);
  const graph = new Graph(run, major);
  const roots = await openFound(run, formatRoots(major), formatRootParams(facts.unreviewed));
  await graph.add([...sortRoots(roots), ...(await openFunctions(run, major))]);
  const statistics = await addValueMakers(graph, run, major);
  if ([...graph.objects.values()].some(({ class: of }) => of === catalogs.operator))
    await graph.add(await openFound(run, formatSelfQuerying(major)));
  if (trust !== undefined) await applyTrust(run, major, { objects: graph.objects, trust });
  const objects = [...graph.objects.values()];
  const providers = await openProviders(run, objects);
  const definers = objects.filter(({ definer }) => definer !== null);
  const known = { ...facts, ...session, parser, objects: graph.objects, providers, statistics };
  const check = createCheck({ ...known, openPowers: (ask) => openPowers(ask, definers) });
  return { check, major, watched: findWatched(objects, providers) };
}

/** All functions whose bodies can be read, in the order of their numbers. */
async function openFunctions(run: CatalogQuestion, major: number): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let after = '0'; ; after = found.at(-1)?.oid ?? after) {
    const page = await openFound(run, formatBodies(major), [...rootParams.slice(-3), after]);
    for (const one of page) found.push(one);
    if (page.length < bodiesPerPage) return found;
  }
}

/** Functions that make values of any type: aliases of the server's own, and users of statistics. */
async function addValueMakers(graph: Graph, run: CatalogQuestion, major: number): Promise<Statistics> {
  const hasTypes = [...graph.objects.values()].some(
    ({ class: of, oid, name }) =>
      (of === catalogs.type && isUserType(oid)) || (of === catalogs.cast && ['text', 'json', 'jsonb'].includes(name)),
  );
  if (!hasTypes) return noStatistics;
  await graph.add(await openFound(run, valueMakers));
  await graph.add(await openFound(run, formatStatisticsUsers(major)));
  return await openStatistics(run);
}

async function openProviders(run: CatalogQuestion, objects: readonly CatalogObject[]): Promise<ReadonlyMap<string, Providers>> {
  const wanted = objects.flatMap(({ hidesBuiltin, argTypes, row, class: objectClass }) => [
    ...(hidesBuiltin || objectClass === catalogs.cast ? argTypes : []),
    ...(row === null ? [] : [row]),
  ]);
  const types = [...new Set(wanted)].filter(isUserType);
  if (types.length === 0) return new Map();
  const answers = await run(providersSql, [`{${types.join(',')}}`]);
  return new Map(
    answers.map(([root, names, anywhere, origins, isComposite]) => [
      root ?? '',
      {
        names: new Set(parseList(names)),
        anywhere: anywhere === 't',
        isComposite: isComposite === 't',
        origins: new Set(parseList(origins)),
      },
    ]),
  );
}

function parseList(json: string | null | undefined): readonly string[] {
  // The query returns it in this form.
  return json ? (JSON.parse(json) as string[]) : [];
}

/** Selects the rows of other catalogs whose change can make something new lead to these objects. */
function findWatched(objects: readonly CatalogObject[], providers: ReadonlyMap<string, Providers>): Watched {
  const watched = new Map<string, Set<string>>();
  const tables: string[] = [];
  const watch = (catalog: string, oid: string) => {
    if (Number(oid) >= firstUserOid) watched.set(catalog, (watched.get(catalog) ?? new Set()).add(oid));
  };
  for (const object of objects) {
    if (object.class === catalogs.relation) tables.push(object.oid);
    if (object.class === catalogs.type || object.edges.some(({ how }) => how === 'partitions')) watch(object.class, object.oid);
  }
  const types = new Set(objects.flatMap((object) => [...listUserTypes(object), ...(object.row === null ? [] : [object.row])]));
  const origins = [...types].flatMap((type) => [...(providers.get(type)?.origins ?? [])]);
  for (const type of [...types, ...origins]) watch(catalogs.type, type);
  const lists = new Map([...watched].map(([catalog, oids]) => [catalog, [...oids]]));
  const hasCasts = objects.some((object) => object.class === catalogs.cast);
  return watched.size === 0 && tables.length === 0 && !hasCasts ? nothingWatched : { objects: lists, tables, types: hasCasts };
}
