import { parsePath } from './path.ts';

/** What a URL says of a connection; the names are those of the fields. */
export interface UrlFields {
  type: 'elasticsearch';
  scheme: 'http' | 'https';
  host: string;
  port: number;
  user?: string;
  password?: string;
  pathPrefix?: string;
}

/** Why a URL is not accepted. Its text is ours alone, since every part of a URL may be a secret. */
export class UrlError extends Error {}

/** Without a password: what follows a colon there would be taken for one and removed. */
const urlForm = 'https://user@host:port';

/** As every program reads a URL, so not the port that a cluster has by default. */
const urlPorts = { http: 80, https: 443 };

/** Splits a URL into fields. Throws a UrlError that repeats nothing of it. */
export function parseConnectionUrl(text: string): UrlFields {
  const url = parseUrl(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UrlError('it must begin with http:// or https://');
  if (url.search !== '' || text.includes('?')) throw new UrlError('it has a query, and a connection has none');
  const scheme = url.protocol === 'http:' ? 'http' : 'https';
  return {
    type: 'elasticsearch',
    scheme,
    host: hostOf(url),
    port: portOf(url) ?? urlPorts[scheme],
    ...(url.username === '' ? {} : { user: decode(url.username) }),
    ...(url.password === '' ? {} : { password: decode(url.password) }),
    ...prefixOf(url),
  };
}

function parseUrl(text: string): URL {
  if (/[\s\p{Cc}]/u.test(text)) throw new UrlError('it holds a space or a control character; encode it, for example as %20');
  if (!/^https?:\/\//i.test(text)) throw new UrlError(`it has the form ${urlForm}`);
  if (text.includes('#') || text.includes('\\')) throw new UrlError('a # in it is written %23, and a \\ %5C');
  if (/[/.]\.{1,2}(?:\/|$)/.test(text) || /\/(?:%2e|\.){1,2}(?:\/|$)/i.test(text))
    throw new UrlError('its path has the part . or ..');
  try {
    return new URL(text);
  } catch {
    throw new UrlError(`it has the form ${urlForm}; special characters in it are encoded, for example / as %2F`);
  }
}

function hostOf({ hostname }: URL): string {
  const host = decode(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (host.includes(',')) throw new UrlError('it names several hosts; give the first here and the others in `nodes`');
  return host;
}

function portOf({ port }: URL): number | undefined {
  if (port === '') return undefined;
  if (port === '0') throw new UrlError('its port is 0; a port is a number from 1 to 65535');
  return Number(port);
}

/** For a cluster behind a proxy that serves it below a path. */
function prefixOf({ pathname }: URL): { pathPrefix?: string } {
  const path = pathname.replace(/\/$/, '');
  if (path === '') return {};
  try {
    parsePath(path);
  } catch {
    throw new UrlError('its path is not one that a cluster can be served below');
  }
  return { pathPrefix: path };
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new UrlError('a % in it begins no code; a plain % is written %25');
  }
  if (/\p{Cc}/u.test(decoded)) throw new UrlError('it holds an encoded control character');
  return decoded;
}
