import { dirname, relative } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { askUser, Failure } from '../../failure.ts';
import type { WrittenConnection } from '../read-connection.ts';
import { secretPlacesIn } from '../schema-fields.ts';
import { escapeText } from '../secrets/expand.ts';
import { isOpReference, withOpCommands } from '../secrets/op-reference.ts';
import { absolutePath, findProjectFolder, holdsHome, isBelow, isFile, realPlace } from '../sources/paths.ts';
import { type Fields, formatPath, isFields, listStrings, mapStrings, valueAt } from '../tree.ts';
import type { PlaceReader } from '../trust/readonly-places.ts';
import { formatIssues } from './issues.ts';
import { unfoldUrl } from './split-url.ts';

export interface EditRules<C extends BaseConnection> {
  reader: PlaceReader<C>;
  /** Nothing of what keeps a model from harm holds then. */
  asUser: boolean;
  /** Where the store is, for "a person edits …". */
  storePath: string;
  /** Where a relative path of a caller begins. */
  cwd: string;
  /** One of these in a folder above makes it the project, whose files a tool may name. */
  projectMarkers: readonly string[];
  /** Throws for a file that no connection of a tool may lead to. */
  checkFile?: ((path: string) => void) | undefined;
  /** Fields that decide where a connection goes, and with it a stored secret. */
  routeFields: readonly string[];
  /** Fields that only a person may write, as dotted paths with `*` for list elements. */
  userOnlyFields: readonly string[];
  /** Those of them that narrow what may be seen; removing such a connection, or adding one beside it, would widen it. */
  restrictionFields: readonly string[];
  /** Fields that do so with such a text as their value. */
  restrictingTexts: Readonly<Record<string, RegExp>>;
}

/** Characters of one value that a tool may store. Tokens have some thousands. */
const maxTextLength = 16_384;

/**
 * What a tool passed, made safe to store. The input comes from a model, which may act for the author of the page it has just
 * read: it may name no file, variable or command to take a secret from, and no host key to accept.
 */
export function cleanInput<C extends BaseConnection>(input: Fields, rules: EditRules<C>): Fields {
  if (rules.asUser) return withOpCommands(placeFile(input, rules), rules.reader.connections.secretFields);
  const long = [...listStrings(input)].find(({ text }) => text.length > maxTextLength);
  if (long) throw tooLong(formatPath(long.path), long.text.length);
  const places = secretPlacesIn(input, rules.reader.connections.secretFields);
  for (const { path, kind } of places) {
    const value = valueAt(input, path);
    if (isFields(value) || isOpReference(value)) throw referenceRefused(formatPath(path), rules);
    if (kind === 'key') throw personOnly(formatPath(path), rules);
  }
  const forbidden = rules.userOnlyFields.map((field) => ({ pattern: field.split('.'), kind: 'value' as const }));
  const [first] = secretPlacesIn(input, forbidden);
  if (first) throw personOnly(formatPath(first.path), rules);
  // Removing a field also counts as setting it.
  const removed = rules.userOnlyFields.find((field) => input[field] === null);
  if (removed !== undefined) throw personOnly(removed, rules);
  refusePath(input.host, rules);
  refusePath(unfoldUrl(input, { host: '' }, rules).host, rules);
  const given = Object.fromEntries(Object.entries(placeFile(input, rules)).filter(([, value]) => value !== undefined));
  // Strings change into strings and the outermost value stays an object.
  return mapStrings(given, escapeText) as Fields;
}

function tooLong(field: string, length: number): Failure {
  return new Failure('input', `the field ${field} has ${length} characters; at most ${maxTextLength} are accepted`, {
    code: 'E_TOO_LONG',
  });
}

/** A connection that is, or should be, in the store. */
export function inStore<C extends BaseConnection>(raw: Fields, { storePath }: EditRules<C>): WrittenConnection {
  return { raw, origin: { kind: 'store', where: storePath }, base: dirname(storePath), expands: true };
}

/** Throws what is wrong with a connection that should be stored, by key. */
export function assertFits<C extends BaseConnection>(raw: Fields, rules: EditRules<C>): void {
  const { schema, connections } = rules.reader;
  const { shown } = connections.read(inStore(raw, rules));
  if (shown.ok) return;
  throw new Failure('input', `invalid connection: ${formatIssues(shown.issues, shown.input, schema)}`, {
    hint: 'Correct these fields and retry.',
  });
}

function referenceRefused<C extends BaseConnection>(field: string, rules: EditRules<C>): Failure {
  return new Failure('refused', `the field ${field} holds a reference to a secret; a tool may only pass the value itself`, {
    code: 'E_SECRET_REFERENCE',
    hint: [
      `Leave ${field} out.`,
      askUser(`write {"env": …}, {"file": …}, {"command": …} or another reference into ${rules.storePath}`),
    ],
  });
}

/** The error would reveal whether such a file exists and who may use it. */
function refusePath<C extends BaseConnection>(host: unknown, rules: EditRules<C>): void {
  if (typeof host !== 'string' || !/^[/.~]|\\/.test(host)) return;
  throw new Failure('refused', 'the field host holds a path of this machine; a tool may only name a network host', {
    code: 'E_PERSON_ONLY',
    hint: askUser(`add it with the command "connections add", or write it into ${rules.storePath}`),
  });
}

/** A relative path in the input begins at the working directory. In the store it would begin elsewhere. */
function placeFile<C extends BaseConnection>(input: Fields, rules: EditRules<C>): Fields {
  const fields = unfoldUrl(input, { file: '' }, rules);
  const { file } = fields;
  if (typeof file !== 'string' || (rules.asUser && file.startsWith('${'))) return input;
  const path = absolutePath(file, { base: rules.cwd, home: rules.reader.home });
  return rules.asUser ? { ...fields, file: path } : { ...fields, file: findFile(path, rules), noLinks: true };
}

/**
 * A tool may name a file of the working directory or of the project around it, unless that has the home folder in it, as where no project was
 * opened. About other files it does not even learn whether they exist.
 */
function findFile<C extends BaseConnection>(path: string, rules: EditRules<C>): string {
  const { cwd, projectMarkers, storePath, reader, checkFile } = rules;
  const real = realPlace(path);
  const folders = [cwd, findProjectFolder(realPlace(cwd), projectMarkers) ?? cwd].map(realPlace);
  if (!folders.some((folder) => isBelow(relative(folder, real)) && !holdsHome(folder, reader.home))) {
    const accepted = 'expected one below the working directory or in its project, neither of which may contain the home folder';
    throw new Failure('refused', `a tool cannot name the file ${path}: ${accepted}`, {
      code: 'E_PERSON_ONLY',
      hint: askUser(`add it with \`connections add\`, or to ${storePath}`),
    });
  }
  if (!isFile(real))
    throw new Failure('input', `there is no file ${path}`, { hint: `Pass the path of an existing file below ${cwd}.` });
  checkFile?.(real);
  return real;
}

function personOnly<C extends BaseConnection>(field: string, rules: EditRules<C>): Failure {
  const edit = askUser(`write it into ${rules.storePath}`);
  const hint = field.startsWith('ssh.')
    ? [`Pass a Host of ~/.ssh/config as "ssh", or leave ${field} out to use the SSH agent and known hosts.`, edit]
    : edit;
  return new Failure('refused', `the field ${field} cannot be set by a tool`, { code: 'E_PERSON_ONLY', hint });
}
