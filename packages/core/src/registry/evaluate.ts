import { createHmac, randomBytes } from 'node:crypto';
import type * as z from 'zod';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { stampOf } from '../files/read-file.ts';
import { rememberSecret } from '../redact.ts';
import { type Environment, readVariable } from './expand.ts';
import { type Expanded, expandConnection, fitSchema, type Placeholder } from './fit.ts';
import { formatIssues } from './issues.ts';
import { isOpReference, withOpCommands } from './op-reference.ts';
import { absolutePath } from './paths.ts';
import { type SecretField, type SecretPlace, secretPlacesIn } from './schema-fields.ts';
import { mayRunPrograms, programRefused, type SecretOwner, secretFailure } from './secret-context.ts';
import type { SecretMemory } from './secret-memory.ts';
import { type SecretSources, sourceFailure, unknownSource } from './secret-sources.ts';
import type { Candidate } from './sources.ts';
import { canonical, type Fields, formatPath, isFields, isPrefix, stringsOf, valueAt } from './tree.ts';

/** What every connection of one registry is read with. */
export interface Reader<C extends BaseConnection> {
  schema: z.ZodType<C>;
  env: Environment;
  home: string;
  secretFields: readonly SecretField[];
  sources: SecretSources<C>;
  ownFileFields: readonly string[];
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
  const depends: Dependencies = { variables: [], files: [] };
  if (candidate.problem) return { problem: candidate.problem, unset: [], depends };
  const expanded = expandCandidate(candidate, reader);
  const places = secretPlacesIn(expanded.value, reader.secretFields);
  rememberLiterals(expanded.value, places);
  const unset = [...new Set(expanded.placeholders.flatMap((placeholder) => placeholder.unset))];
  const shared = { unset, depends: dependenciesOf(candidate, expanded, places, reader) };
  const problem =
    ownFileProblem(candidate, reader) ??
    malformedProblem(candidate, expanded) ??
    referenceProblem(candidate, { expanded, places }, reader);
  return problem ? { problem, ...shared } : { ...listed(candidate, { expanded, places, unset }, reader), ...shared };
}

/**
 * An `op://` text counts in a file that a person has allowed or named. In the store it may come from a tool, and a person's own
 * commands write the command into it instead.
 */
export function expandCandidate<C extends BaseConnection>(candidate: Candidate, { env, secretFields }: Reader<C>): Expanded {
  const { expands, origin } = candidate;
  const raw = origin.kind === 'project' ? withOpCommands(candidate.raw, secretFields) : candidate.raw;
  return expands ? expandConnection(raw, env) : { value: raw, masked: raw, placeholders: [] };
}

/** The failure of a connection that uses a variable nobody has set. */
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
  const { text, nearest } = formatIssues(issues, input, schema);
  const { name, position, origin } = candidate;
  return new Failure('config', `connection "${name}" (${position}) in ${origin.where} cannot be used: ${text}`, {
    hint: `A person corrects it in ${origin.where}; the other connections are not affected.`,
    personHint: `Correct it in ${origin.where}; the other connections are not affected.`,
    nearest,
  });
}

function listed<C extends BaseConnection>(
  candidate: Candidate,
  parts: { expanded: Expanded; places: readonly SecretPlace[]; unset: readonly string[] },
  reader: Reader<C>,
): { config: C } | { problem: Failure } {
  const { expanded, places } = parts;
  const full = parts.unset.length > 0 ? undefined : fitSchema(reader.schema, expanded.value, expanded.placeholders);
  if (full && !full.ok) return { problem: invalidFailure(candidate, full.issues, full.input, reader.schema) };
  // A secret never replaces its placeholder here: what is listed may be shown.
  const shown = expanded.placeholders.filter(
    ({ path, unset }) => unset.length === 0 && !places.some((p) => isPrefix(p.path, path)),
  );
  const masked = fitSchema(reader.schema, expanded.masked, shown);
  if (masked.ok) return { config: masked.config };
  if (full) return { config: full.config };
  const blamed = expanded.placeholders.find(({ path, unset }) => unset.length > 0 && blames(masked.issues, path));
  if (blamed) return { problem: unsetFailure(candidate, blamed, places) };
  return { problem: invalidFailure(candidate, masked.issues, masked.input, reader.schema) };
}

