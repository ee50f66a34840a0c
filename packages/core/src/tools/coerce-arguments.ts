import * as z from 'zod';
import { isFields, parseJson } from '../registry/tree.ts';
import type { Tool } from './tool.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * The arguments as their writer meant them, for arguments that were not accepted as they are. Models send null for what they leave
 * out, numbers and lists as text, and a list of one item as the item. Only what can mean one thing is changed.
 */
export function coerceArguments(tool: Tool, args: unknown): unknown {
  if (!isFields(args)) return args;
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  const coerced = coerceObject(args, schema);
  const nested = nestArguments(tool, coerced);
  return nested === coerced ? coerced : coerceObject(nested, schema);
}

/** What a tool would take for this argument, also when it is written under another name or in another type. */
export function readArgument(args: Readonly<Record<string, unknown>>, name: string, properties: object = {}): unknown {
  // They are those of a schema that a client was shown.
  return coerceObject(args, { properties: { ...properties } as NonNullable<Schema['properties']> })[name];
}

/** An argument that is given one level too high or too low goes where it belongs. */
function nestArguments({ nested, input }: Tool, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (nested === undefined) return args;
  const inner = args[nested.argument];
  const isOwn = (key: string) => Object.hasOwn(input.shape, key);
  const belongsInside = ([key]: [string, unknown]) => nested.keys.has(key) && !isOwn(key);
  const belongsOutside = ([key]: [string, unknown]) => isOwn(key) && !nested.keys.has(key) && !Object.hasOwn(args, key);
  const [inside, outside] = [Object.entries(args), Object.entries(isFields(inner) ? inner : {})];
  if (!inside.some(belongsInside) && !outside.some(belongsOutside)) return args;
  return {
    ...Object.fromEntries(inside.filter((entry) => !belongsInside(entry))),
    ...Object.fromEntries(outside.filter(belongsOutside)),
    [nested.argument]: Object.fromEntries([
      ...inside.filter(belongsInside),
      ...outside.filter((entry) => !belongsOutside(entry)),
    ]),
  };
}

function coerceObject(value: Readonly<Record<string, unknown>>, { properties = {} }: Schema): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = findName(key, value, properties);
    const schema = properties[name];
    // An unknown argument is an error that names it.
    const coerced = isFields(schema) ? coerce(field, schema) : field;
    if (coerced !== undefined) result[name] = coerced;
  }
  return result;
}

/** `cellLimit` is `cell_limit`. Some arguments have a second name that is common elsewhere. */
function findName(key: string, value: object, properties: object): string {
  const names = [key, key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), otherNames.get(key) ?? key];
  return names.find((name) => Object.hasOwn(properties, name) && (name === key || !Object.hasOwn(value, name))) ?? key;
}

const otherNames = new Map([
  ['connection', 'name'],
  ['name', 'connection'],
  ['aggregations', 'aggs'],
  ['limit', 'size'],
  ['size', 'limit'],
]);

function coerce(value: unknown, schema: Schema): unknown {
  const options = listOptions(schema);
  return findWord(value, options) ?? coerceType(value, schema, options);
}

/** One of the words that are accepted, whatever its case. */
function findWord(value: unknown, options: readonly Schema[]): unknown {
  if (typeof value !== 'string') return undefined;
  const wanted = value.trim().toLowerCase();
  const words = options.flatMap((option) => option.enum ?? []);
  return words.find((word) => typeof word === 'string' && word.toLowerCase() === wanted);
}

function coerceType(value: unknown, schema: Schema, options: readonly Schema[]): unknown {
  const accepts = (type: string) => options.some((option) => option.type === type);
  if (value === null) return accepts('null') || options.length === 0 ? null : undefined;
  if (options.length === 0 || accepts(describeType(value))) return coerceParts(value, options);
  if (typeof value === 'string') return coerceText(value, options);
  if (Array.isArray(value)) return value.length === 1 && !Array.isArray(value[0]) ? coerce(value[0], schema) : value;
  if (typeof value === 'number' && accepts('string')) return String(value);
  return accepts('array') ? coerceParts([value], options) : value;
}

function coerceText(text: string, options: readonly Schema[]): unknown {
  for (const { type } of options) {
    if ((type === 'number' || type === 'integer') && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(text)) return Number(text);
    if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    if (type === 'array' || type === 'object') {
      const parsed = parseJson(text);
      if (describeType(parsed) === type) return coerceParts(parsed, options);
    }
  }
  return options.some(({ type }) => type === 'array') ? coerceParts([text], options) : text;
}

function coerceParts(value: unknown, options: readonly Schema[]): unknown {
  const schema = options.find(({ type }) => type === describeType(value));
  if (schema === undefined) return value;
  const { items } = schema;
  if (Array.isArray(value)) return isFields(items) ? value.map((item) => coerce(item, items)) : value;
  return isFields(value) ? coerceObject(value, schema) : value;
}

/** One schema for each type that is accepted; none for a value that may be anything. */
function listOptions(schema: Schema): readonly Schema[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isFields).flatMap(listOptions);
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  if (schema.type === undefined) return schema.enum === undefined ? [] : [{ ...schema, type: 'string' }];
  // What accepts a number accepts a whole one.
  return schema.type === 'number' ? [schema, { ...schema, type: 'integer' }] : [schema];
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
