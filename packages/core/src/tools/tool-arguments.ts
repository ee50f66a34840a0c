import type * as z from 'zod';
import { Failure } from '../failure.ts';
import { formatSizeLimit, nearestKeys, typeWords } from '../registry/edit/issues.ts';
import { coerceArguments } from './coerce-arguments.ts';
import type { Tool } from './tool.ts';

const shownIssueLimit = 5;
const shownValueLimit = 60;
/** The limit of arguments, known or not: each is examined several times. */
const maxKeys = 1_000;
const secretField = /password|passphrase|secret|token|key/i;

/** The arguments a handler may trust. Every problem is named at once, with the value that was given and the way out. */
export function parseArguments(tool: Tool, args: unknown): Record<string, unknown> {
  if (hasMoreKeys(args, maxKeys)) {
    throw new Failure('input', `${tool.name}: more than ${maxKeys} arguments`, {
      hint: `Arguments: ${Object.keys(tool.input.shape).join(', ')}.`,
    });
  }
  const result = tool.input.safeParse(args);
  if (result.success) return result.data;
  const meant = coerceArguments(tool, args);
  const coerced = tool.input.safeParse(meant);
  if (coerced.success) return coerced.data;
  const known = Object.keys(tool.input.shape);
  const issues = coerced.error.issues.slice(0, shownIssueLimit);
  const problems = issues.map((issue) => describe(issue, meant, known));
  const advice = issues.flatMap(({ path }) => tool.advice?.[String(path[0])] ?? []);
  throw new Failure('input', `${tool.name}: ${problems.join('; ')}`, {
    hint: advice.length > 0 ? advice : `Arguments: ${known.map((name) => label(tool, name)).join(', ')}.`,
  });
}

function hasMoreKeys(args: unknown, limit: number): boolean {
  if (typeof args !== 'object' || args === null) return false;
  let count = 0;
  for (const _key in args) if (++count > limit) return true;
  return false;
}

function describe(issue: z.core.$ZodIssue, args: unknown, known: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, shownIssueLimit).map((key) => unknownKey(key, issue.path, known));
    return keys.join('; ');
  }
  const path = issue.path.map(String).join('.');
  const value = valueAt(args, issue.path);
  if (value === undefined && path !== '') return `${path} is missing`;
  // No colon after it: what follows `password:` would be taken for a password and removed.
  if (secretField.test(path)) return `${path} is not accepted (${formatExpected(issue)})`;
  return `${path || 'the arguments'}: ${formatExpected(issue)}, got ${formatGiven(issue, value)}`;
}

/** Describes what is accepted, instead of the validator's own words. */
function formatExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${typeWords[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value')
    return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (issue.code === 'invalid_union') return formatAlternatives(issue);
  return formatSizeLimit(issue) ?? issue.message;
}

/** The one alternative of the right type says more than the list of all. */
function formatAlternatives(issue: z.core.$ZodIssueInvalidUnion): string {
  const nearest = findAlternative(issue);
  if (nearest !== undefined)
    return `${formatExpected(nearest)}${nearest.path.length === 0 ? '' : ` at ${nearest.path.join('.')}`}`;
  return issue.errors
    .map(([first]) => (first === undefined ? '' : formatExpected(first)))
    .join(' or ')
    .replaceAll(' or expected ', ' or ');
}

function findAlternative({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue | undefined {
  const isType = (issues: readonly z.core.$ZodIssue[]) =>
    issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
  return errors.find((issues) => !isType(issues))?.[0];
}

function unknownKey(key: string, path: readonly PropertyKey[], known: readonly string[]): string {
  const where = path.length === 0 ? '' : ` in ${path.map(String).join('.')}`;
  const [nearest] = path.length === 0 ? nearestKeys(key, known) : [];
  return `unknown argument ${JSON.stringify(key.slice(0, shownValueLimit))}${where}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function formatGiven(issue: z.core.$ZodIssue, value: unknown): string {
  const { code, path } = (issue.code === 'invalid_union' ? findAlternative(issue) : undefined) ?? issue;
  const isSize = (code === 'too_big' || code === 'too_small') && (issue.code === code || path.length === 0);
  if (Array.isArray(value)) return isSize ? `${value.length}` : 'a list';
  // Its type alone: an object may hold a password further in, and be nested too deep to be written out.
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, shownValueLimit) : value) ?? String(value);
  return text.length > shownValueLimit ? `${text.slice(0, shownValueLimit)}…` : text;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

function label(tool: Tool, name: string): string {
  const field = tool.input.shape[name];
  // Every field of a zod 4 object has `safeParse`; undefined is accepted exactly where the argument may be left out.
  return field !== undefined && (field as z.ZodType).safeParse(undefined).success ? `${name}?` : name;
}
