import type * as z from 'zod';
import { nearestNames } from '../../nearest.ts';
import { keysAt } from '../schema-fields.ts';
import { formatPath, type Path, valueAt } from '../tree.ts';

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** Names of types, instead of those of the validator. */
export const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};

const maxIssues = 5;

/**
 * What is wrong with a connection, by key. The values themselves are never part of the text: any of them may be a secret, also
 * one that was put under the wrong key.
 */
export function formatIssues(issues: readonly Issue[], input: unknown, schema: Schema): string {
  const flat = issues.flatMap((issue) => flatten(issue, input));
  const texts = flat.slice(0, maxIssues).map((issue) => formatIssue(issue, input, schema));
  if (flat.length > maxIssues) texts.push(`and ${flat.length - maxIssues} more`);
  return texts.join('; ');
}

/** The issues inside a union: those of the alternative that was most probably meant. Their paths begin at the connection. */
export function flatten(issue: Issue, input: unknown, base: Path = []): Issue[] {
  const path = [...base, ...buildPath(issue)];
  if (issue.code !== 'invalid_union') return [{ ...issue, path: [...path] }];
  if (issue.errors.length === 0) return [{ code: 'custom', path, message: issue.message, input: undefined, params: aboutForm }];
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => flatten(inner, input, path)));
  const entered = branches.filter((branch) =>
    branch.some((inner) => inner.code !== 'invalid_type' || inner.path.length > path.length),
  );
  // An issue inside of the value shows that the value has the form of this alternative.
  const isOutside = (branch: readonly Issue[]) => Number(branch.some((inner) => inner.path.length === path.length));
  const [best] = entered.sort((a, b) => isOutside(a) - isOutside(b) || a.length - b.length);
  if (best === undefined) return [wrongForm(branches.flat(), path)];
  const unknownKey = best.find((inner) => inner.code === 'unrecognized_keys');
  return unknownKey ? [unknownKey] : best;
}

/** Marks an issue of a value that may be missing; any other of this kind is of a value that is there. */
const aboutForm = {};

/** No alternative takes a value of this type at all. */
function wrongForm(issues: readonly Issue[], path: Path): Issue {
  const types = issues.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : []));
  const expected = new Set(types.map((type) => typeWords[type] ?? type));
  return {
    code: 'custom',
    path: [...path],
    message: `expected ${[...expected].join(' or ') || 'another form'}`,
    input: undefined,
    params: aboutForm,
  };
}

function formatIssue(issue: Issue, input: unknown, schema: Schema): string {
  const path = buildPath(issue);
  const key = path.length === 0 ? 'it' : `the key "${formatPath(path)}"`;
  const value = valueAt(input, path);
  if (issue.code === 'unrecognized_keys') return formatUnknownKeys(issue.keys, path, schema);
  // One of a URL that a rule for its values refuses is there, though not under its own key.
  if (value === undefined && path.length > 0 && !isAboutValue(issue)) return `${key} is missing`;
  if (issue.code === 'invalid_type')
    return `${key} must be ${typeWords[issue.expected] ?? issue.expected}, not ${typeName(value)}`;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String);
    const nearest = typeof value === 'string' ? nearestNames(value, values, 1) : [];
    return `${key} must be one of ${quoteAll(values)}${formatMeant(nearest)}`;
  }
  if (path.length === 0) return issue.message;
  // A colon after the key would make redaction remove what follows `password:`.
  return `${key} is not accepted (${formatSizeLimit(issue) ?? issue.message})`;
}

function isAboutValue(issue: Issue): boolean {
  if (issue.code === 'custom') return issue.params !== aboutForm;
  return issue.code === 'too_big' || issue.code === 'too_small' || issue.code === 'invalid_format';
}

const unitWords: Readonly<Record<string, string>> = { array: ' item', string: ' character' };

/** Describes a limit of sizes, instead of the validator's own words. */
export function formatSizeLimit(issue: Issue): string | undefined {
  if (issue.code === 'too_big') return `expected at most ${formatSize(issue.maximum, issue.origin)}`;
  if (issue.code === 'too_small') return `expected at least ${formatSize(issue.minimum, issue.origin)}`;
  return undefined;
}

function formatSize(size: number | bigint, origin: string): string {
  const unit = unitWords[origin];
  return unit === undefined ? `${size}` : `${size}${unit}${Number(size) === 1 ? '' : 's'}`;
}

function formatMeant(nearest: readonly string[]): string {
  return nearest.length > 0 ? ` (did you mean ${quoteAll(nearest)}?)` : '';
}

function quoteAll(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** Other programs' words for our fields. */
const otherWords: Readonly<Record<string, string>> = {
  dbname: 'database',
  db: 'database',
  username: 'user',
  hostname: 'host',
  server: 'host',
  pass: 'password',
  pwd: 'password',
  search_path: 'schema',
};

export function nearestKeys(key: string, known: readonly string[]): readonly string[] {
  const word = otherWords[key.toLowerCase()];
  return word !== undefined && known.includes(word) ? [word] : nearestNames(key, known, 1);
}

function formatUnknownKeys(keys: readonly string[], path: Path, schema: Schema): string {
  const known = keysAt(schema, path);
  const nearest = [...new Set(keys.flatMap((key) => nearestKeys(key, known)))];
  const names = quoteAll(keys.slice(0, maxIssues).map((key) => formatPath([...path, key.slice(0, 64)])));
  return `${keys.length > 1 ? 'the keys' : 'the key'} ${names} ${keys.length > 1 ? 'are' : 'is'} unknown${formatMeant(nearest)}`;
}

/** Symbols cannot occur: our paths come from JSON. */
export function buildPath(issue: Pick<Issue, 'path'>): (string | number)[] {
  return issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return typeWords[typeof value] ?? typeof value;
}
