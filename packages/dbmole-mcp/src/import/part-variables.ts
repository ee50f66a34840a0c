import type { FoundConnection } from '@dbmole/core';
import { type EngineType, engineWords } from '../connection/connection-url.ts';
import { variable } from '../password-files/password-file.ts';
import { foundConnection, nameOfPlace } from './found.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What frameworks and drivers read instead of a URL. */
interface Convention {
  host: string;
  port: string;
  user: readonly string[];
  database: readonly string[];
  password: string;
  /** The variable that says which engine it is, unless it is always the same. */
  engine: EngineType | readonly string[];
}

const conventions: readonly Convention[] = [
  {
    host: 'DB_HOST',
    port: 'DB_PORT',
    user: ['DB_USERNAME', 'DB_USER'],
    database: ['DB_DATABASE', 'DB_NAME'],
    password: 'DB_PASSWORD',
    engine: ['DB_CONNECTION', 'DB_ENGINE', 'DB_TYPE'],
  },
  { host: 'PGHOST', port: 'PGPORT', user: ['PGUSER'], database: ['PGDATABASE'], password: 'PGPASSWORD', engine: 'postgres' },
];

const drivers: Readonly<Record<string, EngineType>> = { ...engineWords, pgsql: 'postgres', mysqli: 'mysql' };

interface Origin {
  /** The environment itself: what is set there need not be copied. */
  env: Variables;
  /** The file; empty for the environment. */
  where: string;
}

/** Connections that are spread over several variables; those that lack a host, a user or the engine are none. */
export function findInParts(variables: Variables, origin: Origin): FoundConnection[] {
  return conventions.flatMap((convention) => fromParts(convention, variables, origin) ?? []);
}

function fromParts(convention: Convention, variables: Variables, { env, where }: Origin): FoundConnection | undefined {
  const first = (names: readonly string[]) => names.map((name) => variable(variables, name)).find((value) => value);
  const type = typeof convention.engine === 'string' ? convention.engine : findEngine(first(convention.engine));
  const [host, user] = [first([convention.host]), first(convention.user)];
  const [port, database] = [Number(first([convention.port])) || undefined, first(convention.database)];
  const password = first([convention.password]);
  const isWhole = [host, user, database, password].every((value) => !value?.includes('${'));
  if (type === undefined || host === undefined || user === undefined || !isWhole) return undefined;
  const place = { type, host, user, ...(port && { port }), ...(database && { database }) };
  const name = nameOfPlace(place);
  if (password === undefined) return foundConnection({ name, fields: place, password: 'none' });
  if (variable(env, convention.password) === password) {
    const references = { password: { env: convention.password } };
    return foundConnection({ name, fields: place, references, password: `stays in the variable ${convention.password}` });
  }
  return foundConnection({ name, fields: { ...place, password }, password: `would be copied out of ${where}` });
}

/** `pgsql`, or the last word of `django.db.backends.postgresql`. */
function findEngine(text = ''): EngineType | undefined {
  const word = text.toLowerCase().split('.').at(-1) ?? '';
  return Object.hasOwn(drivers, word) ? drivers[word] : undefined;
}
