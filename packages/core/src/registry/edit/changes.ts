import type { BaseConnection } from '../../connection.ts';
import { askUser, Failure } from '../../failure.ts';
import { taken, unknownName } from '../lookup.ts';
import type { WrittenConnection } from '../read-connection.ts';
import { placesKey, type RawConnection } from '../sources/document.ts';
import type { HostAddresses } from '../sources/host-addresses.ts';
import type { Candidate } from '../sources/sources.ts';
import { canonical, type Fields, isFields } from '../tree.ts';
import {
  isSamePlace,
  type Place,
  parsePlaces,
  readPlaces,
  readReadonlyPlaces,
  refuseWritable,
} from '../trust/readonly-places.ts';
import { applyPatch } from './patch.ts';
import type { Held } from './store.ts';
import { assertFits, type EditRules, inStore } from './tool-input.ts';

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
  const stored = restrict(raw, rules);
  assertPlace(stored, context);
  return { connections: [...held.list, stored] };
}

/** What a tool adds through a server that only reads stays read-only for the next server, which may write. */
function restrict<C extends BaseConnection>(raw: Fields, { asUser, reader, storePath }: EditRules<C>): Fields {
  if (asUser || !reader.connections.isReadonly) return raw;
  if (raw.readonly !== false) return { ...raw, readonly: true };
  throw new Failure('refused', 'the server was started with --readonly: a tool cannot add a writable connection', {
    code: 'E_READONLY_LOCKED',
    hint: ['Leave readonly out, or pass true.', askUser(`add it to ${storePath}`)],
  });
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

/** The connection as it would be after the change. */
export function previewUpdate<C extends BaseConnection>(
  name: string,
  patch: Fields,
  { candidates }: { candidates: readonly RawConnection[] },
  rules: EditRules<C>,
): Fields {
  const changed = applyPatch(heldConnection({ connections: candidates }, name, rules.storePath), patch, rules);
  assertFits(changed, rules);
  return changed;
}

/** Exactly: a place without a port covers all ports only where it guards, and behind another SSH server it is another one. */
function isMoved<C extends BaseConnection>(current: Fields, changed: Fields, rules: EditRules<C>): boolean {
  const [before, after] = [current, changed].map((raw) => readPlaces(inStore(raw, rules), rules.reader));
  return after?.length === 0 || canonical([before, current.ssh]) !== canonical([after, changed.ssh]);
}

export function renameConnection<C extends BaseConnection>(name: string, to: string, { held, rules }: ChangeContext<C>): Fields {
  const { raw } = heldConnection(held, name, rules.storePath);
  if (held.connections.some((one) => one.name === to)) throw taken(to, rules.storePath);
  const renamed = { ...raw, name: to };
  assertFits(renamed, rules);
  return { connections: held.list.map((one) => (one === raw ? renamed : one)) };
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
  if (rules.asUser) return;
  const written = inStore(raw, rules);
  const places = readPlaces(written, reader);
  const others = [...candidates, ...held.connections.map((one) => ({ ...one, ...inStore(one.raw, rules) }))];
  refuseNarrowedPlace({ places, hosts }, others, rules);
  if (readReadonlyPlaces(written, reader).length > 0) return;
  const readonly = others.flatMap((one) => readReadonlyPlaces(one, reader));
  refuseWritable(places, { places: [...readonly, ...parsePlaces(held.value[placesKey])], hosts, storePath });
}

/** Keeps the places of a read-only connection that leads there no more. */
function remembering<C extends BaseConnection>(before: Fields, after: readonly unknown[], context: ChangeContext<C>): Fields {
  const { held, rules } = context;
  const left = readReadonlyPlaces(inStore(before, rules), rules.reader);
  const known = held.value[placesKey];
  if (rules.asUser) return forgetting(left, known);
  const guarding = after.filter(isFields).flatMap((raw) => readReadonlyPlaces(inStore(raw, rules), rules.reader));
  const guarded = new Set([...guarding, ...parsePlaces(known)].map(canonical));
  const lost = left.filter((place) => !guarded.has(canonical(place)));
  return lost.length === 0 ? {} : { [placesKey]: [...(Array.isArray(known) ? known : []), ...lost] };
}

/** A person who opens a place to writing has decided so; what was remembered of it would only be in the way. */
function forgetting(left: readonly Place[], known: unknown): Fields {
  if (!Array.isArray(known)) return {};
  const isLeft = (place: Place) => left.some((one) => isSamePlace(place, one));
  const kept = known.filter((one) => !parsePlaces([one]).some(isLeft));
  return kept.length === known.length ? {} : { [placesKey]: kept };
}

/** The one connection of this name in the store. */
function heldConnection(held: Pick<Held, 'connections'>, name: string, storePath: string): RawConnection {
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
      hint: askUser(`delete or rename one of them in ${storePath}`),
    },
  );
}

/** A tool may neither take away nor move what a person has narrowed: another one could then be added in its place. */
function assertNotNarrowed<C extends BaseConnection>(
  { name, raw }: RawConnection,
  how: 'moved' | 'removed',
  rules: EditRules<C>,
): void {
  const field = rules.asUser ? undefined : narrowingField(raw, rules);
  if (field === undefined) return;
  throw new Failure('refused', `connection "${name}" has "${field}", so it cannot be ${how} by a tool`, {
    code: 'E_PERSON_ONLY',
    hint: askUser(`do it with the command "connections", or in ${rules.storePath}`),
  });
}

/** What a tool adds has nothing that narrows it, so through it more would be seen than through the one that is there. */
function refuseNarrowedPlace<C extends BaseConnection>(
  { places, hosts }: { places: readonly Place[]; hosts: HostAddresses },
  others: readonly (WrittenConnection & { name: string })[],
  rules: EditRules<C>,
): void {
  for (const other of others) {
    const { name } = other;
    const field = narrowingField(other.raw, rules);
    if (field === undefined) continue;
    const narrowed = readPlaces(other, rules.reader);
    if (!places.some((place) => narrowed.some((one) => isSamePlace(place, one, hosts)))) continue;
    throw new Failure(
      'refused',
      `connection "${name}" leads to the same place and has "${field}", so no tool can add another one`,
      {
        code: 'E_PERSON_ONLY',
        hint: [`Use "${name}".`, askUser('add the other one if it is needed')],
      },
    );
  }
}

function narrowingField<C extends BaseConnection>(
  raw: Fields,
  { restrictionFields, restrictingTexts }: EditRules<C>,
): string | undefined {
  const found = restrictionFields.find((field) => raw[field] !== undefined && raw[field] !== null);
  if (found !== undefined) return found;
  // A variable may have any value tomorrow.
  const narrows = (value: unknown, text: RegExp) => typeof value === 'string' && (text.test(value) || value.includes('${'));
  return Object.entries(restrictingTexts).find(([field, text]) => narrows(raw[field], text))?.[0];
}
