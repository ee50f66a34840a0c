import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { type Findable, findReach } from '../denials.ts';
import type { Parser } from '../thread/parser.ts';
import type { NameUse } from '../tree/names.ts';
import { type Body, type BodyReference, openBodies } from './bodies/bodies.ts';
import { type BodyReading, type ReadOptions, readBody } from './bodies/read-body.ts';
import { addEdge, CatalogObject, type Edge, isUserType, toKey } from './catalog/catalog-object.ts';
import { catalogs } from './catalog/describe-sql.ts';
import type { Powers } from './catalog/powers.ts';

/** Finds what a body leads to by its names. */
export type FindEdges = (body: Body, reading: BodyReading) => readonly CatalogObject[];

export interface ExplorerOptions extends ReadOptions {
  readonly parser: Parser;
  readonly objects: ReadonlyMap<string, CatalogObject>;
  readonly findEdges: FindEdges;
  /** Loads what unprovable code could do with the rights of a role; called when such code is found. */
  readonly openPowers: (run: CatalogQuestion) => Promise<Powers>;
}

/** Not the OID of an object. */
const anythingOid = 'anything';

/** The most bodies that are fetched before anything leads to them. */
const maxAhead = 4_000;
/** After so many bodies, other checks run. */
const bodiesPerTurn = 50;

/** Follows what objects lead to. A body is read once, when a statement first reaches it. */
export class Explorer {
  /** What may be found by its name at run time. */
  readonly #findable: Readonly<Record<Findable, CatalogObject>>;
  /** Any type of a value, and any cast. */
  readonly anyType: CatalogObject;
  readonly #options: ExplorerOptions;
  #powers: Powers | undefined;
  /** The last exploration. Explorations run one at a time, because an object is marked as explored when its exploration begins. */
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;
  /** Fetched and not read yet. */
  readonly #bodies = new Map<CatalogObject, Body>();
  #ahead = 0;
  #anything: CatalogObject | undefined;

