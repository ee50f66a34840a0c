import { createHmac, randomBytes } from 'node:crypto';
import type * as z from 'zod';
import type { BaseConnection } from '../../connection.ts';
import { askUser, Failure } from '../../failure.ts';
import { readStamp } from '../../files/read-file.ts';
import { rememberSecret } from '../../redact/redact.ts';
import { formatIssues } from '../edit/issues.ts';
import type { ConnectionReader, ConnectionReading, Placeholder, ReadingRules } from '../read-connection.ts';
import type { SecretPlace } from '../schema-fields.ts';
import { absolutePath } from '../sources/paths.ts';
import type { Candidate } from '../sources/sources.ts';
import { canonical, formatPath, isFields, isPrefix, listStrings, valueAt } from '../tree.ts';
import { type Environment, readVariable } from './expand.ts';
import { isOpReference } from './op-reference.ts';
import { mayRunPrograms, programRefused, type SecretOwner, secretFailure } from './secret-context.ts';
import type { SecretMemory } from './secret-memory.ts';
import { type SecretSources, sourceFailure, unknownSource } from './secret-sources.ts';

/** What every connection of one registry is read with. */
export interface Reader<C extends BaseConnection> extends ReadingRules<C> {
  connections: ConnectionReader<C>;
  sources: SecretSources<C>;
  ownFileFields: readonly string[];
  /** What of a connection is a person's policy. */
  policyFields: readonly string[];
  memory: SecretMemory;
}

/** What a connection depends on beyond its own text. */
export interface Dependencies {
  variables: readonly string[];
  files: readonly string[];
}

export interface Evaluation<C extends BaseConnection> {
  config?: C;
  problem?: Failure;
  unset: readonly string[];
  depends: Dependencies;
}

/** A connection's candidate made ready to be listed: nothing is read but variables, and no secret is in the outcome. */
export function evaluate<C extends BaseConnection>(candidate: Candidate, reader: Reader<C>): Evaluation<C> {
  if (candidate.problem) return { problem: candidate.problem, unset: [], depends: { variables: [], files: [] } };
  const reading = reader.connections.read(candidate);
  rememberLiterals(reading);
  const shared = { unset: reading.unset, depends: findDependencies(candidate, reading, reader) };
  const problem =
    ownFileProblem(candidate, reader) ?? malformedProblem(candidate, reading) ?? referenceProblem(candidate, reading, reader);
  return problem ? { problem, ...shared } : { ...listed(candidate, reading, reader), ...shared };
}

/** The failure of a connection that uses an unset variable. */
export function unsetFailure(candidate: Candidate, placeholder: Placeholder, places: readonly SecretPlace[]): Failure {
  const variable = placeholder.unset[0] ?? '';
  const isSecret = places.some(({ path }) => isPrefix(path, placeholder.path));
  const where = `the field ${formatPath(placeholder.path)} of connection "${candidate.name}" (${candidate.origin.where})`;
  return new Failure(isSecret ? 'secret' : 'config', `${where} uses the environment variable ${variable}, which is not set`, {
    code: 'E_ENV_UNSET',
    hint: `Set ${variable} in the environment of this server, or give it a default: \${${variable}:-default}.`,
  });
}

export function invalidFailure(
  candidate: Candidate,
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  schema: z.ZodType,
): Failure {
  const text = formatIssues(issues, input, schema);
  const { name, position, origin } = candidate;
  return new Failure('config', `connection "${name}" (${position}) in ${origin.where} cannot be used: ${text}`, {
    hint: [askUser(`correct it in ${origin.where}`), 'The other connections are not affected.'],
  });
}

function listed<C extends BaseConnection>(
  candidate: Candidate,
  { full, shown, placeholders, places }: ConnectionReading<C>,
  { schema }: Reader<C>,
): { config: C } | { problem: Failure } {
  const fit = full?.ok === false ? full : shown;
  if (fit.ok) return { config: fit.config };
  const blamed = placeholders.find(({ path, unset }) => unset.length > 0 && blames(fit.issues, path));
  if (blamed) return { problem: unsetFailure(candidate, blamed, places) };
  return { problem: invalidFailure(candidate, fit.issues, fit.input, schema) };
}

function blames(issues: readonly z.core.$ZodIssue[], path: Placeholder['path']): boolean {
  return issues.some((issue) => isPrefix(issue.path.map(String), path));
}

function malformedProblem<C>({ name, origin, position }: Candidate, { placeholders }: ConnectionReading<C>): Failure | undefined {
  const malformed = placeholders.find((placeholder) => placeholder.malformed);
  if (malformed === undefined) return undefined;
  const field = formatPath(malformed.path);
  const message = `the field ${field} of connection "${name}" (${position}) in ${origin.where} has an unterminated or invalid \${…}`;
  return new Failure('config', message, {
    hint: `Write a variable as \${NAME} or \${NAME:-default}, and a literal \${ as $\${.`,
  });
}

