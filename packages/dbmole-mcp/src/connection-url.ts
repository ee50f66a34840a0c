import type { EngineType } from './schema.ts';
import type { TlsMode } from './tls.ts';

/** What a URL says of a connection; the names are those of the fields. */
export interface UrlFields {
  type: EngineType;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
  tls?: TlsMode;
}

/** Why a URL is not accepted. Its text is ours alone, since every part of a URL may be a secret. */
export class UrlError extends Error {}

const types: Readonly<Record<string, EngineType>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

/** Without a password: what follows a colon there would be taken for one and removed. */
const urlForm = 'postgres://user@host:port/database or mysql://…';

/** The words of other programs for what we call `tls`. What they would try and then do without, we decide by the host. */
const tlsWords: Readonly<Record<string, TlsMode>> = {
  auto: 'auto',
  disable: 'disable',
  disabled: 'disable',
  allow: 'auto',
  prefer: 'auto',
  preferred: 'auto',
  require: 'require',
  required: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
  'verify-identity': 'verify-full',
};
const tlsParameters = ['sslmode', 'ssl-mode', 'tls'];

/** Splits a URL into fields. Throws a UrlError that repeats nothing of it but the name of a parameter. */
export function parseConnectionUrl(text: string): UrlFields {
  const url = parseUrl(text);
  const type = Object.hasOwn(types, url.protocol) ? types[url.protocol] : undefined;
  if (type === undefined) throw new UrlError('it must begin with postgres://, postgresql://, mysql:// or mariadb://');
  return {
    type,
    ...present('host', hostOf(url)),
    ...present('port', portOf(url)),
    ...present('user', decode(url.username)),
    ...present('password', decode(url.password)),
    ...present('database', databaseOf(url)),
    ...present('tls', tlsOf(url)),
  };
}

function parseUrl(text: string): URL {
  if (/[\s\p{Cc}]/u.test(text)) throw new UrlError('it holds a space or a control character; encode it, for example as %20');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw new UrlError(`it has the form ${urlForm}`);
  if (text.includes('#')) throw new UrlError('a # in it is written %23');
  try {
    return new URL(text);
  } catch {
    throw new UrlError(`it has the form ${urlForm}; special characters in it are encoded, for example / as %2F`);
  }
}

function present<Key extends keyof UrlFields>(key: Key, value: UrlFields[Key] | undefined): Partial<Pick<UrlFields, Key>> {
  // The one key that is set is the one of the type.
  return value === undefined || value === '' ? {} : ({ [key]: value } as Pick<UrlFields, Key>);
}

function hostOf({ hostname }: URL): string {
  const host = decode(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (host.includes(',')) throw new UrlError('it names several hosts, and a connection has one');
  if (host.includes('/')) throw new UrlError('its host is the path of a socket; name a host that is reached by TCP');
  return host;
}

function portOf({ port }: URL): number | undefined {
  if (port === '') return undefined;
  if (port === '0') throw new UrlError('its port is 0; a port is a number from 1 to 65535');
  return Number(port);
}

function databaseOf({ pathname }: URL): string {
  const path = pathname.replace(/^\//, '');
  if (path.includes('/')) throw new UrlError('its path is more than the name of a database; a / in the name is written %2F');
  return decode(path);
}

function tlsOf({ searchParams }: URL): TlsMode | undefined {
  const names = [...searchParams.keys()];
  const unknown = names.find((name) => !tlsParameters.includes(name));
  if (unknown !== undefined) {
    const shown = /^[\w.-]{1,40}$/.test(unknown) ? `"${unknown}"` : 'that is no word';
    throw new UrlError(`the parameter ${shown} is not known here; there is ${tlsParameters.join(', ')}`);
  }
  const [name, second] = names;
  if (name === undefined) return undefined;
  if (second !== undefined) throw new UrlError(`it says twice what TLS shall be (${name}, ${second})`);
  const word = (searchParams.get(name) ?? '').toLowerCase().replaceAll('_', '-');
  const mode = Object.hasOwn(tlsWords, word) ? tlsWords[word] : undefined;
  if (mode === undefined) throw new UrlError(`its ${name} must be one of disable, require, verify-ca, verify-full, auto`);
  return mode;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new UrlError('a % in it begins no code; a plain % is written %25');
  }
  if (decoded.includes('\u0000')) throw new UrlError('it holds an encoded NUL character');
  return decoded;
}
