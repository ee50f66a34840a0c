import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { escapeText } from './expand.ts';
import { expandConnection, fitSchema } from './fit.ts';
import { formatIssues } from './issues.ts';
import { isOpReference, withOpCommands } from './op-reference.ts';
import type { PlaceReader } from './readonly-places.ts';
import { secretPlacesIn } from './schema-fields.ts';
import { type Fields, formatPath, isFields, mapStrings, stringsOf, valueAt } from './tree.ts';

export interface EditRules<C extends BaseConnection> {
  reader: PlaceReader<C>;
  /** Nothing of what keeps a model from harm holds then. */
  byPerson: boolean;
  /** Where the store is, for "a person edits …". */
  storePath: string;
  /** Fields that decide where a connection goes, and with it a stored secret. */
  routeFields: readonly string[];
  /** Fields that only a person may write, as dotted paths with `*` for list elements. */
  personFields: readonly string[];
  /** Those of them that narrow what may be seen; whoever can take such a connection away, or add one beside it, has widened it. */
  narrowingFields: readonly string[];
}

/** Characters of one value that a tool may store. Tokens have some thousands. */
const longestText = 16_384;

/**
 * What a tool passed, made safe to store. The input comes from a model, which may act for whoever wrote the page it has just
 * read: it may name no file, variable or command to take a secret from, and no host key to accept.
 */
export function cleanInput<C extends BaseConnection>(input: Fields, rules: EditRules<C>): Fields {
  if (rules.byPerson) return withOpCommands(input, rules.reader.secretFields);
  const long = [...stringsOf(input)].find(({ text }) => text.length > longestText);
  if (long) throw tooLong(formatPath(long.path), long.text.length);
  const places = secretPlacesIn(input, rules.reader.secretFields);
  for (const { path, kind } of places) {
    const value = valueAt(input, path);
    if (isFields(value) || isOpReference(value)) throw referenceRefused(formatPath(path), rules);
    if (kind === 'key') throw personOnly(formatPath(path), rules);
  }
  const forbidden = rules.personFields.map((field) => ({ pattern: field.split('.'), kind: 'value' as const }));
  const [first] = secretPlacesIn(input, forbidden);
  if (first) throw personOnly(formatPath(first.path), rules);
  // To remove it is to set it, too.
  const removed = rules.personFields.find((field) => input[field] === null);
  if (removed !== undefined) throw personOnly(removed, rules);
  if (typeof input.host === 'string' && /^[/.~]|\\/.test(input.host)) throw pathRefused(rules);
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  // Strings change into strings and the outermost value stays an object.
  return mapStrings(given, escapeText) as Fields;
}

function tooLong(field: string, length: number): Failure {
  return new Failure('input', `the field ${field} has ${length} characters; at most ${longestText} are accepted`, {
    code: 'E_TOO_LONG',
  });
}

/** Throws what is wrong with a connection that shall be stored, by key. */
export function assertFits<C extends BaseConnection>(raw: Fields, rules: EditRules<C>): void {
  const { schema, env } = rules.reader;
  const { masked, placeholders } = expandConnection(raw, env);
  const known = placeholders.filter(({ unset }) => unset.length === 0);
  const fit = fitSchema(schema, masked, known);
  if (fit.ok) return;
  const { text, nearest } = formatIssues(fit.issues, fit.input, schema);
  throw new Failure('input', `the connection cannot be stored: ${text}`, {
    hint: 'Correct these keys and call again.',
    nearest,
  });
}

function referenceRefused<C extends BaseConnection>(field: string, rules: EditRules<C>): Failure {
  return new Failure('refused', `the field ${field} holds a reference to a secret, and a tool may only pass the value itself`, {
    code: 'E_SECRET_REFERENCE',
    hint: `Leave ${field} out; a person can write {"env": …}, {"file": …}, {"command": …} or another reference into ${rules.storePath}.`,
  });
}

/** Whether there is such a file, and who may use it, would be told by the error. */
function pathRefused<C extends BaseConnection>(rules: EditRules<C>): Failure {
  return new Failure('refused', 'the field host holds a path of this machine, and a tool may only name a host of the network', {
    code: 'E_PERSON_ONLY',
    hint: `A person can add it with the command "connections add", or write it into ${rules.storePath}.`,
  });
}

function personOnly<C extends BaseConnection>(field: string, rules: EditRules<C>): Failure {
  const hint = field.startsWith('ssh.')
    ? `Pass the name of a host in ~/.ssh/config as "ssh", or leave ${field} out to use the SSH agent and the known hosts; a person can write it into ${rules.storePath}.`
    : `A person can write it into ${rules.storePath}.`;
  return new Failure('refused', `the field ${field} cannot be set by a tool`, { code: 'E_PERSON_ONLY', hint });
}
