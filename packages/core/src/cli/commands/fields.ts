import * as z from 'zod';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { listSecretFields } from '../../registry/schema-fields.ts';
import type { CommandCall } from '../command.ts';

/**
 * The fields of a connection as a person writes them after a command: a URL, and `key=value` for the rest. A value that begins like
 * JSON is JSON, so that a reference can be given: `password={"env":"PASSWORD"}`.
 */
export function parseFields(words: readonly string[], schema: z.core.$ZodType): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const types = listTypes(schema);
  for (const word of words) {
    const [key, value] = split(word, types);
    if (Object.hasOwn(fields, key)) throw new Failure('input', `${key} is given twice`);
    fields[key] = fieldValue(key, value, types);
  }
  return fields;
}

function split(word: string, types: ReadonlyMap<string, unknown>): [string, string] {
  if (types.has('file') && /^(?:~|\.{0,2})[/\\]/.test(word)) return ['file', word];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) || (types.has('file') && /^[a-z][a-z0-9+.-]+:/i.test(word))) return ['url', word];
  const [, key, value] = /^([A-Za-z][A-Za-z0-9]*)=([\s\S]*)$/.exec(word) ?? [];
  if (key !== undefined && value !== undefined) return [key, value];
  throw new Failure('input', `${JSON.stringify(word.slice(0, 60))} is neither a URL nor KEY=VALUE`, {
    hint: 'Write a URL such as scheme://user@host/name, or fields such as host=db.example.com user=me.',
  });
}

function fieldValue(key: string, text: string, types: ReadonlyMap<string, unknown>): unknown {
  if (/^[[{]/.test(text)) return parseJson(key, text);
  const type = types.get(key);
  if (text === '') return null;
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return type === 'array' ? text.split(',').map((one) => one.trim()) : text;
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('input', `the value of ${key} begins like JSON but is not valid`, {
      hint: `Quote it for the shell: ${key}='{"env":"NAME"}'.`,
    });
  }
}

/** Those that are not text. */
function listTypes(schema: z.core.$ZodType): ReadonlyMap<string, unknown> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return new Map(Object.entries(properties).map(([key, one]) => [key, typeof one === 'object' ? one.type : undefined]));
}

/** The fields that can be prompted for; a URL is always given as an argument. */
export function promptedFields(schema: Parameters<typeof listSecretFields>[0]): readonly string[] {
  return listSecretFields(schema).flatMap(({ pattern: [field = '', ...rest] }) =>
    rest.length > 0 || field === 'url' ? [] : field,
  );
}

/** From the terminal without showing it, or from a pipe; undefined when neither is there. */
export async function readSecret<C extends BaseConnection, B extends Backend>(
  question: string,
  { terminal, options }: Pick<CommandCall<C, B>, 'terminal' | 'options'>,
): Promise<string | undefined> {
  if (!options['password-stdin']) return await terminal.askSecret(question);
  const text = (await terminal.readInput())?.replace(/\r?\n$/, '');
  if (text) return text;
  throw new Failure('input', '--password-stdin needs input from a pipe', {
    hint: 'Pipe it: `printf %s "$PASSWORD" | …`.',
  });
}

export async function requireSecret<C extends BaseConnection, B extends Backend>(
  field: string,
  call: Pick<CommandCall<C, B>, 'terminal' | 'options'>,
): Promise<string> {
  const typed = await readSecret(`New ${field}: `, call);
  if (typed) return typed;
  throw new Failure(
    'input',
    typed === '' ? `the ${field} is empty` : `cannot prompt for the ${field}: standard input is not a terminal`,
    {
      hint: typed === '' ? `To remove it, write ${field}= instead.` : 'Pipe it in with --password-stdin.',
    },
  );
}
