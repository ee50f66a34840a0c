import { decodeUrlPart, parseUrl, UrlError, type UrlParts } from '@dbmole/core';
import type { EngineType } from './schema.ts';
import type { TlsMode } from './tls.ts';
import { tlsOf, tlsParameters } from './url-tls.ts';

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

const types: Readonly<Record<string, EngineType>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
};

const urlForm = 'postgres://user@host:port/database or mysql://…';

/** What other programs take. Nothing in them changes where a connection leads or how safe it is, so that we can do without. */
const dropped: readonly string[] = [
  'application_name',
  'charset',
  'connect_timeout',
  'connection_limit',
  'pgbouncer',
  'pool_timeout',
  'serverVersion',
];

/** Splits a URL into fields. Throws a UrlError that repeats nothing of it but the name of a parameter. */
export function parseConnectionUrl(text: string): UrlFields {
  const parts = parseUrl(text, urlForm);
  const type = Object.hasOwn(types, parts.scheme) ? types[parts.scheme] : undefined;
  if (type === undefined) throw new UrlError('it must begin with postgres://, postgresql://, mysql:// or mariadb://');
  refuseUnknown(type, parts);
  return {
    type,
    ...present('host', hostOf(parts)),
    ...present('port', parts.port),
    ...present('user', parts.user),
    ...present('password', parts.password),
    ...present('database', databaseOf(parts)),
    ...present('tls', tlsOf(parts.parameters)),
  };
}

function present<Key extends keyof UrlFields>(key: Key, value: UrlFields[Key] | undefined): Partial<Pick<UrlFields, Key>> {
  // The one key that is set is the one of the type.
  return value === undefined || value === '' ? {} : ({ [key]: value } as Pick<UrlFields, Key>);
}

function hostOf({ host }: UrlParts): string {
  if (host.includes(',')) throw new UrlError('it names several hosts, and a connection has one');
  if (host.includes('/')) throw new UrlError('its host is the path of a socket; name a host that is reached by TCP');
  return host;
}

function databaseOf({ path }: UrlParts): string {
  const name = path.replace(/^\//, '');
  if (name.includes('/')) throw new UrlError('its path is more than the name of a database; a / in the name is written %2F');
  return decodeUrlPart(name);
}

function refuseUnknown(type: EngineType, { parameters }: UrlParts): void {
  for (const [name, value] of parameters) {
    if (tlsParameters.includes(name) || dropped.includes(name)) continue;
    if (name === 'schema' && type === 'postgres') refuseOtherSchema(value);
    else throw unknown(name);
  }
}

/** It chooses among tables of one name, so it is not left away unless it says what is so anyway. */
function refuseOtherSchema(value: string): void {
  if (value === 'public') return;
  throw new UrlError(
    'the parameter "schema" may only say what is so anyway, which is public; leave it out, and name tables with their schema',
  );
}

function unknown(name: string): UrlError {
  const shown = /^[\w.-]{1,40}$/.test(name) ? `"${name}"` : 'that is no word';
  return new UrlError(`the parameter ${shown} is not known here; of TLS there is ${tlsParameters.join(', ')}`);
}
