import type { IncomingHttpHeaders } from 'node:http';
import { HttpRefusal } from '../http/refusal.ts';

/** A page of another site cannot send this header without asking first, and it is never allowed to. It has the key of the session. */
const pageHeader = 'x-mole-page';

export interface PageAddress {
  /** The server speaks TLS, or a proxy does so for it. */
  isSecure: boolean;
  /** `X-Forwarded-Host` counts instead of `Host`. */
  isBehindProxy: boolean;
  /** The port that was bound. */
  port: number;
}

/**
 * Refuses what does not come from the page itself. A cookie alone proves nothing: browsers send it along with requests to every other
 * port of this machine, whose programs could then send it to us.
 */
export function checkPageRequest(headers: IncomingHttpHeaders, address: PageAddress): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (headers[pageHeader] === undefined)
    throw new HttpRefusal(403, 'the header X-Mole-Page is missing: only the page itself may ask this');
  if (origin !== findOrigin(headers, address)) {
    throw new HttpRefusal(403, `the origin ${JSON.stringify((origin ?? '').slice(0, 100))} is not that of the page`);
  }
  if (site !== undefined && site !== 'same-origin') throw new HttpRefusal(403, 'the request comes from another site');
}

/** Cookies are shared by all ports of a host, so each server has its own name for it. */
function cookieName({ port }: PageAddress): string {
  return `mole-page-${port}`;
}

/** The two halves of a session: the cookie, which no script can read, and the key, which browsers keep for this port alone. */
export function readSession(headers: IncomingHttpHeaders, address: PageAddress): string | undefined {
  const prefix = `${cookieName(address)}=`;
  const found = (headers.cookie ?? '')
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(prefix));
  const key = headers[pageHeader];
  return found === undefined || typeof key !== 'string' ? undefined : `${found.slice(prefix.length)}.${key}`;
}

export function splitSession(session: string): readonly [cookie: string, key: string] {
  const [cookie = '', key = ''] = session.split('.');
  return [cookie, key];
}

/** Without a secret, it removes the cookie. */
export function formatCookie(secret: string | undefined, address: PageAddress): string {
  const age = secret === undefined ? '; Max-Age=0' : '';
  return `${cookieName(address)}=${secret ?? ''}; Path=/ui; HttpOnly; SameSite=Strict${address.isSecure ? '; Secure' : ''}${age}`;
}

/** The origin of the page as the browser names it. The host was checked before. */
function findOrigin(headers: IncomingHttpHeaders, { isSecure, isBehindProxy }: PageAddress): string {
  const forwarded = isBehindProxy ? String(headers['x-forwarded-host'] ?? '') : '';
  const host = forwarded.split(',').at(-1)?.trim() || (headers.host ?? '');
  return `${isSecure ? 'https' : 'http'}://${host.toLowerCase()}`;
}
