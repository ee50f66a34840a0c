import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { type Body, openBodies } from './bodies.ts';
import { groupByName } from './by-name.ts';
import { Closure } from './closure.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';
import { isUserType, parseFound, type TaintNode, userNeeds } from './node.ts';
import { beginnings, makesAnyType } from './polymorphic.ts';
import { formatPremise, nothingWatched, openSeen, type Seen, type Watched } from './premise.ts';
import { openReach, type Reach } from './reach.ts';
import { BodyReader } from './reading.ts';
import { openRows, type Rows, rowsAreCast } from './rows.ts';
import {
  findsFields,
  findsThings,
  isSuspicious,
  judgeGiven,
  judgeRights,
  judgeText,
  type Rights,
  reasonOfSeed,
  runsAnything,
  seedParams,
  sortSeeds,
} from './seeds.ts';
import { formatSeeds } from './seeds-sql.ts';
import { openUntyped, type Untyped } from './untyped.ts';
import { formatNode } from './words.ts';

export interface Loaded {
  readonly closure: Closure;
  readonly rows: Rows;
  readonly untyped: Untyped;
  readonly seen: Seen;
  readonly watched: Watched;
}

/** When the catalog changes while it is read, it is read again; so many times. */
const attempts = 5;

export async function loadTaint(run: CatalogQuestion): Promise<Loaded> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await openSeen(run, nothingWatched);
    const { closure, cast } = await openClosure(run);
    const rows = await openRows(run, { cast }, closure.nodes.values());
    const watched = watchedOf(closure, rows);
    const untyped = await openUntyped(run, closure.nodes.values());
    if (watched === nothingWatched) return { closure, rows, untyped, seen: before, watched };
    const seen = await openSeen(run, watched);
    const [held] = await run(`select ${formatPremise(before, nothingWatched)}`);
    if (held?.[0] === 't') return { closure, rows, untyped, seen, watched };
  }
  throw new Failure('engine', 'the catalog of this database changes all the time, so reads cannot be checked', {
    code: 'E_CONFLICT',
    hint: 'Call again when functions and views are not being made and dropped.',
  });
}

/** `cast`: whether rows become something else. */
async function openClosure(run: CatalogQuestion): Promise<{ closure: Closure; cast: boolean }> {
  const [version] = await run(`select pg_catalog.current_setting('server_version_num'), ${rowsAreCast}`);
  const major = Math.floor(Number(version?.[0]) / 10_000);
  const seeds = sortSeeds((await run(formatSeeds(major), seedParams)).map(parseFound));
  const bodies = await openBodies(run, major);
  const reach = await openReachOf(run, bodies);
  const cast = version?.[1] === 't';
  const reader = new BodyReader(cast);
  const rights = { reach, reader, byName: groupByName(bodies) };
  const judge = (body: Body) => judgeText(body, reader) ?? judgeRights(body, rights) ?? judgeGiven(body, reader);
  const closure = new Closure({ run, major, bodies, judge, reader });
  await closure.addSeeds(seeds, reasonOfSeed);
  await addRights(closure, rights);
  await addPolymorphic(closure, run);
  await addNamed(closure, reader);
  return { closure, cast };
}

/** It matters only where something may be run that is not in the text. */
async function openReachOf(run: CatalogQuestion, bodies: readonly Body[]): Promise<Reach> {
  if (!bodies.some(isSuspicious)) return { user: undefined, own: undefined, roles: new Map() };
  return await openReach(run, [...new Set(bodies.flatMap(({ definer }) => definer ?? []))]);
}

/** What runs SQL that nobody has seen can call what runs with the rights of somebody else. */
async function addRights(closure: Closure, { reach, reader }: Rights): Promise<void> {
  const stronger = [...closure.nodes.values()].find(({ definer }) => definer !== undefined && definer !== reach.user);
  if (stronger === undefined) return;
  const reason = `runs SQL that it puts together at run time, and that can be ${formatNode(stronger)}`;
  await closure.addBodies((body) => (runsAnything(body, reader) ? reason : undefined));
}

/** What reads whatever it is told the name of is as good as the relations and types there are. */
async function addNamed(closure: Closure, reader: BodyReader): Promise<void> {
  const nodes = [...closure.nodes.values()];
  const field = nodes.find(({ row, whole, open }) => row !== undefined && whole && open);
  if (field !== undefined) {
    const reason = `reads a column that it is told the name of, and that can be ${formatNode(field)}`;
    await closure.addBodies((body) => (findsFields(body, reader) ? reason : undefined));
  }
  const relation = nodes.find((node) => node.class === catalogs.relation);
  const found = relation ?? nodes.find((node) => node.class === catalogs.type && isUserType(node.oid));
  if (found === undefined) return;
  const reason = `reads what it is told the name of, and that can be ${found.kind} ${found.name}`;
  await closure.addFinding(reason);
  await closure.addBodies((body) => (findsThings(body, reader) ? reason : undefined));
}

/** What makes values of whatever type it is given is as good as the types there are. */
async function addPolymorphic(closure: Closure, run: CatalogQuestion): Promise<void> {
  const nodes = [...closure.nodes.values()];
  const type = nodes.find((node) => node.class === catalogs.type && isUserType(node.oid));
  const made = type ?? nodes.find(({ class: of, name }) => of === catalogs.cast && name === 'text');
  if (made === undefined) return;
  const reason = `makes values of the types that it is given, and that can be ${formatNode(made)}`;
  await closure.addSeeds((await run(beginnings)).map(parseFound), () => reason);
  if (type === undefined) return;
  // The server's own do what they say: `quote_literal` of anything.
  await closure.addBodies((body) => (isUserType(body.oid) && makesAnyType(body) ? reason : undefined));
}

/** Partitioned tables, which get new parts; functions that are no body, which conversions and parsers can be made of. */
const watchedHow = new Set(['partitions', 'alias', 'symbol', 'library', 'code']);

/** Those that it is meant for, and all that their values can come from. */
function typesBehind(node: TaintNode, providers: Closure['providers']): readonly string[] {
  const types = [...userNeeds(node), ...(node.row === undefined ? [] : [node.row])];
  return types.flatMap((type) => [type, ...(providers.get(type)?.origins ?? [])]);
}

/** What can come to lead to these without a change in the catalogs that are watched as a whole. */
function watchedOf({ nodes, providers }: Closure, { functions }: Rows): Watched {
  const objects = new Map<string, Set<string>>();
  const tables: string[] = [];
  const watch = (catalog: string, oid: string) => {
    if (Number(oid) >= firstUserOid) objects.set(catalog, (objects.get(catalog) ?? new Set()).add(oid));
  };
  for (const node of nodes.values()) {
    if (node.class === catalogs.relation) tables.push(node.oid);
    if (node.class === catalogs.type || node.immutable || watchedHow.has(node.how)) watch(node.class, node.oid);
    for (const type of typesBehind(node, providers)) watch(catalogs.type, type);
  }
  const lists = new Map([...objects].map(([catalog, oids]) => [catalog, [...oids]]));
  const types = functions.size > 0;
  return objects.size === 0 && tables.length === 0 && !types ? nothingWatched : { objects: lists, tables, types };
}
