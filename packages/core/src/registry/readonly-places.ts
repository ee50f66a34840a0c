import { hostname, networkInterfaces } from 'node:os';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Reader } from './evaluate.ts';
import { expandConnection, fitSchema } from './fit.ts';
import { type Fields, isFields } from './tree.ts';

/** Where a connection leads. Without a port it stands for every port of the host. */
export interface Place {
  host: string;
  port?: number;
}

/** What the store remembers of read-only connections that a tool removed or moved away. */
export const placesKey = 'readonlyPlaces';

export type PlaceReader<C extends BaseConnection> = Reader<C> & { resolvePort?: ((config: C) => number) | undefined };

/** The place of a connection as it is written, if it is read-only; anything but a plain false counts as read-only. */
export function readonlyPlace<C extends BaseConnection>(
  raw: Fields,
  expands: boolean,
  reader: PlaceReader<C>,
): Place | undefined {
  const { readonly } = expands ? expandConnection(raw, reader.env).value : raw;
  if (readonly === undefined || readonly === false || readonly === 'false') return undefined;
  return placeOf(raw, expands, reader);
}

export function placeOf<C extends BaseConnection>(raw: Fields, expands: boolean, reader: PlaceReader<C>): Place | undefined {
  const { value, placeholders } = expands ? expandConnection(raw, reader.env) : { value: raw, placeholders: [] };
  const fit = fitSchema(reader.schema, value, placeholders);
  // A schema may take the host out of another field.
  const host = fit.ok ? fit.config.host : value.host;
  if (typeof host !== 'string') return undefined;
  const port = fit.ok ? (reader.resolvePort?.(fit.config) ?? fit.config.port) : Number(value.port) || undefined;
  return { host: plainHost(host), ...(port !== undefined && { port }) };
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.host === b.host && (a.port === undefined || b.port === undefined || a.port === b.port);
}

export function isThisMachine({ host }: Place): boolean {
  return host === thisHost;
}

/** What `readonlyPlaces` in the store holds; elements that are none are left alone and count for nothing. */
export function parsePlaces(value: unknown): Place[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isFields).flatMap(({ host, port }): Place[] => {
    if (typeof host !== 'string') return [];
    return [{ host: plainHost(host), ...(typeof port === 'number' && { port }) }];
  });
}

/**
 * A tool cannot take `readonly` away, and would have done so if it could add a writable connection to the same place. Names
 * of one host that differ are not recognised as one, except those of this machine.
 */
export function refuseWritable(place: Place, guarded: readonly Place[], storePath: string): void {
  if (!guarded.some((one) => isSamePlace(one, place))) return;
  const where = place.port === undefined ? place.host : `${place.host} port ${place.port}`;
  throw new Failure('refused', `a read-only connection leads, or led, to ${where}, so no tool can add a writable one`, {
    code: 'E_READONLY_LOCKED',
    hint: `Pass "readonly": true; a person can change it in ${storePath} ("readonly" of the connection, or "${placesKey}").`,
  });
}

const thisHost = 'localhost';
const ownNamesMs = 1_000;
const thisMachine = /^(0\.0\.0\.0|127(\.\d+){3}|\[::1?\]|(.*\.)?localhost[46]?(\.localdomain[46]?)?|ip6-(localhost|loopback))$/;

/**
 * One text for every spelling of a host: `127.1`, `0x7f.1` and `::ffff:127.0.0.1` are one address to the system. What a URL would
 * take for something else than a host (`user@`, `/path`) is left away, and a path by itself is a socket of this machine.
 */
function plainHost(host: string): string {
  const plain = plainName(host);
  return host.startsWith('/') || thisMachine.test(plain) || ownNames().has(plain) ? thisHost : plain;
}

function plainName(host: string): string {
  const trimmed = host.replace(/\s+/g, '').toLowerCase();
  return mappedAddress(urlHost(trimmed) ?? trimmed).replace(/\.+$/, '');
}

let known: { names: ReadonlySet<string>; until: number } | undefined;

/** What this machine is called in the network, asked anew now and then: addresses come and go. */
function ownNames(): ReadonlySet<string> {
  if (known === undefined || performance.now() > known.until) {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
    known = { names: new Set([hostname(), ...addresses].map(plainName)), until: performance.now() + ownNamesMs };
  }
  return known.names;
}

function urlHost(text: string): string | undefined {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const isAddress = /^[0-9a-f:.]*:[0-9a-f:.]*$/.test(bare);
  try {
    return new URL(`http://${isAddress ? `[${bare}]` : text}`).hostname;
  } catch {
    return undefined;
  }
}

/** An IPv4 address that is written as one of IPv6. */
function mappedAddress(host: string): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff]);
  return bytes.join('.');
}
