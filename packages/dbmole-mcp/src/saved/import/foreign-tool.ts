import type { ForeignFile, ImportedQuery } from '@dbmole/core';
import type { PlaceholderStyle, SqlGrammar } from '../../engine.ts';

/** A custom tool as another server's file describes it. */
export interface ForeignTool {
  name: string;
  description: string;
  /** The name of its connection there. */
  source: string | undefined;
  /** The engine that the statement is for; undefined: another one. */
  engine: 'postgres' | 'mysql' | undefined;
  /** What the file calls that engine, for the report. */
  engineName: string;
  statement: string;
  params: readonly ForeignParam[];
  limit: number | undefined;
  /** The other server would not let it write. */
  isRead: boolean;
  /** Why it cannot become a saved query. */
  obstacle: string | undefined;
}

export interface ForeignParam {
  name: string;
  /** `string`, `integer`, `float`, `boolean`, `array`, … */
  type: string;
  /** The type of the items of an array. */
  itemType: string | undefined;
  description: string;
  isRequired: boolean;
  fallback: unknown;
  choices: readonly unknown[];
  /** Bounds of a number, by their names there. A saved query has none. */
  bounds: readonly string[];
}

const types: Readonly<Record<string, string>> = {
  string: 'text',
  text: 'text',
  integer: 'integer',
  int: 'integer',
  float: 'number',
  number: 'number',
  boolean: 'boolean',
  bool: 'boolean',
};

const maxDescription = 600;
const maxParamDescription = 300;
const maxLimit = 10_000;

interface Surroundings extends Pick<ForeignFile, 'reserved'> {
  grammars: Readonly<Record<'postgres' | 'mysql', SqlGrammar>>;
}

/** The file for a tool, or why there can be none. */
export function convertTool(tool: ForeignTool, { grammars, reserved }: Surroundings): ImportedQuery {
  const name = toQueryName(tool.name);
  if (tool.obstacle !== undefined) return { name, reason: tool.obstacle };
  if (tool.engine === undefined) return { name, reason: `it is for ${tool.engineName}, which this server does not speak` };
  const params = tool.params.map((param) => ({ ...param, newName: toParamName(param.name, reserved) }));
  const unknown = params.find((param) => formatType(param) === undefined);
  if (unknown !== undefined)
    return { name, reason: `its parameter ${unknown.name} has the type ${describeType(unknown)}, which has no counterpart` };
  const { placeholders } = grammars[tool.engine];
  const body = nameParams(
    tool.statement,
    params.map(({ newName }) => newName),
    placeholders,
  );
  if (typeof body !== 'string') return { name, reason: body.reason };
  return {
    name,
    header: [
      `description: ${toLine(tool.description, maxDescription) || name}`,
      ...(tool.source === undefined ? [] : [`connection: ${tool.source}`]),
      ...params.map((param) => formatParam(param)),
      ...(tool.limit === undefined ? [] : [`limit: ${Math.min(tool.limit, maxLimit)}`]),
    ],
    body,
    isRead: tool.isRead,
    remarks: params.flatMap(({ newName, name, bounds }) => [
      ...(newName === toQueryName(name) ? [] : [`its parameter ${name} renamed to ${newName}`]),
      ...(bounds.length === 0 ? [] : [`without ${bounds.join(' and ')} of ${newName}`]),
    ]),
  };
}

/** `limit` is common among the parameters of searches, and an argument of every saved query. */
function toParamName(name: string, reserved: readonly string[]): string {
  const plain = toQueryName(name);
  return reserved.includes(plain) ? `${plain}_value` : plain;
}

/** `Search-Hotels` becomes `search_hotels`. */
function toQueryName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
    .join('_');
}

function formatType({ type, itemType, choices }: ForeignParam): string | undefined {
  if (choices.length > 0) return choices.every(isPlainChoice) ? `one of ${choices.join(', ')}` : undefined;
  if (type !== 'array' && type !== 'list') return types[type];
  const item = types[itemType ?? 'string'];
  return item === undefined ? undefined : `${item}[]`;
}

function isPlainChoice(choice: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof choice) && /^[^,:"/=]+$/.test(String(choice));
}

function describeType({ type, itemType, choices }: ForeignParam): string {
  if (choices.length > 0) return `"one of ${choices.map(String).join(', ')}"`;
  return itemType === undefined ? type : `${type} of ${itemType}`;
}

function formatParam(param: ForeignParam & { newName: string }): string {
  const { newName, isRequired, fallback, description } = param;
  const way = fallback !== undefined && fallback !== null ? ` = ${formatFallback(fallback)}` : isRequired ? '' : ' optional';
  return `param ${newName} ${formatType(param)}${way}: ${toLine(description, maxParamDescription) || newName}`;
}

function formatFallback(value: unknown): string {
  return typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : JSON.stringify(value);
}

/** One line; what our header would read as an example is written otherwise. */
function toLine(text: string, maxLength: number): string {
  const line = text
    .split(/\s+/u)
    .join(' ')
    .trim()
    .replace(/\bExamples?:/gi, 'e.g.');
  const characters = [...line];
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line;
}

/** Writes the name of a parameter in place of each placeholder: `$2`, or the second `?`. */
function nameParams(sql: string, names: readonly string[], style: PlaceholderStyle): string | { reason: string } {
  let text = '';
  let count = 0;
  for (let at = 0; at < sql.length; ) {
    const end = style.skip(sql, at);
    if (end < 0) return { reason: 'a string, quoted name or comment in its statement does not end' };
    if (end > at) {
      text += sql.slice(at, end);
      at = end;
      continue;
    }
    style.own.lastIndex = at;
    const [placeholder] = style.own.exec(sql) ?? [];
    if (placeholder === undefined) {
      text += sql.charAt(at);
      at += 1;
      continue;
    }
    count += 1;
    const index = style.isNumbered ? Number(placeholder.slice(1)) : count;
    const name = names[index - 1];
    if (name === undefined)
      return { reason: `its statement has ${placeholder} as value ${index}, but it declares ${names.length} parameters` };
    text += `:${name}`;
    at += placeholder.length;
  }
  return text;
}
