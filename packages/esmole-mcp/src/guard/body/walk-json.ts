import { Failure } from '@dbmole/core';

const maxDepth = 300;

type Visit = (key: string, value: unknown) => void;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Calls `visit` for each key at any depth, with its value. */
export function walk(value: unknown, depth: number, visit: Visit): void {
  if (depth > maxDepth) {
    throw new Failure('input', `the body is nested more than ${maxDepth} levels deep`, {
      code: 'E_BODY',
      hint: 'Send a body with fewer levels.',
    });
  }
  if (Array.isArray(value)) for (const item of value) walk(item, depth + 1, visit);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      visit(key, inner);
      walk(inner, depth + 1, visit);
    }
  }
}

/** All texts in it, however deep, keys as well. */
export function textsWithin(value: unknown): readonly string[] {
  const texts = [...listTexts(value)];
  walk(value, 0, (key, inner) => texts.push(key, ...listTexts(inner)));
  return texts;
}

/** A text, or several; numbers and words are texts to a cluster. */
export function listTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
