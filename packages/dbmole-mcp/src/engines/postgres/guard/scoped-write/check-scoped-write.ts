import { Failure } from '@dbmole/core/failure';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Scope } from '../../../../policy/scope.ts';
import { formatArray } from '../../values/literal.ts';
import { findCallDenial } from '../denials.ts';
import { openBodies } from '../proof/bodies/bodies.ts';
import type { CatalogObject } from '../proof/catalog/catalog-object.ts';
import type { Check } from '../proof/check.ts';
import { findRelations, formatName, outside, refuseCode, refuseRevealing, toJson } from '../scope.ts';
import { openParser, type Parser } from '../thread/parser.ts';
import type { StatementNames } from '../tree/names.ts';
import { listKeys } from './foreign-keys.ts';
import { listViewChanges, mergeNames, type ReachedText, readPart } from './reached-text.ts';
import { openParts, type Part, type RelationParts, type Trigger } from './relation-parts.ts';
import { anyEvent, type Change, events } from './row-changes.ts';
import { areInside, isSequenceDefault } from './sequences.ts';

export interface WritePlace {
  readonly scope: Scope;
  readonly check: Check;
  readonly major: number;
  readonly ask: CatalogQuestion;
  /** Reads the bodies of all code that the names lead to. */
  explore(names: StatementNames): Promise<void>;
}

/** A relation that the write reaches. */
interface Reached {
  readonly oid: string;
  /** Undefined: it is only read. */
  readonly change: Change | undefined;
  /** What leads to it; undefined for the statement. */
  readonly where: string | undefined;
}

const everything: Change = { events: anyEvent, columns: undefined };
/** A write that leads to more is not followed. */
const maxRelations = 500;

/**
 * Throws for a write that is not known to stay inside. Views, rules, policies, triggers, foreign keys, defaults, checks, children and
 * functions are followed, also behind what is inside: unlike a read, a write can leave something there.
 */
export async function checkScopedWrite(
  place: WritePlace,
  texts: readonly ReachedText[],
  start: readonly Reached[] = [],
  triggers: readonly Trigger[] = [],
): Promise<void> {
  const walk = new WriteWalk(place, await openParser());
  for (const trigger of triggers) await walk.followTrigger(trigger, trigger.label);
  await walk.run(texts, start);
}

/** The relations that names in bodies may mean. */
const anywhereSql = `
  select w.ord, c.oid from pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) as w (ord int, nsp text, name text)
    join pg_catalog.pg_class c on c.relname = w.name and c.relkind in ('r', 'p', 'v', 'm', 'f')
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where case when w.nsp is null then n.nspname = any ($2::text[]) else n.nspname = w.nsp end`;

/** Functions that take long, or change something else than rows of tables; sequences are checked. */
const harmless =
  /^(?:xpath|xpath_exists|xmlexists|xmltable|nextval|setval|setseed|pg_notify|pg_(?:try_)?advisory_\w+|txid_current|pg_current_xact_id)$/;

/** Parts that a read runs, too. */
const whenRead: ReadonlySet<Part['kind']> = new Set(['query', 'policy', 'computed']);

/** A name in the place of a relation, and what happens to its rows. */
interface RelationUse {
  readonly schema: string | undefined;
  readonly name: string;
  readonly changes: readonly Change[];
  readonly where: string | undefined;
}

function listUses({ names, changes, where }: ReachedText): readonly RelationUse[] {
  return names.relations.map(({ schema, name }) => ({
    schema,
    name,
    where,
    changes: changes.flatMap((one) => (one.schema === schema && one.name === name ? one.change : [])),
  }));
}

class WriteWalk {
  readonly #place: WritePlace;
  readonly #parser: Parser;
  readonly #parts = new Map<string, RelationParts>();
  readonly #seen = new Set<string>();
  /** Where the next round goes. */
  #relations: Reached[] = [];
  #texts: ReachedText[] = [];

  constructor(place: WritePlace, parser: Parser) {
    this.#place = place;
    this.#parser = parser;
  }

