import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Trust } from '../../../../guard/trust.ts';
import type { Parser } from '../parser.ts';
import { addAsking } from './asking.ts';
import { type CatalogObject, type Found, isUserType, parseFound, userNeeds } from './catalog-object.ts';
import { type Check, createCheck } from './check.ts';
import { providers as providersSql } from './dependents-sql.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';
import { Graph, openFound } from './graph.ts';
import type { Providers } from './match.ts';
import { beginnings } from './polymorphic.ts';
import { openPowers } from './powers.ts';
import { formatPremise, nothingWatched, openSeen, type Watched } from './premise.ts';
import { rootParams, sortRoots } from './roots.ts';
import { bodiesPerPage, formatBodies, formatRoots } from './roots-sql.ts';
import { openRows, type Rows, rowsAreCast } from './rows.ts';
import { applyTrust } from './trusted.ts';
import { openUntyped } from './untyped.ts';

/** What of this database's own objects a read must not reach. */
export interface Proof {
  readonly check: Check;
  /** An SQL expression that is true while what was loaded still holds. */
  readonly premise: string;
}

/** When the catalog changes while it is read, it is read again; so many times. */
const attempts = 5;

export async function openProof(run: CatalogQuestion, parser: Parser, trust?: Trust): Promise<Proof> {
  let watched = nothingWatched;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await openSeen(run, watched);
    const loaded = await openCheck(run, parser, trust);
    const wasWatched = formatPremise(before, watched) === formatPremise(before, loaded.watched);
    watched = loaded.watched;
    const after = await openSeen(run, watched);
    // Nothing was committed meanwhile, or nothing that matters.
    const isSame = before.moment !== undefined && before.moment === after.moment;
    if (isSame || (wasWatched && before.fingerprint === after.fingerprint && before.path === after.path))
      return { check: loaded.check, premise: formatPremise(after, watched) };
  }
  throw new Failure('engine', 'the catalog of this database keeps changing, so reads cannot be checked', {
    code: 'E_CONFLICT',
    hint: 'Retry when functions and views are no longer being created and dropped.',
  });
}

interface Session {
  readonly major: number;
  /** Whether rows become something else without a cast that is written. */
  readonly rowsAreCast: boolean;
  readonly isUtf8: boolean;
  /** Every schema in which some function or session looks for names. */
  readonly schemas: ReadonlySet<string>;
  /** Names of functions that give rows of columns which only their callers know. */
  readonly recordFunctions: ReadonlySet<string>;
}

const sessionSql = `
  select pg_catalog.current_setting('server_version_num'), ${rowsAreCast}, pg_catalog.current_setting('server_encoding'),
    (select pg_catalog.json_agg(s.name) from pg_catalog.unnest(pg_catalog.current_schemas(true)) s (name)),
    (select pg_catalog.json_agg(distinct pg_catalog.substr(x.setting, 13)) from pg_catalog.pg_proc p
      cross join lateral pg_catalog.unnest(p.proconfig) x (setting) where pg_catalog.starts_with(x.setting, 'search_path=')),
    (select pg_catalog.json_agg(n.nspname) from pg_catalog.pg_namespace n
      where exists (select from pg_catalog.pg_roles r where r.rolname = n.nspname)),
    (select pg_catalog.json_agg(n.nspname) from pg_catalog.pg_namespace n),
    (select pg_catalog.json_agg(distinct p.proname) from pg_catalog.pg_proc p
      where p.oid >= ${firstUserOid} and p.prorettype = 'record'::pg_catalog.regtype and p.proargmodes is null)`;

async function openSession(run: CatalogQuestion): Promise<Session> {
  const [version, cast, encoding, path, paths, roles, all, records] = (await run(sessionSql))[0] ?? [];
  const settings = parseList(paths).flatMap(parsePath);
  // What is written in another way is read by the server alone.
  const isPlain = parseList(paths).every((setting) => plainPath.test(setting));
  return {
    major: Math.floor(Number(version) / 10_000),
    rowsAreCast: cast === 't',
    isUtf8: encoding === 'UTF8',
    recordFunctions: new Set(parseList(records)),
    // "$user" is the role that runs it at that time.
    schemas: isPlain ? new Set([...parseList(path), ...settings, ...parseList(roles)]) : new Set(parseList(all)),
  };
}

/** `"$user", public`. */
const plainPath = /^(?:(?:^|, ?)(?:"[a-z_$][a-z0-9_$]{0,62}"|[a-z_][a-z0-9_$]{0,62}))*$/;

