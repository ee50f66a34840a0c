import { formatVisible } from '@dbmole/core';
import { isObject } from '../guard/body/walk-json.ts';
import { formatCell } from '../search/hit-table.ts';

/** Fields, and characters of a value, that a person sees. */
const maxFields = 10;
const maxValue = 60;
const maxDepth = 20;

/** `status: pending → cancelled`, one line for each field that differs. Undefined is a document that is not there. */
export function describeDifference(before: unknown, after: unknown): string[] {
  const [old, now] = [flatten(before), flatten(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  if (names.length === 0) return before === undefined || after === undefined ? [] : ['no field differs'];
  const lines = names.slice(0, maxFields).map((name) => {
    const [from, to] = [old.get(name), now.get(name)];
    const shown = [from, to].flatMap((value) => (value === undefined ? [] : [shorten(value)])).join(' → ');
    if (before === undefined || after === undefined || (from !== undefined && to !== undefined))
      return `${shorten(name)}: ${shown}`;
    return `${shorten(name)}: ${from === undefined ? `(new) ${shown}` : `${shown} → (gone)`}`;
  });
  return names.length > maxFields ? [...lines, `and ${names.length - maxFields} more fields`] : lines;
}

/** What the cluster makes of a document and a part of it: objects are merged, all else is replaced. */
export function mergeDocument(before: unknown, part: unknown, depth = 0): unknown {
  if (!isPlain(before) || !isPlain(part) || depth > maxDepth) return part;
  const merged = Object.entries(part).map(([key, value]) => [key, mergeDocument(before[key], value, depth + 1)]);
  return { ...before, ...Object.fromEntries(merged) };
}

/** The values of a document as text, by the paths of their fields. */
function flatten(document: unknown): ReadonlyMap<string, string> {
  return new Map(document === undefined ? [] : [...listLeaves(document, '', 0)]);
}

function* listLeaves(value: unknown, path: string, depth: number): Generator<[path: string, text: string]> {
  if (!isPlain(value) || depth > maxDepth) {
    const cell = formatCell(value);
    yield [path, typeof cell === 'object' && cell !== null ? cell.text : String(cell)];
  } else
    for (const [key, inner] of Object.entries(value)) yield* listLeaves(inner, path === '' ? key : `${path}.${key}`, depth + 1);
}

/** Numbers and texts that were too long for the answer are objects of our own. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
}

function shorten(text: string): string {
  const line = formatVisible(text.slice(0, 4 * maxValue).replaceAll(/\s+/g, ' '));
  return line.length > maxValue ? `${line.slice(0, maxValue)}…` : line;
}
