import * as z from 'zod';
import { secretMarks } from '../connection.ts';
import { isFields, type Path, valueAt } from './tree.ts';

/** A place that may hold a secret; `*` matches every element of a list. */
export interface SecretField {
  pattern: readonly string[];
  kind: 'value' | 'key';
}

export interface SecretPlace {
  path: Path;
  kind: 'value' | 'key';
}

type Schema = z.core.$ZodType;

/** The fields whose schema is marked as a secret, wherever they are nested. */
export function listSecretFields(schema: Schema, pattern: readonly string[] = []): SecretField[] {
  const mark = secretMarks.get(schema);
  if (mark) return [{ pattern, kind: mark.secret }];
  return listChildren(schema).flatMap(([key, child]) => listSecretFields(child, key === undefined ? pattern : [...pattern, key]));
}

/** Where in this connection the secret fields are that it really has. */
export function secretPlacesIn(value: unknown, fields: readonly SecretField[]): SecretPlace[] {
  const places = new Map<string, SecretPlace>();
  for (const { pattern, kind } of fields) {
    for (const path of matches(value, pattern)) places.set(path.join('\0'), { path, kind });
  }
  return [...places.values()];
}

/** The keys that an object at this path may have. */
export function keysAt(schema: Schema, path: Path): string[] {
  const [first, ...rest] = path;
  const step = typeof first === 'number' ? '*' : first;
  const keys = listChildren(schema).flatMap(([key, child]): string[] => {
    if (key === undefined) return keysAt(child, path);
    if (step === undefined) return key === '*' ? [] : [key];
    return key === step ? keysAt(child, rest) : [];
  });
  return [...new Set(keys)];
}

/** What a schema is made of: members by key, list elements by `*`, and what merely wraps without a key. */
function listChildren(schema: Schema): [key: string | undefined, child: Schema][] {
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape);
  if (schema instanceof z.ZodArray) return [['*', schema.element]];
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => [undefined, option]);
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].map((side) => [undefined, side]);
  if (schema instanceof z.ZodPipe) return [[undefined, schema.in]];
  if (schema instanceof z.ZodLazy) return [];
  return wrappedBy(schema).map((inner) => [undefined, inner]);
}

function wrappedBy(schema: Schema): Schema[] {
  const wrappers = [
    z.ZodOptional,
    z.ZodNullable,
    z.ZodDefault,
    z.ZodPrefault,
    z.ZodReadonly,
    z.ZodNonOptional,
    z.ZodCatch,
  ] as const;
  for (const wrapper of wrappers) if (schema instanceof wrapper) return [schema.def.innerType];
  return [];
}

function matches(value: unknown, pattern: readonly string[], path: Path = []): Path[] {
  const [first, ...rest] = pattern;
  if (first === undefined) return value === undefined || value === null ? [] : [path];
  if (first === '*') return Array.isArray(value) ? value.flatMap((item, index) => matches(item, rest, [...path, index])) : [];
  return isFields(value) ? matches(valueAt(value, [first]), rest, [...path, first]) : [];
}
