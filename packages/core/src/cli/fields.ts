import * as z from 'zod';
import { Failure } from '../failure.ts';

/**
 * The fields of a connection as a person writes them behind a command: a URL, and `key=value` for the rest. A value that begins
 * like JSON is JSON, so that a reference can be given: `password={"env":"PASSWORD"}`.
 */
export function parseFields(words: readonly string[], schema: z.ZodObject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const word of words) {
    const [key, value] = split(word);
    if (Object.hasOwn(fields, key)) throw new Failure('input', `${key} is given twice`);
    fields[key] = fieldValue(key, value, typesOf(schema));
  }
  return fields;
}

function split(word: string): [string, string] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return ['url', word];
  const [, key, value] = /^([A-Za-z][A-Za-z0-9]*)=([\s\S]*)$/.exec(word) ?? [];
  if (key !== undefined && value !== undefined) return [key, value];
  throw new Failure('input', `${JSON.stringify(word.slice(0, 60))} is neither a URL nor KEY=VALUE`);
}

function fieldValue(key: string, text: string, types: ReadonlyMap<string, unknown>): unknown {
  if (/^[[{]/.test(text)) return parseJson(key, text);
  const type = types.get(key);
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text === '' ? null : text;
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('input', `the value of ${key} begins like JSON and is none`);
  }
}

/** Those that are no text. */
function typesOf(schema: z.ZodObject): ReadonlyMap<string, unknown> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return new Map(Object.entries(properties).map(([key, one]) => [key, typeof one === 'object' ? one.type : undefined]));
}
