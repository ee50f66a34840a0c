import { type Failure, type SavedQuery, toFailure } from '@dbmole/core';
import { methods } from '../call/path.ts';
import { parseStrict } from '../guard/body/strict-json.ts';

type Method = (typeof methods)[number];
type Values = ReadonlyMap<string, unknown>;
type Param = SavedQuery['params'][number];

/** Text, and names of parameters in between. */
type Part = string | { name: string; at: number };

/** A request as a file has it: a line with method and path, then the body. */
interface RequestTemplate {
  method: Method;
  path: readonly Part[];
  body: readonly Part[];
  /** The body is one JSON value on each line, as `_msearch` and `_bulk` take it. */
  hasLines: boolean;
}

interface TemplateIssue {
  line: number;
  message: string;
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

type Report = (at: number, message: string) => void;

/** The template, or what is wrong with it. */
export function parseTemplate({ body: text, params }: Pick<SavedQuery, 'body' | 'params'>): RequestTemplate | TemplateIssue[] {
  const issues: TemplateIssue[] = [];
  const report: Report = (at, message) => issues.push({ line: text.slice(0, at).split('\n').length, message });
  const start = Math.max(0, text.search(/\S/));
  const [line = ''] = /^[^\n]*/.exec(text.slice(start)) ?? [];
  const [, word = '', target = ''] = /^([A-Za-z]{3,7})\s+(\S+)\s*$/.exec(line.replaceAll(placeholder, '{{$1}}')) ?? [];
  const method = methods.find((one) => one === word.toUpperCase());
  if (method === undefined)
    report(start, `expected a request such as "POST /logs-*/_search", got ${JSON.stringify(line.slice(0, 60))}`);
  const path = splitParts(target, start);
  const { parts: body, values } = splitBody(text, start + line.length, report);
  checkPath(path, params, report);
  const names = checkNames([...path, ...body], params, report);
  for (const { name, line: declared } of params.filter((param) => !names.includes(param.name)))
    issues.push({
      line: declared,
      message: `the parameter ${name} is declared and never used; write {{${name}}}, or remove the line`,
    });
  return issues.length > 0 || method === undefined ? issues : { method, path, body, hasLines: values > 1 };
}

function checkPath(path: readonly Part[], params: readonly Param[], report: Report): void {
  for (const part of path) {
    const param = typeof part === 'string' ? undefined : params.find(({ name }) => name === part.name);
    if (typeof part === 'string' || param === undefined || param.type.kind === 'choice' || param.pattern !== undefined) continue;
    const { name, at } = part;
    report(at, `{{${name}}} is in the path; declare it with "one of a, b" or "matching /PATTERN/", or move it into the body`);
  }
}

/** The names that are used. */
function checkNames(parts: readonly Part[], params: readonly Param[], report: Report): string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [];
    const { name, at } = part;
    if (!params.some((param) => param.name === name))
      report(at, `{{${name}}} is used and not declared; add a line "# param ${name} TYPE: …"`);
    return name;
  });
}

function splitParts(text: string, at: number): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const found of text.matchAll(placeholder)) {
    parts.push(text.slice(end, found.index), { name: found[1] ?? '', at });
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

/** A text that is not closed goes on to the end; the check of the JSON refuses it. */
const element = /"(?:[^"\\]|\\.)*(?:"|\\?$)|\{\{\s*(\w+)\s*\}\}/gs;

/**
 * A placeholder takes the place of a whole value: bare, or as a text that is nothing else. With `null` in each of them the body must be
 * JSON, so that a value can never become a key, or a part of a text.
 */
function splitBody(text: string, from: number, report: Report): { parts: Part[]; values: number } {
  const parts: Part[] = [];
  let plain = text.slice(0, from).replace(/\S/g, ' ');
  let end = from;
  element.lastIndex = from;
  for (let found = element.exec(text); found !== null; found = element.exec(text)) {
    const [whole, bare] = found;
    const at = found.index;
    const [, name = bare] = /^"\{\{\s*(\w+)\s*\}\}"$/.exec(whole) ?? [];
    if (name === undefined) {
      if (placeholder.test(whole))
        report(at, `${whole.slice(0, 60)} has a placeholder inside a text; it can only be a whole value`);
      placeholder.lastIndex = 0;
      continue;
    }
    if (/^\s*:/.test(text.slice(at + whole.length))) report(at, `{{${name}}} is in the place of a key; it can only be a value`);
    plain += `${text.slice(end, at)}${'null'.padEnd(whole.length)}`;
    parts.push(text.slice(end, at), { name, at });
    end = at + whole.length;
  }
  plain += text.slice(end);
  return { parts: [...parts, text.slice(end)], values: checkJson(plain, from, report) };
}

/** How many JSON values there are: one for the whole, or one on each line. */
function checkJson(plain: string, from: number, report: Report): number {
  if (plain.trim() === '') return 0;
  const whole = tryJson(plain.slice(from));
  if (whole === undefined) return 1;
  const lines = plain
    .slice(from)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.every((line) => tryJson(line) === undefined)) return lines.length;
  const [before = '', header] = /^\s*([A-Za-z][A-Za-z-]*):/.exec(plain.slice(from)) ?? [];
  if (header !== undefined) {
    report(from + before.length, `"${header}:" is a line of an HTTP header, which is not accepted; remove it`);
    return 1;
  }
  const [, offset = '1'] = /at character (\d+)/.exec(whole.message) ?? [];
  report(from + Number(offset) - 1, whole.message);
  return 1;
}

function tryJson(text: string): Failure | undefined {
  try {
    parseStrict(text);
    return undefined;
  } catch (error) {
    return toFailure(error);
  }
}

/** The request with its values: each of them is JSON in the body, and plain characters in the path. */
export function fillTemplate({ method, path, body, hasLines }: RequestTemplate, params: readonly Param[], values: Values) {
  const [, query] = splitAtQuery(path);
  const target = path
    .map((part, i) => (typeof part === 'string' ? part : formatPathValue(values.get(part.name), i >= query)))
    .join('');
  const text = body
    .map((part) => (typeof part === 'string' ? part : formatBodyValue(part.name, params, values)))
    .join('')
    .trim();
  // A text with line ends would be sent as several values; in JSON they are white space.
  const sent = hasLines
    ? `${text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .join('\n')}\n`
    : text.replace(/[\r\n]+/g, ' ');
  return { method, path: target, ...(text === '' ? {} : { body: sent }) };
}

function splitAtQuery(path: readonly Part[]): [parts: readonly Part[], query: number] {
  const at = path.findIndex((part) => typeof part === 'string' && part.includes('?'));
  return [path, at < 0 ? path.length : at];
}

/** What the pattern accepts has still to be a part of a name: nothing that separates or ends one in a path. */
function formatPathValue(value: unknown, isQuery: boolean): string {
  const text = value === null || value === undefined ? '' : String(value);
  return isQuery ? encodeURIComponent(text) : encodeURIComponent(text).replace(/%(?:2C|3A|40)/g, decodeURIComponent);
}

function formatBodyValue(name: string, params: readonly Param[], values: Values): string {
  const value = values.get(name) ?? null;
  const isNumber = ['integer', 'number'].includes(params.find((one) => one.name === name)?.type.kind ?? '');
  const format = (one: unknown) => (isNumber && typeof one === 'string' ? one : JSON.stringify(one));
  return Array.isArray(value) && isNumber ? `[${value.map(format).join(',')}]` : format(value);
}
