import type * as z from 'zod';
import { nearestNames } from '../nearest.ts';
import { keysAt } from './schema-fields.ts';
import { formatPath, isFields, type Path, valueAt } from './tree.ts';

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

export interface IssueText {
  text: string;
  nearest: readonly string[];
}

const mostIssues = 5;

/**
 * What is wrong with a connection, by key. The values themselves are never part of the text: any of them may be a secret, also
 * one that was put under the wrong key.
 */
export function formatIssues(issues: readonly Issue[], input: unknown, schema: Schema): IssueText {
  const flat = issues.flatMap((issue) => flatten(issue, input));
  const texts = flat.slice(0, mostIssues).map((issue) => formatIssue(issue, input, schema));
  if (flat.length > mostIssues) texts.push({ text: `and ${flat.length - mostIssues} more`, nearest: [] });
  return { text: texts.map(({ text }) => text).join('; '), nearest: texts.flatMap(({ nearest }) => nearest) };
}

/** The issues inside a union: those of the alternative that was most probably meant. Their paths begin at the connection. */
export function flatten(issue: Issue, input: unknown, base: Path = []): Issue[] {
  const path = [...base, ...pathOf(issue)];
  if (issue.code !== 'invalid_union') return [{ ...issue, path: [...path] }];
  if (issue.errors.length === 0) return [{ code: 'custom', path, message: issue.message, input: undefined }];
  const branches = issue.errors.map((errors) => errors.flatMap((inner) => flatten(inner, input, path)));
  const entered = branches.filter((branch) =>
    branch.some((inner) => inner.code !== 'invalid_type' || inner.path.length > path.length),
  );
  const [best] = entered.sort((a, b) => a.length - b.length);
  if (best === undefined) return [wrongForm(branches.flat(), path)];
  const unknownKey = best.find((inner) => inner.code === 'unrecognized_keys');
  return unknownKey ? [unknownKey] : best;
}

/** No alternative takes a value of this type at all. */
function wrongForm(issues: readonly Issue[], path: Path): Issue {
  const expected = new Set(issues.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : [])));
  return {
    code: 'custom',
    path: [...path],
    message: `expected ${[...expected].join(' or ') || 'another form'}`,
    input: undefined,
  };
}

function formatIssue(issue: Issue, input: unknown, schema: Schema): IssueText {
  const path = pathOf(issue);
  const key = path.length === 0 ? 'the connection' : `the key "${formatPath(path)}"`;
  const value = valueAt(input, path);
  if (issue.code === 'unrecognized_keys') return formatUnknownKeys(issue.keys, path, schema);
  if (value === undefined && path.length > 0) return { text: `${key} is missing`, nearest: [] };
  if (issue.code === 'invalid_type')
    return { text: `${key} must be ${article(issue.expected)}, not ${typeName(value)}`, nearest: [] };
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String);
    const nearest = typeof value === 'string' ? nearestNames(value, values) : [];
    return { text: `${key} must be one of ${values.map((one) => JSON.stringify(one)).join(', ')}`, nearest };
  }
  // No colon after the key: what follows `password:` would be taken for a password and removed.
  return { text: `${key} is not accepted (${issue.message})`, nearest: [] };
}

function formatUnknownKeys(keys: readonly string[], path: Path, schema: Schema): IssueText {
  const known = keysAt(schema, path);
  const nearest = [...new Set(keys.flatMap((key) => nearestNames(key, known, 1)))];
  const names = keys.slice(0, mostIssues).map((key) => JSON.stringify(formatPath([...path, key.slice(0, 64)])));
  const meant = nearest.length > 0 ? ` (did you mean ${nearest.map((key) => JSON.stringify(key)).join(', ')}?)` : '';
  return {
    text: `${names.length > 1 ? 'the keys' : 'the key'} ${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} unknown${meant}`,
    nearest,
  };
}

/** Symbols cannot occur: our paths come from JSON. */
export function pathOf(issue: Pick<Issue, 'path'>): (string | number)[] {
  return issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
}

function article(type: string): string {
  if (type === 'int') return 'an integer';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isFields(value)) return 'an object';
  return article(typeof value);
}
