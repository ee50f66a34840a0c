import { isIP } from 'node:net';

/** The address of one node. Certificates are checked against `host`, and the `Host` header contains it. */
export interface NodeAddress {
  host: string;
  port: number;
}

/** Why an address is not accepted. Does not repeat it, because a URL there may contain a password. */
export class AddressError extends Error {}

/** `host`, `host:port`, `1.2.3.4`, `::1` or `[::1]:9200`. */
export function parseNodeAddress(text: string, defaultPort: number): NodeAddress {
  if (isIP(text) === 6) return { host: text, port: defaultPort };
  const parts = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text);
  const host = parts?.[1] ?? parts?.[2] ?? '';
  const port = parts?.[3] === undefined ? defaultPort : Number(parts[3]);
  if (!isHost(host) || (parts?.[1] !== undefined && isIP(host) !== 6)) throw new AddressError('expected host or host:port');
  if (port < 1 || port > 65_535) throw new AddressError('expected a port from 1 to 65535');
  return { host, port };
}

/** The form of a URL and of a `Host` header. */
export function formatNodeAddress({ host, port }: NodeAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A name or an address alone. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[^\s\p{Cc}:/@?#[\]\\]+$/u.test(text);
}
