import { connectionName } from '../../connection.ts';
import { Failure, toFailure } from '../../failure.ts';
import { type JsonOptions, parseJsonText } from '../../files/json-text.ts';
import { nearestNames } from '../../nearest.ts';
import { type Fields, isFields } from '../tree.ts';

/** What the store remembers of read-only connections that a tool removed or moved away. */
export const placesKey = 'readonlyPlaces';

/** A connection as it is written, not validated beyond its name. */
export interface RawConnection {
  name: string;
  raw: Fields;
  /** The position for messages: `connections[2], line 14`. */
  position: string;
}

export interface ConnectionList {
  connections: RawConnection[];
  /** Problems of elements that cannot be listed under a name, and of unknown keys beside the list. */
  problems: Failure[];
}

export interface ConnectionDocument extends ConnectionList {
  /** The whole file, also what we do not know. */
  value: Fields;
  /** A later version of this server wrote the file: we use what we understand and change nothing. */
  newer: boolean;
}

export const documentVersion = 1;

const form = '{ "version": 1, "connections": [ … ] }';
/** A file that came with a repository may hold half a million mistakes, and each costs a trace and a cleaned text. */
const maxProblems = 20;
const knownKeys = ['version', 'connections', 'serve', placesKey];

/** Reads `{ "version": 1, "connections": [...] }`; throws when the file as a whole cannot be used. */
export function parseDocument(text: string, where: string, options: JsonOptions = {}): ConnectionDocument {
  const { value, findLine } = parseJsonText(text, where, options);
  if (!isFields(value)) throw wrongForm(where, `holds ${Array.isArray(value) ? 'a list' : 'a single value'} and not an object`);
  const { version, connections = [] } = value;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < documentVersion) {
    const what = version === undefined ? 'has no "version"' : 'has a "version" that this server does not know';
    throw wrongForm(where, what, 'E_CONFIG_VERSION');
  }
  if (!Array.isArray(connections)) throw wrongForm(where, 'has "connections" that are not a list');
  const list = readList(connections, where, (node) => findLine(node));
  return {
    ...list,
    value,
    newer: version > documentVersion,
    problems: [...topProblems(value, version, where), ...list.problems],
  };
}

/** Whether a file lets `serve` run; undefined if it does not say. Throws when it says it in another form. */
export function readServeEnabled({ serve = {} }: Fields, where: string): boolean | undefined {
  const { enabled, ...others } = isFields(serve) ? serve : { enabled: 'invalid' };
  if ((enabled === undefined || typeof enabled === 'boolean') && Object.keys(others).length === 0) return enabled;
  throw new Failure('config', `${where} has an invalid "serve"`, { hint: 'Write it as "serve": { "enabled": false }.' });
}

/** What a file would define, as far as it can be read. */
export function readNames(text: string, where: string): string[] {
  try {
    return [...new Set(parseDocument(text, where, { comments: true }).connections.map(({ name }) => name))];
  } catch {
    return [];
  }
}

/** Reads the environment variable: a JSON list of connections. */
export function parseConnectionList(text: string, where: string): ConnectionList {
  const { value } = parseJsonText(text, where);
  if (!Array.isArray(value)) {
    throw new Failure('config', `the variable ${where} does not hold a list`, {
      hint: `Set ${where} to a JSON list of connections, for example [{"name": "local", …}].`,
    });
  }
  return readList(value, where, () => undefined);
}

function readList(list: readonly unknown[], where: string, findLine: (node: unknown) => number | undefined): ConnectionList {
  const connections: RawConnection[] = [];
  const problems: Failure[] = [];
  let more = 0;
  for (const [index, raw] of list.entries()) {
    const line = findLine(raw);
    const position = `connections[${index}]${line === undefined ? '' : `, line ${line}`}`;
    const name = isFields(raw) ? connectionName.safeParse(raw.name) : undefined;
    if (isFields(raw) && name?.success) connections.push({ name: name.data, raw, position });
    else if (problems.length < maxProblems) problems.push(unnamed(raw, position, where));
    else more += 1;
  }
  return { connections, problems: more === 0 ? problems : [...problems, moreProblems(more, where)] };
}

function moreProblems(count: number, where: string): Failure {
  return new Failure('config', `${where} has ${count} more invalid elements or keys`, {
    hint: `Write the file as ${form}.`,
  });
}

function unnamed(raw: unknown, position: string, where: string): Failure {
  const name = isFields(raw) ? raw.name : undefined;
  const reserved = name === '__proto__' ? 'has a reserved name' : 'has an invalid name';
  const what = !isFields(raw) ? 'is not an object' : name === undefined ? 'has no "name"' : reserved;
  return new Failure('config', `${where} (${position}) ${what}; the other connections are not affected`, {
    hint: isFields(raw) ? 'Use 1 to 64 letters, digits, _ or - in a name.' : 'Write each connection as { "name": …, … }.',
  });
}

function topProblems(value: Fields, version: number, where: string): Failure[] {
  const unknown = Object.keys(value).filter((key) => !knownKeys.includes(key) && !key.startsWith('$'));
  const problems = unknown.slice(0, maxProblems).map((key) => unknownKey(key.slice(0, 64), where));
  if (unknown.length > maxProblems) problems.push(moreProblems(unknown.length - maxProblems, where));
  problems.push(...serveProblems(value, where));
  if (version === documentVersion) return problems;
  const message = `${where} has version ${version}, and this server knows version ${documentVersion}: it is read as far as possible and not changed`;
  return [new Failure('config', message, { code: 'E_CONFIG_VERSION', hint: 'Update this server.' })];
}

function serveProblems(value: Fields, where: string): Failure[] {
  try {
    readServeEnabled(value, where);
    return [];
  } catch (error) {
    return [toFailure(error)];
  }
}

function unknownKey(key: string, where: string): Failure {
  const nearest = nearestNames(key, ['version', 'connections', 'serve'], 1);
  const meant = nearest.length > 0 ? ` (did you mean "${nearest[0]}"?)` : '';
  return new Failure('config', `${where} has the unknown key "${key}"${meant}; it is ignored`, {
    hint: `Write the file as ${form}.`,
    nearest,
  });
}

function wrongForm(where: string, what: string, code: 'E_CONFIG' | 'E_CONFIG_VERSION' = 'E_CONFIG'): Failure {
  return new Failure('config', `${where} ${what}`, { code, hint: `Write the file as ${form}.` });
}
