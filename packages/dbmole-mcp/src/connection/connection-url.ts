import { decodeUrlPart, parseUrl, UrlError, type UrlParts } from '@dbmole/core';
import { readTls, type TlsMode, tlsParameters } from './url-tls.ts';

/** What an engine may be called, as the type of a connection and as the scheme of a URL. */
export const engineWords = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  sqlite: 'sqlite',
} as const;
export type EngineWord = keyof typeof engineWords;
export type EngineType = (typeof engineWords)[EngineWord];

/** What the conventions of OpenTelemetry call each engine. */
export const systemNames: Readonly<Record<EngineType, string>> = {
  ...{ postgres: 'postgresql', mysql: 'mysql', mariadb: 'mariadb', sqlite: 'sqlite' },
};

export const databaseUrl = /^(?:(?:postgres(?:ql)?|mysql|mariadb):\/\/|(?:sqlite3?|file):)/i;

/** What a URL says of a connection; the names are those of the fields. */
export interface UrlFields {
  type: EngineType;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
  schema?: string;
  tls?: TlsMode;
  file?: string;
}

const urlForm = 'postgres://user@host:port/database, mysql://… or sqlite:path';

/** Parameters of other programs. None of them changes where a connection leads or how safe it is, so we can ignore them. */
const dropped: readonly string[] = [
  ...['application_name', 'fallback_application_name', 'client_encoding', 'charset', 'serverVersion', 'uselibpqcompat'],
  ...['connect_timeout', 'connection_limit', 'pgbouncer', 'pool_timeout', 'socket_timeout', 'statement_cache_size'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
];

/** Splits a URL into fields. Throws a UrlError that repeats nothing of it but the name of a parameter. */
export function parseConnectionUrl(text: string): UrlFields {
  const path = /^(?:sqlite3?|file):([\s\S]*)$/i.exec(text)?.[1];
  if (path !== undefined) return { type: 'sqlite', file: readFilePath(path) };
  const parts = parseUrl(text, urlForm);
  const [scheme = ''] = parts.scheme.split('+');
  const type = new Map<string, EngineType>(Object.entries(engineWords)).get(scheme);
  if (type === undefined) throw new UrlError('it must begin with postgres://, postgresql://, mysql://, mariadb:// or sqlite:');
  const more = type === 'postgres' ? readParameters(parts.parameters) : new Map<string, string>();
  refuseUnknown(parts, more);
  return {
    type,
    ...present('host', one('host', readHost(parts), more.get('host'))),
    ...present('port', readPort(parts, more.get('port'))),
    ...present('user', one('user', parts.user, more.get('user'))),
    ...present('password', one('password', parts.password, more.get('password'))),
    ...present('database', one('database', readDatabase(parts), more.get('dbname'))),
    ...present('schema', readSchema(more)),
    ...present('tls', readTls(parts.parameters)),
  };
}

/** The forms of other programs differ: three slashes are a relative path in some, and an absolute one in others. */
function readFilePath(written: string): string {
  const [path = ''] = written.split('?');
  const named = path.replace(/^\/\/(?=\/\/)\//, '');
  if (named === '' || named === ':memory:') throw new UrlError('it names no file; expected sqlite:path');
  if (named.startsWith('//'))
    throw new UrlError(
      'expected sqlite:path; write sqlite:./app.db for a relative path and sqlite:/data/app.db for an absolute one',
    );
  return decodeUrlPart(named);
}

function present<Key extends keyof UrlFields>(key: Key, value: UrlFields[Key] | undefined): Partial<Pick<UrlFields, Key>> {
  // The one key that is set is the one of the type.
  return value === undefined || value === '' ? {} : ({ [key]: value } as Pick<UrlFields, Key>);
}

/** What can be written in two places must be the same in both. */
function one(name: string, inPlace: string, asParameter = ''): string {
  if (inPlace !== '' && asParameter !== '' && inPlace !== asParameter) throw new UrlError(`it has two values for "${name}"`);
  return inPlace || asParameter;
}

function readHost({ host }: UrlParts): string {
  if (host.includes(',')) throw new UrlError('it names several hosts, and a connection has one');
  return host;
}

function readPort({ port }: UrlParts, asParameter = ''): number | undefined {
  const text = one('port', port === undefined ? '' : String(port), asParameter);
  if (text === '') return undefined;
  if (!/^\d{1,5}$/.test(text)) throw new UrlError('its port must be a number from 1 to 65535');
  return Number(text);
}

function readDatabase({ path }: UrlParts): string {
  const name = path.replace(/^\//, '');
  if (name.includes('/')) throw new UrlError('its path is more than the name of a database; a / in the name is written %2F');
  return decodeUrlPart(name);
}

/** Everyone looks there anyway, and not every proxy lets a connection choose. */
const usualSchema = 'public';

function readSchema(parameters: ReadonlyMap<string, string>): string {
  const schema = one('schema', parameters.get('schema') ?? '', parameters.get('search_path'));
  return schema === usualSchema ? '' : schema;
}

/** Those of libpq that say where a connection leads, and its schemas, which may be in `options`. */
const known: readonly string[] = ['host', 'port', 'user', 'password', 'dbname', 'schema', 'search_path', 'options'];

export const readParameterNames: readonly string[] = [...tlsParameters, ...known];

function readParameters(parameters: UrlParts['parameters']): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (!known.includes(name)) continue;
    const key = name === 'options' ? 'search_path' : name;
    found.set(key, one(name, found.get(key) ?? '', name === 'options' ? readSearchPath(value) : value));
  }
  return found;
}

/** `-csearch_path=a,b` and its other spellings. */
function readSearchPath(options: string): string {
  const [, path] = /^(?:-c ?|--)search_path=([^\s\\]*)$/.exec(options.trim()) ?? [];
  if (path !== undefined) return path;
  throw new UrlError('invalid options: expected only search_path, as in -csearch_path=app');
}

function refuseUnknown({ parameters }: UrlParts, more: ReadonlyMap<string, string>): void {
  for (const [name] of parameters) {
    const isKnown = tlsParameters.includes(name) || dropped.includes(name) || more.has(name);
    if (!isKnown && !(name === 'options' && more.has('search_path'))) throw unknown(name);
  }
}

function unknown(name: string): UrlError {
  const shown = /^[\w.-]{1,40}$/.test(name) ? `"${name}"` : 'that is no word';
  return new UrlError(`the parameter ${shown} is unknown; known are ${readParameterNames.join(', ')}`);
}