function blames(issues: readonly z.core.$ZodIssue[], path: Placeholder['path']): boolean {
  return issues.some((issue) => isPrefix(issue.path.map(String), path));
}

function malformedProblem({ name, origin, position }: Candidate, { placeholders }: Expanded): Failure | undefined {
  const malformed = placeholders.find((placeholder) => placeholder.malformed);
  if (malformed === undefined) return undefined;
  const field = formatPath(malformed.path);
  const message = `the field ${field} of connection "${name}" (${position}) in ${origin.where} has a \${ that begins no variable`;
  return new Failure('config', message, {
    hint: `A variable is written \${NAME} or \${NAME:-default}; a plain \${ is written $\${.`,
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
    `the field ${field} of connection "${name}" counts only in a person's own file, not in ${origin.where}`,
    {
      hint: `A person moves the connection to their own file, or removes ${field}.`,
      personHint: `Move the connection to your own file, or remove ${field}.`,
    },
  );
}

/** A reference that will never be followed is a problem at once, and not when it is used. */
function referenceProblem<C extends BaseConnection>(
  { name, origin, raw }: Candidate,
  { expanded, places }: { expanded: Expanded; places: readonly SecretPlace[] },
  reader: Reader<C>,
): Failure | undefined {
  for (const { path } of places) {
    const value = valueAt(expanded.value, path);
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
      ? `If it is yours, give it to the command "connections update ${connection}" as the value of ${field}: that writes down what to run.`
      : 'Write {"command": ["op", "read", "--no-newline", "op://…"]} into a file, or start the server with `op run --`.',
  });
}

/** A password that stands in a file is a secret from now on, whether or not the connection is ever used. */
function rememberLiterals(value: Fields, places: readonly SecretPlace[]): void {
  const shown = shownTexts(value, places);
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
export function shownTexts(value: Fields, places: readonly SecretPlace[]): ReadonlySet<string> {
  const shown = [...stringsOf(value)].filter(({ path }) => !places.some((place) => isPrefix(place.path, path)));
  return new Set(shown.map(({ text }) => text));
}

/** A key itself rather than the path of one. */
export function isInlineKey(text: string): boolean {
  return text.includes('-----BEGIN ') || text.startsWith('PuTTY-User-Key-File-');
}

function dependenciesOf(
  candidate: Candidate,
  expanded: Expanded,
  places: readonly SecretPlace[],
  reader: Pick<Reader<BaseConnection>, 'home'>,
): Dependencies {
  const refs = places.map(({ path }) => valueAt(expanded.value, path)).filter(isFields);
  const named = (key: string) => refs.map((ref) => ref[key]).filter((value) => typeof value === 'string');
  return {
    variables: [...expanded.placeholders.flatMap(({ variables }) => variables), ...named('env')],
    files: named('file').map((file) => absolutePath(file, { base: candidate.base, home: reader.home })),
  };
}

/** What the dependencies hold now, to be compared and never to be shown: the variables' values are in it. */
export function dependencyState(depends: Dependencies, env: Environment): string {
  const variables = depends.variables.map((name) => [name, readVariable(env, name) ?? null]);
  const files = depends.files.map((path) => [path, stampOf(path) ?? null]);
  return JSON.stringify([variables, files]);
}

/** Keyed with a secret of this process: from a plain hash of a password the password could be guessed. */
export function versionOf(candidate: Candidate, state: string): string {
  return keyedHash(canonical([candidate.raw, candidate.expands, state])).slice(0, 32);
}

let processKey: Buffer | undefined;

function keyedHash(text: string): string {
  // Made at first use: loading the cryptography would delay the start.
  processKey ??= randomBytes(32);
  return createHmac('sha256', processKey).update(text).digest('hex');
}
