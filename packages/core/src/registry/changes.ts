import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { RawConnection } from './document.ts';
import type { HostAddresses } from './host-addresses.ts';
import { taken, unknownName } from './lookup.ts';
import { assertNotNarrowed, refuseNarrowedPlace } from './narrowed.ts';
import { applyPatch } from './patch.ts';
import {
  isSamePlace,
  type Place,
  parsePlaces,
  placesKey,
  readPlaces,
  readReadonlyPlaces,
  refuseWritable,
} from './readonly-places.ts';
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
  hosts: HostAddresses;
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
  const [before, after] = [current, changed].map((raw) => readPlaces(raw, true, reader));
  return after?.length === 0 || canonical([before, current.ssh]) !== canonical([after, changed.ssh]);
}

export function removeConnection<C extends BaseConnection>(name: string, context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  const current = heldConnection(held, name, rules.storePath);
  assertNotNarrowed(current, 'removed', rules);
  const connections = held.list.filter((one) => one !== current.raw);
  return { connections, ...remembering(current.raw, connections, context) };
}

function assertPlace<C extends BaseConnection>(raw: Fields, { held, rules, candidates, hosts }: ChangeContext<C>): void {
  const { reader, storePath } = rules;
  if (rules.byPerson) return;
  const places = readPlaces(raw, true, reader);
  const others = [...candidates, ...held.connections.map((one) => ({ ...one, expands: true }))];
  refuseNarrowedPlace({ places, hosts }, others, rules);
  if (readReadonlyPlaces(raw, true, reader).length > 0) return;
  const readonly = others.flatMap((one) => readReadonlyPlaces(one.raw, one.expands, reader));
  refuseWritable(places, { places: [...readonly, ...parsePlaces(held.value[placesKey])], hosts, storePath });
}

/** Keeps the places of a read-only connection that leads there no more. */
function remembering<C extends BaseConnection>(before: Fields, after: readonly unknown[], context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  const left = readReadonlyPlaces(before, true, rules.reader);
  const known = held.value[placesKey];
  if (rules.byPerson) return forgetting(left, known);
  const guarding = after.filter(isFields).flatMap((raw) => readReadonlyPlaces(raw, true, rules.reader));
  const guarded = new Set([...guarding, ...parsePlaces(known)].map(canonical));
  const lost = left.filter((place) => !guarded.has(canonical(place)));
  return lost.length === 0 ? {} : { [placesKey]: [...(Array.isArray(known) ? known : []), ...lost] };
}

/** A person who opens a place to writing has decided so; what was remembered of it would only stand in the way. */
function forgetting(left: readonly Place[], known: unknown): Fields {
  if (!Array.isArray(known)) return {};
  const isLeft = (place: Place) => left.some((one) => isSamePlace(place, one));
  const kept = known.filter((one) => !parsePlaces([one]).some(isLeft));
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