function parsePath(setting: string): readonly string[] {
  return setting.match(/[a-z_$][a-z0-9_$]*/g) ?? [];
}

async function openCheck(
  run: CatalogQuestion,
  parser: Parser,
  trust: Trust | undefined,
): Promise<{ check: Check; watched: Watched }> {
  const session = await openSession(run);
  const graph = new Graph(run, session.major);
  const roots = await openFound(run, formatRoots(session.major), rootParams);
  await graph.add([...sortRoots(roots), ...(await openFunctions(run, session.major))]);
  await addBeginnings(graph, run);
  await addAsking(graph, run, session.major);
  if (trust !== undefined) await applyTrust(run, session.major, { objects: graph.objects, trust });
  const objects = [...graph.objects.values()];
  const providers = await openProviders(run, objects);
  const rows = await openRows(run, { cast: session.rowsAreCast }, objects);
  const untyped = await openUntyped(run, objects);
  const definers = objects.filter(({ definer }) => definer !== undefined);
  const { isUtf8, schemas } = session;
  const check = createCheck({
    recordFunctions: session.recordFunctions,
    ...{ parser, objects: graph.objects, providers, rows, untyped, isUtf8, schemas },
    openPowers: (ask) => openPowers(ask, definers),
  });
  return { check, watched: findWatched(objects, providers, rows) };
}

/** All functions whose bodies can be read. */
async function openFunctions(run: CatalogQuestion, major: number): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let after = '0'; ; after = found.at(-1)?.oid ?? after) {
    const rows = await run(formatBodies(major), [...rootParams.slice(-3), after]);
    for (const row of rows) found.push(parseFound(row));
    if (rows.length < bodiesPerPage) return found;
  }
}

/** What makes values of whatever type it is given, of the server's own under other names. */
async function addBeginnings(graph: Graph, run: CatalogQuestion): Promise<void> {
  const hasTypes = [...graph.objects.values()].some(
    ({ class: of, oid, name }) => (of === catalogs.type && isUserType(oid)) || (of === catalogs.cast && name === 'text'),
  );
  if (hasTypes) await graph.add(await openFound(run, beginnings));
}

async function openProviders(run: CatalogQuestion, objects: readonly CatalogObject[]): Promise<ReadonlyMap<string, Providers>> {
  const wanted = objects.flatMap(({ shadows, needs, row, class: objectClass }) => [
    ...(shadows || objectClass === catalogs.cast ? needs : []),
    ...(row === undefined ? [] : [row]),
  ]);
  const types = [...new Set(wanted)].filter(isUserType);
  if (types.length === 0) return new Map();
  const answers = await run(providersSql, [`{${types.join(',')}}`]);
  return new Map(
    answers.map(([root, relations, functions, names, operators, anywhere, origins]) => [
      root ?? '',
      {
        relations: new Set(parseList(relations)),
        functions: new Set(parseList(functions)),
        types: new Set(parseList(names)),
        operators: new Set(parseList(operators)),
        anywhere: anywhere === 't',
        origins: new Set(parseList(origins)),
      },
    ]),
  );
}

function parseList(json: string | null | undefined): readonly string[] {
  // We asked for it in this form.
  return json ? (JSON.parse(json) as string[]) : [];
}

/** Those that it is meant for, and all that their values can come from. */
function typesBehind(object: CatalogObject, providers: ReadonlyMap<string, Providers>): readonly string[] {
  const types = [...userNeeds(object), ...(object.row === undefined ? [] : [object.row])];
  return types.flatMap((type) => [type, ...(providers.get(type)?.origins ?? [])]);
}

/** What can come to lead to these without a change in the catalogs that are watched as a whole. */
function findWatched(objects: readonly CatalogObject[], providers: ReadonlyMap<string, Providers>, rows: Rows): Watched {
  const watched = new Map<string, Set<string>>();
  const tables: string[] = [];
  const watch = (catalog: string, oid: string) => {
    if (Number(oid) >= firstUserOid) watched.set(catalog, (watched.get(catalog) ?? new Set()).add(oid));
  };
  for (const object of objects) {
    if (object.class === catalogs.relation) tables.push(object.oid);
    if (object.class === catalogs.type || object.edges.some(({ how }) => how === 'partitions')) watch(object.class, object.oid);
    for (const type of typesBehind(object, providers)) watch(catalogs.type, type);
  }
  const lists = new Map([...watched].map(([catalog, oids]) => [catalog, [...oids]]));
  const types = rows.functions.size > 0;
  return watched.size === 0 && tables.length === 0 && !types ? nothingWatched : { objects: lists, tables, types };
}
