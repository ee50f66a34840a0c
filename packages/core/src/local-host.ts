import { isIP, isIPv4 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const thisHost = 'localhost';
const ownNamesMs = 1_000;
const thisMachine = /^(0\.0\.0\.0|127(\.\d+){3}|\[::1?\]|(.*\.)?localhost[46]?(\.localdomain[46]?)?|ip6-(localhost|loopback))$/;

/** Whether bytes to this host never leave the machine: a loopback address, its name, or the path of a socket. */
export function isLocalHost(host: string): boolean {
  return host === thisHost || host === '::1' || host.startsWith('/') || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * One text for every spelling of a host: `127.1`, `0x7f.1` and `::ffff:127.0.0.1` are one address to the system, and all names and
 * addresses of this machine are `localhost`. What a URL would not take for a host (`user@`, `/path`) is dropped, and a path by
 * itself is a socket of this machine. Nothing is resolved.
 */
export function plainHost(host: string): string {
  const plain = plainName(host);
  return host.startsWith('/') || thisMachine.test(plain) || ownNames().has(plain) ? thisHost : plain;
}

/** Expects a result of `plainHost`. */
export function isThisMachine(plain: string): boolean {
  return plain === thisHost;
}

/** The result of `plainHost` as the resolver takes it; undefined when it is an address already, or this machine. */
export function resolvableName(plain: string): string | undefined {
  return plain === '' || plain === thisHost || isIP(plain.replace(/^\[|\]$/g, '')) !== 0 ? undefined : plain;
}

function plainName(host: string): string {
  const trimmed = host.replace(/\s+/g, '').toLowerCase();
  return mappedAddress(urlHost(trimmed) ?? trimmed).replace(/(?<!\.)\.+$/, '');
}

let known: { names: ReadonlySet<string>; until: number } | undefined;

/** What this machine is called in the network. Addresses come and go, so the system is asked again after a second. */
function ownNames(): ReadonlySet<string> {
  if (known === undefined || performance.now() > known.until) {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
    known = { names: new Set([hostname(), ...addresses].map(plainName)), until: performance.now() + ownNamesMs };
  }
  return known.names;
}

function urlHost(text: string): string | undefined {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*/, '');
  const isAddress = /^[0-9a-f.]*:[0-9a-f:.]*$/.test(bare);
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
