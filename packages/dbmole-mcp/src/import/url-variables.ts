import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Findings, type FoundConnection, type Importer, type ImportPlace, readSmallFile, UrlError } from '@dbmole/core';
import {
  databaseUrl,
  engineWords,
  parseConnectionUrl,
  readParameterNames,
  type UrlFields,
} from '../connection/connection-url.ts';
import { variable } from '../password-files/password-file.ts';
import { type FoundFields, foundConnection, foundFile, nameOfFile, nameOfPlace } from './found-connection.ts';
import { findDatabase } from './project-database.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** `DATABASE_URL`, `SHOP_DATABASE_URL`, `POSTGRES_URL_NON_POOLING` and the like. */
const urlName = /^(?:(.+)_)?(?:DATABASE|DB|POSTGRES|POSTGRESQL|PG|MYSQL|MARIADB)(?:_[A-Z0-9]+)*_UR[LI](?:_[A-Z0-9_]+)?$/;

export const environmentImporter: Importer = {
  source: 'environment',
  find: ({ env, cwd, home }) => findIn(env, { env, where: '', base: cwd, home }),
};

/** Reads the working directory. It may be a cloned repository: its content is shown, and never followed. */
export const dotEnvImporter: Importer = { source: '.env', takesPath: true, find: findInDotEnv };

function findInDotEnv({ env, cwd, home, path = join(cwd, '.env') }: ImportPlace): Findings {
  const image = readSmallFile(path);
  if (image === undefined) return { found: [], notes: [] };
  return findIn(parseEnv(image.bytes.toString('utf8')), { env, where: path, base: dirname(resolve(cwd, path)), home });
}

interface Origin {
  /** The environment itself: what is set there need not be copied. */
  env: Variables;
  /** The file; empty for the environment. */
  where: string;
  /** The folder in which relative paths begin. */
  base: string;
  home: string;
}

function findIn(variables: Variables, origin: Origin): Findings {
  const found: FoundConnection[] = [];
  const notes: string[] = [];
  for (const name of Object.keys(variables)) {
    const url = variable(variables, name);
    if (url === undefined || !urlName.test(name) || !databaseUrl.test(url)) continue;
    const note = (text: string) => {
      notes.push(`${origin.where || 'the environment'}: ${name}: ${text}`);
      return undefined;
    };
    const one = fromUrl(name, url, { ...origin, note });
    if (one !== undefined) found.push(one);
  }
  return { found: [...found, ...findInParts(variables, origin)], notes };
}

interface Noting extends Origin {
  /** What is left out of it, or why all of it is. */
  note(text: string): undefined;
}

function fromUrl(variableName: string, url: string, noting: Noting): FoundConnection | undefined {
  const { env, where, note } = noting;
  const relativePath = /^sqlite3?:\/\/\/([^/?][^?]*)/i.exec(url)?.[1];
  if (relativePath !== undefined) return fromFile([relativePath, `/${relativePath}`], variableName, noting);
  const whole = parse(url);
  const parsed = typeof whole === 'string' ? parse(withoutForeign(url)) : whole;
  if (typeof parsed === 'string') return note(parsed);
  const { host, user, type, file } = parsed;
  if (file !== undefined) return fromFile([file], variableName, noting);
  if (host === undefined || user === undefined || type === 'sqlite') return note('it names no host or no user');
  if (Object.values(parsed).some((value) => String(value).includes('${'))) return note('it refers to other variables');
  if (whole !== parsed) note('parameters that are unknown here');
  const { file: _none, ...server } = parsed;
  const fields = { ...server, type, host, user };
  const name = (urlName.exec(variableName)?.[1] ?? fields.database ?? 'database').toLowerCase();
  // A URL that we do not take as a whole cannot stay where it is.
  if (whole === parsed && variable(env, variableName) === url) {
    const { password, ...shown } = fields;
    const found = foundConnection({ name, fields: shown, password: `read from the variable ${variableName}` });
    return { ...found, fields: {}, references: { url: `\${${variableName}}` } };
  }
  return foundConnection({
    name,
    fields,
    password: fields.password === undefined ? 'none' : `will be copied from ${where || variableName}`,
  });
}

/**
 * `paths` are what the text may mean: three slashes are a relative path for some programs, and an absolute one for others. Prisma begins at the
 * folder of its schema.
 */
function fromFile(
  paths: readonly string[],
  variableName: string,
  { where, base, home, note }: Noting,
): FoundConnection | undefined {
  const found = paths.map((path) =>
    findDatabase(path, { bases: [base, join(base, 'prisma')], cwd: base, home, isOwn: where === '' }),
  );
  const database = found.find((one) => typeof one !== 'string');
  if (database === undefined) return note(found.find((one) => typeof one === 'string') ?? '');
  return foundFile((urlName.exec(variableName)?.[1] ?? nameOfFile(database.file)).toLowerCase(), database.file);
}

function parse(url: string): UrlFields | string {
  try {
    return parseConnectionUrl(url);
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

/** Removes parameters that are unknown here. */
function withoutForeign(url: string): string {
  const [start = '', query] = url.split('?', 2);
  const kept = (query ?? '').split('&').filter((part) => readParameterNames.includes(part.split('=')[0] ?? ''));
  return kept.length === 0 ? start : `${start}?${kept.join('&')}`;
}

/** What frameworks and drivers read instead of a URL. */
interface Convention {
  host: string;
  port: string;
  user: readonly string[];
  database: readonly string[];
  password: string;
  /** The variable that says which engine it is, unless it is always the same. */
  engine: FoundFields['type'] | readonly string[];
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

const { sqlite: _file, ...serverWords } = engineWords;
const drivers: Readonly<Record<string, FoundFields['type']>> = { ...serverWords, pgsql: 'postgres', mysqli: 'mysql' };

/** Connections that are spread over several variables; those that lack a host, a user or the engine are none. */
function findInParts(variables: Variables, origin: Origin): FoundConnection[] {
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
    return foundConnection({ name, fields: place, references, password: `read from the variable ${convention.password}` });
  }
  return foundConnection({ name, fields: { ...place, password }, password: `will be copied from ${where}` });
}

/** `pgsql`, or the last word of `django.db.backends.postgresql`. */
function findEngine(text = ''): FoundFields['type'] | undefined {
  const word = text.toLowerCase().split('.').at(-1) ?? '';
  return Object.hasOwn(drivers, word) ? drivers[word] : undefined;
}
