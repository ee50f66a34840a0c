import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { isThisMachine, plainHost } from '../local-host.ts';
import type { Reader } from './evaluate.ts';
import { expandConnection, fitSchema } from './fit.ts';
import type { HostAddresses, LookupOptions } from './host-addresses.ts';
import { type Fields, isFields } from './tree.ts';

/** Where a connection leads. Without a port it stands for every port of the host. */
export interface Place {
  host: string;
  port?: number;
}

/** What the store remembers of read-only connections that a tool removed or moved away. */
export const placesKey = 'readonlyPlaces';

export type PlaceReader<C extends BaseConnection> = Reader<C> &
  LookupOptions & {
    resolvePort?: ((config: C) => number) | undefined;
    otherPlaces?: ((config: C) => readonly Place[]) | undefined;
  };

/** The places of a connection as it is written, if it is read-only; anything but a plain false counts as read-only. */
export function readReadonlyPlaces<C extends BaseConnection>(raw: Fields, expands: boolean, reader: PlaceReader<C>): Place[] {
  const { readonly } = expands ? expandConnection(raw, reader.env).value : raw;
  if (readonly === undefined || readonly === false || readonly === 'false') return [];
  return readPlaces(raw, expands, reader);
}

/** Every place that leads to the server of a connection as it is written, its own host first; empty when it names none. */
export function readPlaces<C extends BaseConnection>(raw: Fields, expands: boolean, reader: PlaceReader<C>): Place[] {
  const { value, placeholders } = expands ? expandConnection(raw, reader.env) : { value: raw, placeholders: [] };
  const fit = fitSchema(reader.schema, value, placeholders);
  // A schema may take the host out of another field.
  const host = fit.ok ? fit.config.host : value.host;
  if (typeof host !== 'string') return [];
  const port = fit.ok ? (reader.resolvePort?.(fit.config) ?? fit.config.port) : Number(value.port) || undefined;
  const own = { host: plainHost(host), ...(port !== undefined && { port }) };
  const others = fit.ok ? (reader.otherPlaces?.(fit.config) ?? []) : [];
  const server = isThisMachine(own.host) ? readSshHost(value.ssh) : undefined;
  const behind = server === undefined ? [] : [{ ...own, host: server }];
  return [own, ...[...others, ...behind].map((place) => ({ ...place, host: plainHost(place.host) }))];
}

/** The last SSH server, which calls itself `localhost`. */
function readSshHost(ssh: unknown): string | undefined {
  const host = isFields(ssh) ? ssh.host : ssh;
  return typeof host === 'string' ? host : undefined;
}

/** With `hosts`, names that share an address are one place. Behind an SSH server that errs on the side of refusing. */
export function isSamePlace(a: Place, b: Place, hosts?: HostAddresses): boolean {
  if (a.port !== undefined && b.port !== undefined && a.port !== b.port) return false;
  return a.host === b.host || hosts?.isSame(a.host, b.host) === true;
}

/** What `readonlyPlaces` in the store holds; elements that are none are left alone and count for nothing. */
export function parsePlaces(value: unknown): Place[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isFields).flatMap(({ host, port }): Place[] => {
    if (typeof host !== 'string') return [];
    return [{ host: plainHost(host), ...(typeof port === 'number' && { port }) }];
  });
}

export interface GuardedPlaces {
  places: readonly Place[];
  hosts: HostAddresses;
  storePath: string;
}

/** A tool cannot take `readonly` away, and would have done so if it could add a writable connection to the same place. */
export function refuseWritable(places: readonly Place[], guarded: GuardedPlaces): void {
  const [place, guard] =
    places
      .flatMap((one) => guarded.places.map((other) => [one, other] as const))
      .find(([one, other]) => isSamePlace(one, other, guarded.hosts)) ?? [];
  if (place === undefined || guard === undefined) return;
  const where = place.port === undefined ? place.host : `${place.host} port ${place.port}`;
  const why = place.host === guard.host ? '' : `, which has an address of ${guard.host}`;
  throw new Failure('refused', `a read-only connection leads, or led, to ${where}${why}, so no tool can add a writable one`, {
    code: 'E_READONLY_LOCKED',
    hint: `Pass "readonly": true; a person can change it in ${guarded.storePath} ("readonly" of the connection, or "${placesKey}").`,
  });
}
