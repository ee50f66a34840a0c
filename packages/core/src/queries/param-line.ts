import { formatParamForm, formatParamType, type ParamType, parseParamType, readParamText } from './param-type.ts';

/** A parameter, as a line of the header declares it. */
export interface QueryParam {
  name: string;
  /** Where it is declared. */
  line: number;
  type: ParamType;
  isRequired: boolean;
  /** What counts where the caller passes nothing; null for an optional parameter without a default. */
  fallback: unknown;
  description: string;
  examples: readonly unknown[];
  /** What a value that goes into a path has to match, from its beginning to its end. */
  pattern?: RegExp | undefined;
}

export interface ParamRules {
  /** The engine may have types of its own. */
  hasNativeTypes: boolean;
  /** A value can be a part of a path, for which it needs a pattern. */
  hasPatterns: boolean;
  /** Arguments that every saved query takes: a parameter cannot have these names. */
  reserved: readonly string[];
}

/** Reading a line may take time that grows with the square of its length. */
const maxLine = 2_000;
const maxDescription = 300;
const maxExamples = 5;
const maxPattern = 200;
const paramName = /^[a-z][a-z0-9_]{0,47}$/;

/** What follows `param` in the header: the parameter, or what is wrong with the line. */
export function parseParamLine(text: string, rules: ParamRules): QueryParam | string {
  if (text.length > maxLine) return `a parameter has ${text.length} characters; expected at most ${maxLine}`;
  const [declared, description] = splitDescription(text);
  const [, name = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(declared) ?? [];
  const form = `"NAME TYPE [optional] [= DEFAULT]${rules.hasPatterns ? ' [matching /PATTERN/]' : ''}: DESCRIPTION"`;
  // A name that every object has would be read from the object.
  if (!paramName.test(name) || name in {})
    return `invalid parameter ${JSON.stringify(text.slice(0, 60))}; expected ${form}, with a name of letters a-z, digits and _`;
  if (rules.reserved.includes(name))
    return `the parameter ${name} has the name of an argument that every saved query takes; rename it (${rules.reserved.join(', ')} are taken)`;
  if (description.length > maxDescription)
    return `the description of ${name} has ${description.length} characters; expected at most ${maxDescription}`;
  const parts = splitParts(rest);
  if (typeof parts === 'string') return `the parameter ${name}: ${parts}`;
  if (parts.type === '') return `the parameter ${name} has no type; expected ${form}`;
  const type = parseParamType(parts.type, { hasNative: rules.hasNativeTypes });
  if (typeof type === 'string') return `the parameter ${name}: ${type}`;
  if (parts.pattern !== undefined && (!rules.hasPatterns || type.isList))
    return `the parameter ${name} has a pattern; expected one only for a single value that is a part of a path`;
  return readValues(name, { ...parts, type, description });
}

interface Declared {
  type: ParamType;
  isOptional: boolean;
  fallback: string | undefined;
  pattern: RegExp | undefined;
  description: string;
}

function readValues(name: string, { type, isOptional, fallback, pattern, description }: Declared): QueryParam | string {
  const fits = (value: unknown) => value !== undefined && (pattern === undefined || pattern.test(String(value)));
  const wrong = (what: string, value: string) =>
    `the ${what} of ${name}, ${JSON.stringify(value.slice(0, 60))}, is not ${formatParamForm(type, pattern)}`;
  const value = fallback === undefined ? null : readParamText(type, fallback);
  if (fallback !== undefined && !fits(value)) return wrong('default', fallback);
  const { text, examples } = splitExamples(description, type);
  const values = examples.map((example) => readParamText(type, example));
  const bad = values.findIndex((one) => !fits(one));
  if (bad >= 0) return wrong('example', examples[bad] ?? '');
  const isRequired = !isOptional && fallback === undefined;
  return { name, line: 0, type, isRequired, fallback: value, description: text, examples: values, pattern };
}

/** A description follows the first colon with a space after it, outside of quotes and patterns. An open one ends with the line. */
function splitDescription(text: string): [declared: string, description: string] {
  const colon = /"(?:[^"\\]|\\.)*(?:"|\\?$)|\{[^{}]*(?:\}|(?=\{)|$)|\bmatching \/(?:[^/\\]|\\.)+(?:\/|\\?$)|:(?=\s|$)/g;
  for (const found of text.matchAll(colon))
    if (found[0] === ':') return [text.slice(0, found.index).trim(), text.slice(found.index + 1).trim()];
  return [text.trim(), ''];
}

interface Parts {
  type: string;
  isOptional: boolean;
  fallback: string | undefined;
  pattern: RegExp | undefined;
}

/** `TYPE optional matching /…/ = DEFAULT`. */
function splitParts(text: string): Parts | string {
  const [, before = text, fallback] = /^((?:[^="/]|"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/)*)=\s*(.*)$/s.exec(text) ?? [];
  const trimmed = before.trim();
  const at = trimmed.endsWith('/') ? trimmed.indexOf('matching /') : -1;
  const plain = at < 0 ? trimmed : trimmed.slice(0, at);
  const source = at < 0 ? undefined : trimmed.slice(at + 'matching /'.length, -1);
  const [, type = plain, word] = /^(.*?[^\s,])\s+(optional)$/is.exec(plain.trim()) ?? [];
  const pattern = source === undefined ? undefined : compilePattern(source);
  if (typeof pattern === 'string') return pattern;
  if (word !== undefined && fallback !== undefined) return 'it is optional and has a default; expected one of the two';
  return { type: type.trim(), isOptional: word !== undefined, fallback: fallback?.trim(), pattern };
}

/** The time of a match grows with the length of a value to the power of the repetitions; groups that repeat would be worse. */
const maxRepetitions = 3;

function compilePattern(source: string): RegExp | string {
  const form = 'expected a regular expression between slashes, such as /[a-z]+-\\d{4}/, without repeated groups';
  if (source.length > maxPattern || /\)(?:[*+]|\{)|\\[1-9k]/.test(source)) return `invalid pattern; ${form}`;
  const repetitions = source.match(/[*+?]|\{\d*,\d*\}/g)?.length ?? 0;
  if (repetitions > maxRepetitions)
    return `invalid pattern; it has ${repetitions} repetitions, expected at most ${maxRepetitions}`;
  try {
    return new RegExp(`^(?:${source})$`, 'u');
  } catch {
    return `invalid pattern; ${form}`;
  }
}

/** `Example: 42` or `Examples: a, b` at the end of a description. */
function splitExamples(description: string, type: ParamType): { text: string; examples: string[] } {
  const found = /(?:^|\s)(Examples?):\s*(.+)$/is.exec(description);
  if (found === null) return { text: description, examples: [] };
  const [, word = '', list = ''] = found;
  const examples = word.toLowerCase() === 'examples' && !type.isList ? list.split(',') : [list];
  const text = description.slice(0, found.index).trim();
  return { text, examples: examples.slice(0, maxExamples).map((one) => one.trim()) };
}

/** Formats a parameter for people: `customer_id integer`, `since date = 2025-01-01`. */
export function formatParam({ name, type, isRequired, fallback }: QueryParam): string {
  const shown = typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  const more = isRequired ? '' : fallback === null ? ' optional' : ` = ${shown}`;
  return `${name} ${formatParamType(type)}${more}`;
}
