import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { type Body, openBodies } from './bodies.ts';
import { groupByName } from './by-name.ts';
import { Closure } from './closure.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';
import { parseFound, userNeeds } from './node.ts';
import { formatPremise, nothingWatched, openSeen, type Seen, type Watched } from './premise.ts';
import { openReach, type Reach } from './reach.ts';
import { BodyReader } from './reading.ts';
import { isSuspicious, judgeRights, judgeText, reasonOfSeed, seedParams, sortSeeds } from './seeds.ts';
import { formatSeeds } from './seeds-sql.ts';

export interface Loaded {
  readonly closure: Closure;
  readonly seen: Seen;
  readonly watched: Watched;
}

/** When the catalog changes while it is read, it is read again; so many times. */
const attempts = 5;

export async function loadTaint(run: CatalogQuestion): Promise<Loaded> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await openSeen(run, nothingWatched);
    const closure = await openClosure(run);
    const watched = watchedOf(closure);
    if (watched === nothingWatched) return { closure, seen: before, watched };
    const seen = await openSeen(run, watched);
    const [held] = await run(`select ${formatPremise(before, nothingWatched)}`);
    if (held?.[0] === 't') return { closure, seen, watched };
  }
  throw new Failure('engine', 'the catalog of this database changes all the time, so reads cannot be checked', {
    code: 'E_CONFLICT',
    hint: 'Call again when functions and views are not being made and dropped.',
  });
}

async function openClosure(run: CatalogQuestion): Promise<Closure> {
  const [version] = await run("select pg_catalog.current_setting('server_version_num')");
  const major = Math.floor(Number(version?.[0]) / 10_000);
  const seeds = sortSeeds((await run(formatSeeds(major), seedParams)).map(parseFound));
  const bodies = await openBodies(run, major);
  const reach = await openReachOf(run, bodies);
  const reader = new BodyReader();
  const rights = { reach, reader, byName: groupByName(bodies) };
  const judge = (body: Body) => judgeText(body, reader) ?? judgeRights(body, rights);
  const closure = new Closure({ run, major, bodies, judge, reader });
  await closure.addSeeds(seeds, reasonOfSeed);
  await addNamed(closure, reader);
  return closure;
}

/** It matters only where something may be run that is not in the text. */
async function openReachOf(run: CatalogQuestion, bodies: readonly Body[]): Promise<Reach> {
  if (!bodies.some(isSuspicious)) return { own: undefined, roles: new Map() };
  return await openReach(run, [...new Set(bodies.flatMap(({ definer }) => definer ?? []))]);
}

/** What reads whatever relation it is told the name of is as good as the relations there are. */
async function addNamed(closure: Closure, reader: BodyReader): Promise<void> {
  const relation = [...closure.nodes.values()].find((node) => node.class === catalogs.relation);
  if (relation === undefined) return;
  const reason = `reads what it is told the name of, and that can be ${relation.kind} ${relation.name}`;
  await closure.addBodies((body) => (isSuspicious(body) && reader.read(body).verdict !== 'fixed' ? reason : undefined));
}

/** What can come to lead to these without a change in the catalogs that are watched as a whole. */
function watchedOf({ nodes }: Closure): Watched {
  const objects = new Map<string, string[]>();
  const tables: string[] = [];
  const watch = (catalog: string, oid: string) => {
    if (Number(oid) >= firstUserOid) objects.set(catalog, [...(objects.get(catalog) ?? []), oid]);
  };
  for (const node of nodes.values()) {
    if (node.class === catalogs.relation) tables.push(node.oid);
    else if (node.class === catalogs.type || node.immutable) watch(node.class, node.oid);
    const types = [...userNeeds(node), ...(node.row === undefined ? [] : [node.row])];
    for (const type of types) watch(catalogs.type, type);
  }
  return objects.size === 0 && tables.length === 0 ? nothingWatched : { objects, tables };
}