/** What a person vouches for must not come with a repository. */
function ownFileProblem<C extends BaseConnection>(
  { name, origin, raw }: Candidate,
  { ownFileFields }: Reader<C>,
): Failure | undefined {
  const field = origin.kind === 'project' ? ownFileFields.find((one) => raw[one] !== undefined) : undefined;
  if (field === undefined) return undefined;
  return new Failure(
    'config',
    `the field ${field} of connection "${name}" is only accepted in the user's own file, not in ${origin.where}`,
    { hint: askUser(`move the connection to a file outside of the project, or remove ${field}`) },
  );
}

/** A reference that will never be followed is a problem at once, and not when it is used. */
function referenceProblem<C extends BaseConnection>(
  { name, origin, raw }: Candidate,
  reading: ConnectionReading<C>,
  reader: Reader<C>,
): Failure | undefined {
  for (const { path } of reading.places) {
    const value = valueAt(reading.value, path);
    const owner = { connection: name, field: formatPath(path), origin };
    if (isOpReference(value)) return opFailure(owner, isOpReference(valueAt(raw, path)));
    if (!isFields(value)) continue;
    if (('command' in value || 'keychain' in value) && !mayRunPrograms(origin)) return programRefused(owner);
    const known = Object.keys(reader.sources);
    const source = unknownSource(value, known);
    if (source !== undefined) return sourceFailure(source, known, owner);
  }
  return undefined;
}

function opFailure(owner: SecretOwner, isWritten: boolean): Failure {
  const { connection, field, origin } = owner;
  const inStore = origin.kind === 'store';
  const where = inStore ? 'in the store, where a tool may have put it' : 'here';
  const what = isWritten
    ? `holds an op:// reference as text, which is not followed ${where}`
    : 'gets an op:// reference out of a variable';
  return secretFailure(owner, what, {
    code: 'E_SECRET_REFERENCE',
    hint: inStore
      ? {
          ...askUser(`set ${field} with the command "connections update ${connection}" if the reference is theirs`),
          run: `connections update ${connection} KEY=VALUE`,
          to: `set ${field} to the reference again, if it is yours`,
        }
      : 'Write {"command": ["op", "read", "--no-newline", "op://…"]} into a file, or start the server with `op run --`.',
  });
}

/** A password in a file is a secret from now on, whether or not the connection is ever used. */
function rememberLiterals<C>({ value, places }: ConnectionReading<C>): void {
  const shown = shownTexts({ value, places });
  for (const { path, kind } of places) {
    const secret = valueAt(value, path);
    if (typeof secret !== 'string' || shown.has(secret) || isOpReference(secret)) continue;
    if (kind === 'value' || isInlineKey(secret)) rememberSecret(secret);
  }
}

/**
 * What is listed of a connection anyway. A password that is the user's name, or the engine's, hides nothing: removing it from every
 * answer would only take the words away that it is made of.
 */
export function shownTexts<C>({ value, places }: Pick<ConnectionReading<C>, 'value' | 'places'>): ReadonlySet<string> {
  const shown = [...listStrings(value)].filter(({ path }) => !places.some((place) => isPrefix(place.path, path)));
  return new Set(shown.map(({ text }) => text));
}

/** A key itself rather than the path of one. */
export function isInlineKey(text: string): boolean {
  return text.includes('-----BEGIN ') || text.startsWith('PuTTY-User-Key-File-');
}

function findDependencies<C extends BaseConnection>(
  { base }: Candidate,
  { value: read, places, placeholders }: ConnectionReading<C>,
  { home }: Reader<C>,
): Dependencies {
  const refs = places.map(({ path }) => valueAt(read, path)).filter(isFields);
  const named = (key: string) => refs.map((ref) => ref[key]).filter((value) => typeof value === 'string');
  return {
    variables: [...placeholders.flatMap(({ variables }) => variables), ...named('env')],
    files: named('file').map((file) => absolutePath(file, { base, home })),
  };
}

/** What the dependencies hold now, to be compared and never to be shown: the variables' values are in it. */
export function dependencyState(depends: Dependencies, env: Environment): string {
  const variables = depends.variables.map((name) => [name, readVariable(env, name) ?? null]);
  const files = depends.files.map((path) => [path, readStamp(path) ?? null]);
  return JSON.stringify([variables, files]);
}

/** Keyed with a secret of this process: from a plain hash of a password the password could be guessed. */
export function readVersion(candidates: readonly Candidate[], state: string): string {
  return keyedHash(canonical([...candidates.map(({ raw, expands }) => [raw, expands]), state])).slice(0, 32);
}

let processKey: Buffer | undefined;

function keyedHash(text: string): string {
  // The key is made at first use: loading the cryptography would delay the start.
  processKey ??= randomBytes(32);
  return createHmac('sha256', processKey).update(text).digest('hex');
}
