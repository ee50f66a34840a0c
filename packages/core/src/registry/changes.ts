import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { RawConnection } from './document.ts';
import { taken, unknownName } from './lookup.ts';
import { assertNotNarrowed, refuseNarrowedPlace } from './narrowed.ts';
import { applyPatch } from './patch.ts';
import { isSamePlace, type Place, parsePlaces, placeOf, placesKey, readonlyPlace, refuseWritable } from './readonly-places.ts';
import type { Candidate } from './sources.ts';
import type { Held } from './store.ts';
import { assertFits, type EditRules } from './tool-input.ts';
import { canonical, type Fields, isFields } from './tree.ts';

/**
 * The three changes of the store that a tool can ask for. Each answers the top-level keys of the file that change, from what
 * the file holds at that moment; throwing changes nothing.
 */
export interface ChangeContext<C extends BaseConnection> {
  held: Held;
  rules: EditRules<C>;
  /** The connections of all sources. */
  candidates: readonly Candidate[];
}

export function addConnection<C extends BaseConnection>(raw: Fields, context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  if (held.connections.some(({ name }) => name === raw.name)) throw taken(String(raw.name), rules.storePath);
  assertPlace(raw, context);
  return { connections: [...held.list, raw] };
}

export function updateConnection<C extends BaseConnection>(name: string, patch: Fields, context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  const current = heldConnection(held, name, rules.storePath);
  const changed = applyPatch(current, patch, rules);
  assertFits(changed, rules);
  if (isMoved(current.raw, changed, rules)) {
    assertNotNarrowed(current, 'moved', rules);
    assertPlace(changed, context);
  }
  const connections = held.list.map((one) => (one === current.raw ? changed : one));
  return { connections, ...remembering(current.raw, connections, context) };
}

/** Exactly: a place without a port stands for all of them only where it guards, and behind another SSH server it is another one. */
function isMoved<C extends BaseConnection>(current: Fields, changed: Fields, { reader }: EditRules<C>): boolean {
  const [before, after] = [placeOf(current, true, reader), placeOf(changed, true, reader)];
  if (!before || !after || before.host !== after.host || before.port !== after.port) return true;
  return canonical(current.ssh) !== canonical(changed.ssh);
}

export function removeConnection<C extends BaseConnection>(name: string, context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  const current = heldConnection(held, name, rules.storePath);
  assertNotNarrowed(current, 'removed', rules);
  const connections = held.list.filter((one) => one !== current.raw);
  return { connections, ...remembering(current.raw, connections, context) };
}

function assertPlace<C extends BaseConnection>(raw: Fields, { held, rules, candidates }: ChangeContext<C>): void {
  const { reader, storePath } = rules;
  if (rules.byPerson) return;
  const place = placeOf(raw, true, reader);
  if (place) {
    const stored = held.connections.map((one) => ({ ...one, expands: true }));
    refuseNarrowedPlace(place, [...candidates, ...stored], rules);
  }
  if (readonlyPlace(raw, true, reader)) return;
  const inFiles = candidates.flatMap((one) => readonlyPlace(one.raw, one.expands, reader) ?? []);
  const inStore = held.connections.flatMap((one) => readonlyPlace(one.raw, true, reader) ?? []);
  if (place) refuseWritable(place, [...inFiles, ...inStore, ...parsePlaces(held.value[placesKey])], storePath);
}

/** Keeps the place of a read-only connection that leads there no more. */
function remembering<C extends BaseConnection>(before: Fields, after: readonly unknown[], context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  const left = readonlyPlace(before, true, rules.reader);
  if (!left) return {};
  const known = held.value[placesKey];
  if (rules.byPerson) return forgetting(left, known);
  const guarding = after.filter(isFields).flatMap((raw) => readonlyPlace(raw, true, rules.reader) ?? []);
  if ([...guarding, ...parsePlaces(known)].some(({ host, port }) => host === left.host && port === left.port)) return {};
  return { [placesKey]: [...(Array.isArray(known) ? known : []), left] };
}

/** A person who opens a place to writing has decided so; what was remembered of it would only stand in the way. */
function forgetting(left: Place, known: unknown): Fields {
  if (!Array.isArray(known)) return {};
  const kept = known.filter((one) => !parsePlaces([one]).some((place) => isSamePlace(place, left)));
  return kept.length === known.length ? {} : { [placesKey]: kept };
}

/** The one connection of this name in the store. */
function heldConnection(held: Held, name: string, storePath: string): RawConnection {
  const [found, another] = held.connections.filter((connection) => connection.name === name);
  if (!found)
    throw unknownName(
      name,
      held.connections.map((connection) => connection.name),
    );
  if (!another) return found;
  throw new Failure(
    'config',
    `${storePath} holds more than one connection "${name}" (${found.position} and ${another.position})`,
    {
      code: 'E_DUPLICATE_NAME',
      hint: `A person deletes or renames one of them in ${storePath}.`,
    },
  );
}
