import { statSync } from 'node:fs';
import { type BaseConnection, type Networked, resolveAddress } from '../../connection.ts';
import { askUser, Failure } from '../../failure.ts';
import { isThisMachine, plainHost } from '../../local-host.ts';
import type { WrittenConnection } from '../read-connection.ts';
import type { Reader } from '../secrets/evaluate.ts';
import { placesKey } from '../sources/document.ts';
import type { HostAddresses, LookupOptions } from '../sources/host-addresses.ts';
import { absolutePath, realPlace } from '../sources/paths.ts';
import { isFields } from '../tree.ts';

/** Where a connection leads: a file, or a host. Without a port it covers every port of the host. */
export type Place =
  | { host: string; port?: number | undefined; file?: undefined }
  | { file: string; host?: undefined; port?: undefined };

export type PlaceReader<C extends BaseConnection> = Reader<C> &
  LookupOptions & {
    resolvePort: (config: Networked<C>) => number;
    otherPlaces?: ((config: C) => readonly Place[]) | undefined;
    parseUrl?: ((url: string) => object) | undefined;
  };

/** The places of a connection as it is written, if it is read-only; anything but a plain false counts as read-only. */
export function readReadonlyPlaces<C extends BaseConnection>(written: WrittenConnection, reader: PlaceReader<C>): Place[] {
  const { readonly } = reader.connections.read(written).value;
  if (readonly === undefined || readonly === false || readonly === 'false') return [];
  return readPlaces(written, reader);
}

/** Every place that leads to the server of a connection as it is written, its own address first; empty when it names none. */
export function readPlaces<C extends BaseConnection>(written: WrittenConnection, reader: PlaceReader<C>): Place[] {
  const { full, shown, value } = reader.connections.read(written);
  const fit = full ?? shown;
  // A schema may take the address out of another field.
  const own = fit.ok ? resolveAddress(fit.config, reader.resolvePort) : guessPlace(value, written.base, reader);
  if (own === undefined) return [];
  const others = fit.ok ? (reader.otherPlaces?.(fit.config) ?? []) : [];
  const server = own.host !== undefined && isThisMachine(plainHost(own.host)) ? readSshHost(value.ssh) : undefined;
  const behind = server === undefined ? [] : [{ host: server, port: own.port }];
  return [own, ...others, ...behind].map(toPlainPlace);
}

/** Guesses the place of a connection that is not valid, by the fields that a valid one would have. */
function guessPlace<C extends BaseConnection>(
  { file, host, port }: Readonly<Record<string, unknown>>,
  base: string,
  { home }: PlaceReader<C>,
): Place | undefined {
  if (typeof file === 'string') return { file: absolutePath(file, { base, home }) };
  if (typeof host !== 'string') return undefined;
  return { host, port: Number(port) || undefined };
}

/** One text for every way to write a host, and for every link to a file. */
function toPlainPlace(place: Place): Place {
  return place.file === undefined ? { ...place, host: plainHost(place.host) } : { file: realPlace(place.file) };
}

/** The last SSH server, which calls itself `localhost`. */
function readSshHost(ssh: unknown): string | undefined {
  const host = isFields(ssh) ? ssh.host : ssh;
  return typeof host === 'string' ? host : undefined;
}

/** With `hosts`, names that share an address are one place. Behind an SSH server that errs on the side of refusing. */
export function isSamePlace(a: Place, b: Place, hosts?: HostAddresses): boolean {
  if (a.file !== undefined || b.file !== undefined) return a.file === b.file || isSameFile(a.file, b.file);
  if (a.port !== undefined && b.port !== undefined && a.port !== b.port) return false;
  return a.host === b.host || hosts?.isSame(a.host, b.host) === true;
}

/** Compares files, so that hard links and names that a file system treats as equal count as one. */
function isSameFile(a = '', b = ''): boolean {
  const [one, other] = [a, b].map(identifyFile);
  return one !== undefined && one === other;
}

function identifyFile(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** What `readonlyPlaces` in the store holds; elements that are none are left alone and count for nothing. */
export function parsePlaces(value: unknown): Place[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isFields).flatMap(({ file, host, port }): Place[] => {
    if (typeof file === 'string') return [{ file }];
    if (typeof host !== 'string') return [];
    return [{ host: plainHost(host), ...(typeof port === 'number' && { port }) }];
  });
}

interface GuardedPlaces {
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
  const [name, other] = [place, guard].map(({ file, host }) => file ?? host);
  const where = place.port === undefined ? name : `${name} port ${place.port}`;
  const why = name === other ? '' : `, which ${place.file === undefined ? 'has an address of' : 'is the same file as'} ${other}`;
  throw new Failure('refused', `a read-only connection leads or led to ${where}${why}, so no tool can add a writable one`, {
    code: 'E_READONLY_LOCKED',
    hint: [
      'Pass "readonly": true.',
      askUser(`change "readonly" of that connection, or "${placesKey}", in ${guarded.storePath} otherwise`),
    ],
  });
}