  constructor(options: ExplorerOptions) {
    this.#options = options;
    const objects = [...options.objects.values()];
    const relations = objects.filter(({ class: of }) => of === catalogs.relation);
    const types = objects.filter(({ class: of }) => of === catalogs.type);
    const userTypes = types.filter(({ oid }) => isUserType(oid));
    const having = (how: string) => relations.filter(({ edges }) => edges.some((edge) => edge.how === how));
    this.#findable = {
      relations: createGroup('relations', [...relations, ...userTypes]),
      types: createGroup('types', types),
      partitions: createGroup('partitions', having('partitions')),
      indexes: createGroup('indexes', having('index')),
    };
    const casts = objects.filter(({ class: of }) => of === catalogs.cast);
    this.anyType = createGroup('types and casts', [...userTypes, ...casts]);
  }

  /** Whether an exploration failed, which leaves incomplete results behind. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The groups of objects that these functions may find. */
  listFound(uses: readonly Pick<NameUse, 'schema' | 'name'>[]): readonly CatalogObject[] {
    return [...new Set(uses.flatMap((use) => findReach(use) ?? []))].map((kind) => this.#findable[kind]);
  }

  /** Makes `isRefused` of these objects final. */
  async explore(start: readonly CatalogObject[], run: CatalogQuestion): Promise<void> {
    const before = this.#last;
    const own = before.then(() => this.#explore(start, run));
    this.#last = own.catch(() => {
      this.#isBroken = true;
    });
    await own;
  }

  async #explore(start: readonly CatalogObject[], run: CatalogQuestion): Promise<void> {
    if (this.#isBroken) throw new Error('an exploration of the catalog failed');
    const explored: CatalogObject[] = [];
    for (let level = takeNew(start); level.length > 0; ) {
      for (const object of level) explored.push(object);
      await this.#readBodies(
        level.filter(({ body, reason, isTrusted }) => body !== undefined && reason === undefined && !isTrusted),
        run,
      );
      for (const object of level) this.#addGroups(object);
      level = takeNew(level.flatMap(({ edges }) => edges.map(({ to }) => to)));
    }
    if (explored.length === 0) return;
    propagate(explored);
    await this.#judgeDefiners(explored, run);
  }

  #addGroups(object: CatalogObject): void {
    const found = object.isDeniedByName && object.class === catalogs.function ? this.listFound([object]) : [];
    for (const group of found) addEdge(object, group, 'finds');
    if (object.makesAnyType) addEdge(object, this.anyType, 'makes');
  }

  async #readBodies(objects: readonly CatalogObject[], run: CatalogQuestion): Promise<void> {
    if (objects.some((object) => !this.#bodies.has(object))) await this.#openBodies(objects, run);
    for (const [i, object] of objects.entries()) {
      const body = this.#bodies.get(object);
      if (i % bodiesPerTurn === bodiesPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
      if (body !== undefined) await this.#readOne(object, body, run);
      this.#bodies.delete(object);
    }
  }

  /** Fetches more bodies ahead each time, so that a long chain of functions does not take one query per function. */
  async #openBodies(objects: readonly CatalogObject[], run: CatalogQuestion): Promise<void> {
    const missing = objects.filter((object) => !this.#bodies.has(object));
    const others = [...this.#options.objects.values()].filter(
      (object) => object.body !== undefined && !object.isExplored && !this.#bodies.has(object),
    );
    const wanted = [...missing, ...others.slice(0, this.#ahead)];
    this.#ahead = Math.min(Math.max(8, this.#ahead * 4), maxAhead);
    const known = new Map(wanted.map((object) => [toKey(object.class, object.oid), object]));
    const references = wanted.map(({ class: of, oid, body = '' }): BodyReference => ({ class: of, oid, language: body }));
    for (const body of await openBodies(run, references)) {
      const object = known.get(toKey(body.class, body.oid));
      if (object !== undefined) this.#bodies.set(object, body);
    }
  }

  async #readOne(object: CatalogObject, body: Body, run: CatalogQuestion): Promise<void> {
    const { parser, findEdges } = this.#options;
    const reading = readBody(body, parser, this.#options);
    object.reason ??= reading.refused;
    object.leavesState ||= reading.leavesState;
    object.reads = reading.uses.listRelations().map(({ schema, name }) => ({ schema, name }));
    object.changed = reading.uses.statements.flatMap(({ targets }) => targets.map(({ schema, name }) => ({ schema, name })));
    object.defines = reading.defines;
    object.columns = new Set(reading.uses.statements.flatMap(({ columns }) => [...columns]));
    object.calls = [...reading.uses.names];
    for (const to of findEdges(body, reading)) addEdge(object, to, 'calls');
    for (const group of this.listFound(reading.dynamic)) addEdge(object, group, 'finds');
    // The functions of the server that take any type are known.
    if (isUserType(object.oid) && reading.hasAnyType) addEdge(object, this.anyType, 'makes');
    if (reading.unprovable !== undefined) this.#judgeUnprovable(object, reading, await this.#openPowers(run));
  }

  #judgeUnprovable(object: CatalogObject, { unprovable: reason, isGiven }: BodyReading, { user, own, roles }: Powers): void {
    const owner = object.definer === null ? undefined : roles.get(object.definer);
    object.isUnprovable = true;
    if (own !== undefined) object.reason ??= `${reason}, and this user ${own}`;
    else if (owner !== undefined) object.reason ??= `${reason}, and its owner, with whose rights it runs, ${owner}`;
    else if (isGiven) object.reason ??= `${reason}: it runs SQL that it is given`;
    else addEdge(object, this.#groupAnything(user), 'anything');
  }

  /** Objects that act even for a harmless user. */
  #groupAnything(user: string | undefined): CatalogObject {
    const actsForAnyone = ({ class: of, definer, reason }: CatalogObject) =>
      of === catalogs.function ? definer !== null && definer !== user : of === catalogs.relation && reason !== undefined;
    this.#anything ??= createGroup(anythingOid, [...this.#options.objects.values()].filter(actsForAnyone));
    return this.#anything;
  }

  /** A SECURITY DEFINER function may call unprovable code with the rights of its owner. */
  async #judgeDefiners(explored: readonly CatalogObject[], run: CatalogQuestion): Promise<void> {
    const definers = explored.filter((object) => object.definer !== null && object.isUnprovable && !object.isRefused);
    if (definers.length === 0) return;
    const { roles } = await this.#openPowers(run);
    for (const object of definers) {
      const owner = roles.get(object.definer ?? '');
      if (owner !== undefined)
        object.reason ??= `calls what cannot be checked, and its owner, with whose rights it runs, ${owner}`;
    }
    propagate(definers);
  }

  async #openPowers(run: CatalogQuestion): Promise<Powers> {
    this.#powers ??= await this.#options.openPowers(run);
    return this.#powers;
  }
}

