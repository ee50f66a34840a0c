import type * as z from 'zod';
import { Failure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { Tool } from './tool.ts';

const shownIssueLimit = 5;
const shownValueLimit = 60;
const secretField = /password|passphrase|secret|token|key/i;

/** The arguments a handler may trust. Every problem is named at once, with the value that was given and the way out. */
export function parseArguments(tool: Tool, args: unknown): Record<string, unknown> {
  const result = tool.input.safeParse(args);
  if (result.success) return result.data;
  const known = Object.keys(tool.input.shape);
  const problems = result.error.issues.slice(0, shownIssueLimit).map((issue) => describe(issue, args, known));
  throw new Failure('input', `${tool.name}: ${problems.join('; ')}`, {
    hint: `Arguments: ${known.map((name) => label(tool, name)).join(', ')}.`,
  });
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
  if (secretField.test(path)) return `${path} is not accepted (${issue.message})`;
  return `${path || 'the arguments'}: ${issue.message}${shown(value)}`;
}

function unknownKey(key: string, path: readonly PropertyKey[], known: readonly string[]): string {
  const where = path.length === 0 ? '' : ` in ${path.map(String).join('.')}`;
  const [nearest] = path.length === 0 ? nearestNames(key, known, 1) : [];
  return `unknown argument ${JSON.stringify(key.slice(0, shownValueLimit))}${where}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function shown(value: unknown): string {
  // Its type alone: an object may hold a password further in, and be nested too deep to be written out.
  if (typeof value === 'object' && value !== null) return `, got ${Array.isArray(value) ? 'a list' : 'an object'}`;
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, shownValueLimit) : value) ?? String(value);
  return `, got ${text.length > shownValueLimit ? `${text.slice(0, shownValueLimit)}…` : text}`;
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
