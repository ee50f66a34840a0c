import { createHmac, randomBytes } from 'node:crypto';
import type * as z from 'zod';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { stampOf } from '../files/read-file.ts';
import { rememberSecret } from '../redact.ts';
import { type Environment, readVariable } from './expand.ts';
import { type Expanded, expandConnection, fitSchema, type Placeholder } from './fit.ts';
import { formatIssues } from './issues.ts';
import { absolutePath } from './paths.ts';
import { type SecretField, type SecretPlace, secretPlacesIn } from './schema-fields.ts';
import { commandRefused, mayRunCommands } from './secrets.ts';
import type { Candidate } from './sources.ts';
import { canonical, type Fields, formatPath, isFields, isPrefix, stringsOf, valueAt } from './tree.ts';

/** What every connection of one registry is read with. */
export interface Reader<C extends BaseConnection> {
  schema: z.ZodType<C>;
  env: Environment;
  home: string;
  secretFields: readonly SecretField[];
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
  const expanded = expandCandidate(candidate, reader.env);
  const places = secretPlacesIn(expanded.value, reader.secretFields);
  rememberLiterals(expanded.value, places);
  const unset = [...new Set(expanded.placeholders.flatMap((placeholder) => placeholder.unset))];
  const shared = { unset, depends: dependenciesOf(candidate, expanded, places, reader) };
  const problem = ruleProblem(candidate, expanded, places);
  return problem ? { problem, ...shared } : { ...listed(candidate, { expanded, places, unset }, reader), ...shared };
}

export function expandCandidate(candidate: Candidate, env: Environment): Expanded {
  const { raw, expands } = candidate;
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

function ruleProblem(candidate: Candidate, expanded: Expanded, places: readonly SecretPlace[]): Failure | undefined {
  const { name, origin, position } = candidate;
  const malformed = expanded.placeholders.find((placeholder) => placeholder.malformed);
  if (malformed) {
    const field = formatPath(malformed.path);
    const message = `the field ${field} of connection "${name}" (${position}) in ${origin.where} has a \${ that begins no variable`;
    return new Failure('config', message, {
      hint: `A variable is written \${NAME} or \${NAME:-default}; a plain \${ is written $\${.`,
    });
  }
  if (mayRunCommands(origin)) return undefined;
  const command = places.find(
    ({ path }) => isFields(valueAt(expanded.value, [...path])) && valueAt(expanded.value, [...path, 'command']),
  );
  return command && commandRefused({ connection: name, field: formatPath(command.path), origin });
}

/** A password that stands in a file is a secret from now on, whether or not the connection is ever used. */
function rememberLiterals(value: Fields, places: readonly SecretPlace[]): void {
  const shown = shownTexts(value, places);
  for (const { path, kind } of places) {
    const secret = valueAt(value, path);
    if (typeof secret !== 'string' || shown.has(secret)) continue;
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