function createGroup(oid: string, members: readonly CatalogObject[]): CatalogObject {
  const group = new CatalogObject({ class: '0', oid, description: {} });
  for (const member of members) addEdge(group, member, 'calls');
  return group;
}

function takeNew(objects: Iterable<CatalogObject>): CatalogObject[] {
  const fresh: CatalogObject[] = [];
  for (const object of objects) {
    if (object.isExplored) continue;
    object.isExplored = true;
    fresh.push(object);
  }
  return fresh;
}

/** Marks all objects that lead to a reason, shortest path first. */
function propagate(explored: readonly CatalogObject[]): void {
  const queue: CatalogObject[] = [];
  for (const object of explored) {
    if (object.reason !== undefined) mark(object, undefined, queue);
    markBy(object, object.edges, queue);
    if (object.edges.some(({ to }) => to.isUnprovable && to.oid !== anythingOid)) object.isUnprovable = !object.isTrusted;
    if (object.isUnprovable) markUnprovable(object);
  }
  for (const to of queue) for (const { from, how } of to.usedBy) markBy(from, [{ to, how }], queue);
}

function markBy(object: CatalogObject, edges: readonly Edge[], queue: CatalogObject[]): void {
  for (const edge of edges) if (edge.to.isRefused && carriesRefusal(edge)) mark(object, edge, queue);
}

function mark(object: CatalogObject, cause: Edge | undefined, queue: CatalogObject[]): void {
  if (object.isTrusted) return;
  const implicit = isAlwaysRun(object, cause);
  // What is already refused may become implicit. Its cause stays, because the new one may lead back to it.
  if (object.isRefused && (object.implicit || !implicit)) return;
  if (!object.isRefused) object.cause = cause;
  object.isRefused = true;
  object.implicit = implicit;
  queue.push(object);
}

function isAlwaysRun({ class: of }: CatalogObject, cause: Edge | undefined): boolean {
  if (of === catalogs.type) return cause !== undefined && isImplicit(cause);
  // The policies of a table and the type of its rows count when it is read by its own name.
  return of === catalogs.relation && cause?.how !== 'policy' && cause?.how !== 'row';
}

function isImplicit({ to, how }: Edge): boolean {
  if (how === 'made') return to.implicit;
  return how === 'type' || how === 'sorted' || how === 'cast';
}

/** Whether an edge to a refused object refuses the object that it comes from. */
function carriesRefusal({ to, how }: Edge): boolean {
  // The values of a domain in a table were checked when they were written.
  if ((how === 'column' || how === 'row') && to.class === catalogs.type) return to.implicit;
  return how !== 'child' || to.implicit;
}

function markUnprovable(object: CatalogObject): void {
  for (const pending = [object]; pending.length > 0; ) {
    const next = pending.pop();
    for (const { from } of next?.usedBy ?? []) {
      if (from.isUnprovable || from.isTrusted || from.oid === anythingOid) continue;
      from.isUnprovable = true;
      pending.push(from);
    }
  }
}