  async run(texts: readonly ReachedText[], start: readonly Reached[]): Promise<void> {
    this.#texts.push(...texts);
    this.#relations.push(...start);
    while (this.#texts.length + this.#relations.length > 0) {
      await this.#followTexts(this.#texts.splice(0));
      await this.#followRelations(this.#relations.splice(0));
    }
  }

  /** All at once, because each question takes a round trip; one by one to find the one that is refused. */
  async #followTexts(texts: readonly ReachedText[]): Promise<void> {
    const [first] = texts;
    if (first === undefined) return;
    const queued = this.#relations.length;
    try {
      await this.#checkTexts(texts, texts.length === 1 ? first.names : mergeNames(texts));
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'E_OUT_OF_SCOPE') throw error;
      if (texts.length === 1) throw first.where === undefined ? error : this.#refuse(first.where);
      this.#relations.length = queued;
      for (const text of texts) await this.#followTexts([text]);
    }
  }

  async #checkTexts(texts: readonly ReachedText[], names: StatementNames): Promise<void> {
    const { scope, check, major, ask, explore } = this.#place;
    refuseRevealing(names, scope);
    const denied = names.functions.find((call) => findCallDenial(call) !== undefined && !harmless.test(call.name));
    if (denied !== undefined) throw outside(`${denied.name}() can reach what is outside of`, scope);
    const sequences = texts.flatMap((text) => text.sequences);
    if (!(await areInside(sequences, { scope, ask }))) throw outside('a sequence of the statement may be outside of', scope);
    await explore(names);
    await this.#followNames(texts.filter(({ isBody }) => !isBody));
    await this.#followAnywhere(texts.filter(({ isBody }) => isBody).flatMap(listUses));
    const code = await refuseCode({ names, scope, check, major, ask, isWrite: true });
    for (const object of code) await this.#followCode(object);
  }

  /** Names in the statement, and in what the server wrote for this session. */
  async #followNames(texts: readonly ReachedText[]): Promise<void> {
    const [first] = texts;
    if (first === undefined) return;
    const { scope, ask } = this.#place;
    const names = texts.length === 1 ? first.names : mergeNames(texts);
    const uses = texts.flatMap(listUses);
    const { relations, rowTypes } = await findRelations(names, ask);
    for (const { use, schema } of relations) {
      if (schema === undefined || !scope.allows(schema, use.name)) throw scope.refuse(formatName(use), names.positionOf(use));
    }
    const type = rowTypes.find(({ schema, table }) => !scope.allows(schema, table));
    if (type !== undefined) throw scope.refuse(`the row type ${formatName(type.use)}`, names.positionOf(type.use));
    for (const [i, { use, oid }] of relations.entries()) {
      // It may be made, or renamed, until the statement runs.
      if (oid === '') throw outside(`${formatName(use)} was not found, so the write could leave`, scope);
      this.#reach(oid, uses[i]);
    }
  }

  /** Names in bodies: all that they may mean. */
  async #followAnywhere(uses: readonly RelationUse[]): Promise<void> {
    const { check, ask } = this.#place;
    if (uses.length === 0) return;
    for (const [ord, oid] of await ask(anywhereSql, [toJson(uses), formatArray(check.schemas)]))
      this.#reach(oid ?? '', uses[Number(ord)]);
  }

  #reach(oid: string, use: RelationUse | undefined): void {
    for (const change of [undefined, ...(use?.changes ?? [])]) this.#relations.push({ oid, change, where: use?.where });
  }

  async #followCode(object: CatalogObject): Promise<void> {
    const { schema, name, reason, defines, reads, changed } = object;
    const where = `function ${schema}.${name}()`;
    if (this.#seen.has(where)) return;
    this.#seen.add(where);
    if (reason !== undefined) throw this.#refuse(where, `it ${reason}`);
    if (defines) throw this.#refuse(where, 'it changes definitions');
    await this.#followAnywhere([
      ...reads.map((one) => ({ ...one, where, changes: [] })),
      ...changed.map((one) => ({ ...one, where, changes: [everything] })),
    ]);
  }

  async #followRelations(reached: readonly Reached[]): Promise<void> {
    const { ask, major } = this.#place;
    const missing = [...new Set(reached.map(({ oid }) => oid))].filter((oid) => !this.#parts.has(oid));
    if (this.#parts.size + missing.length > maxRelations) throw this.#refuse('the write', 'it reaches too many tables');
    if (missing.length > 0) for (const parts of await openParts(ask, major, missing)) this.#parts.set(parts.oid, parts);
    for (const one of reached) {
      const key = JSON.stringify([one.oid, one.change]);
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      const parts = this.#parts.get(one.oid);
      if (parts !== undefined) await this.#followRelation(one, parts);
    }
  }

  async #followRelation({ change, where }: Reached, parts: RelationParts): Promise<void> {
    const { schema, name, children } = parts;
    const own = `${schema}.${name}`;
    if (!this.#place.scope.allows(schema, name)) throw this.#refuse(where ?? own);
    for (const part of parts.parts)
      if (change !== undefined || whenRead.has(part.kind)) this.#addPart(part, `${part.label} of ${own}`, change);
    const done = change && widen(change, parts);
    for (const oid of children) this.#relations.push({ oid, change: done, where: `a partition or child of ${own}` });
    if (done !== undefined) await this.#followChange(done, parts, own);
  }

  async #followChange(change: Change, parts: RelationParts, own: string): Promise<void> {
    if (parts.kind === 'f') throw this.#refuse(own, 'it is a table of another server');
    this.#checkSequences(parts);
    this.#followKeys(parts, change);
    for (const trigger of parts.triggers)
      if ((trigger.type & change.events) !== 0) await this.followTrigger(trigger, `${trigger.label} of ${own}`);
  }

  /** A change of a view changes what it reads, unless a trigger does it instead. */
  #addPart(part: Part, where: string, change: Change | undefined): void {
    if (isSequenceDefault(part)) return;
    try {
      for (const text of readPart(part, where, this.#parser)) {
        const added = change === undefined || part.kind !== 'query' ? [] : listViewChanges(text, part, change, this.#parser);
        this.#texts.push({ ...text, changes: [...text.changes, ...added] });
      }
    } catch {
      throw this.#refuse(where, 'it cannot be read');
    }
  }

  #checkSequences({ schema, name, sequences, oid, parts }: RelationParts): void {
    const { scope } = this.#place;
    const isInside = sequences.every(([place, sequence, owner]) => owner === oid || scope.allows(place, sequence));
    const isKnown = sequences.length > 0 || !parts.some(isSequenceDefault);
    if (!isInside || !isKnown) throw this.#refuse(`a sequence of ${schema}.${name}`);
  }

  #followKeys(parts: RelationParts, change: Change): void {
    const own = `${parts.schema}.${parts.name}`;
    for (const { key, change: next } of listKeys(parts, change))
      this.#relations.push({ oid: key.oid, change: next, where: `${key.label} of ${own}` });
  }

  async followTrigger({ body: reference, isBuiltin }: Trigger, where: string): Promise<void> {
    if (isBuiltin) return;
    const [body] = await openBodies(this.#place.ask, [reference]);
    if (body === undefined) throw this.#refuse(where, 'its function was not found');
    const { refused, unprovable, defines, dynamic, uses } = this.#place.check.readBody(body);
    const why = refused ?? unprovable ?? (defines ? 'changes definitions' : undefined);
    if (why !== undefined || dynamic.length > 0) throw this.#refuse(where, `its function ${why ?? 'chooses tables at run time'}`);
    for (const names of uses.statements) {
      const changes = names.targets.map(({ schema, name }) => ({ schema, name, change: everything }));
      this.#texts.push({ where, names, changes, sequences: [], isBody: true });
    }
  }

  #refuse(where: string, why?: string): Failure {
    const { scope } = this.#place;
    return outside(
      why === undefined ? `${where} leads outside of` : `${where} cannot be followed, because ${why}, so the write could leave`,
      scope,
    );
  }
}

/** A row that is updated can move to another partition. */
function widen(change: Change, { kind }: RelationParts): Change {
  return kind === 'p' && (change.events & events.update) !== 0 ? { ...change, events: anyEvent } : change;
}
