import { Failure } from '../../failure.ts';
import { isFields } from '../../registry/tree.ts';

/**
 * The one table of a TOML file that is ours. The rest is not looked at: it may hold anything, and stays as it is to the byte.
 */
export function readTomlTable(text: string, name: string): string | undefined {
  const place = findTable(text, name);
  return place === undefined ? findElsewhere(text, name) : text.slice(place.start, place.end).trim();
}

interface TomlPlace {
  text: string;
  /** The name of the table. */
  name: string;
  /** The file, as shown to the user. */
  where: string;
}

/** Undefined takes the table away; a key whose value is undefined is removed from it. */
export function writeTomlTable({ text, name, where }: TomlPlace, entry: Readonly<Record<string, unknown>> | undefined): string {
  const place = findTable(text, name);
  const elsewhere = place === undefined ? findElsewhere(text, name, entry !== undefined) : undefined;
  if (elsewhere !== undefined) throw otherForm(elsewhere, name, where);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text.slice(0, place?.start ?? text.length);
  const after = place === undefined ? '' : text.slice(place.end);
  if (entry === undefined) {
    if (place === undefined) return text;
    return before === '' ? after.replace(/^(?:\r?\n)+/, '') : before.replace(/(?:\r?\n)+$/, eol) + after;
  }
  if (place !== undefined) return before + replaceKeys(text.slice(place.start, place.end), { entry, name, where, eol }) + after;
  const gap = before === '' || /\n\r?\n$/.test(before) ? '' : before.endsWith('\n') ? eol : eol + eol;
  return before + gap + formatTable(name, entry, eol) + after;
}

/** A second table of the same name would make the whole file invalid. */
function otherForm(line: string, name: string, where: string): Failure {
  const [key = ''] = line.split('=');
  return new Failure('config', `${where} has ${name} in an unsupported form, as "${key.trim()}"`, {
    hint: `Write it as a table [${name}], or edit it by hand. Nothing was changed.`,
  });
}

/** The line that holds it without a table of its own: `dbmole = { … }`, `mcp_servers.dbmole.command = …`. */
function findElsewhere(text: string, name: string, alsoClosed = false): string | undefined {
  const [section = '', key = ''] = name.split('.');
  const heads = listHeads(text);
  const at = heads.findIndex((head) => head.name === section);
  const top = text.slice(0, heads[0]?.at);
  const body = at < 0 ? '' : text.slice(heads[at]?.at, heads[at + 1]?.at);
  // The whole section as one value: nothing can be added to it from outside.
  const whole = new RegExp(`^[ \\t]*${quoted(section)}[ \\t]*=.*${alsoClosed ? '' : quoted(key)}.*`, 'm');
  const inTop = new RegExp(`^[ \\t]*${quoted(section)}[ \\t]*\\.[ \\t]*${quoted(key)}[ \\t]*[.=].*`, 'm');
  const inBody = new RegExp(`^[ \\t]*${quoted(key)}[ \\t]*[.=].*`, 'm');
  const found = whole.exec(top) ?? inTop.exec(top) ?? inBody.exec(body);
  return found?.[0].trim();
}

/** Our own names need no escape. */
function quoted(name: string): string {
  return `(?<![\\w-])["']?${name}["']?(?![\\w-])`;
}

/** Ends with a line break. */
function formatTable(name: string, entry: Readonly<Record<string, unknown>>, eol: string): string {
  return [`[${name}]`, ...formatKeys(entry), ''].join(eol);
}

function formatKeys(entry: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(entry).flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${formatValue(value)}`]));
}

/** A JSON text or list of texts is one of TOML as well. */
function formatValue(value: unknown): string {
  if (!isFields(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)} = ${formatValue(one)}`)
    .join(', ')} }`;
}

/** The table with other values for these keys. Its other keys, comments and inner tables stay. */
function replaceKeys(table: string, { entry, name, where, eol }: Replacement): string {
  const [head = '', ...lines] = table.split(/(?<=\n)/);
  const innerAt = lines.findIndex((line) => /^[ \t]*\[\s*[^[\]]+\.[^[\]]+\][ \t]*(?:#.*)?\r?\n?$/.test(line));
  const own = innerAt < 0 ? lines : lines.slice(0, innerAt);
  const inner = innerAt < 0 ? [] : lines.slice(innerAt);
  const twice = Object.keys(entry).find((key) => listHeads(table).some((one) => one.name === `${name}.${key}`));
  if (twice !== undefined) throw otherForm(`[${name}.${twice}]`, `${name}.${twice}`, where);
  const written = formatKeys(entry).map((line) => line + eol);
  return [head.endsWith('\n') ? head : head + eol, ...written, ...withoutKeys(own, entry), ...inner].join('');
}

interface Replacement {
  entry: Readonly<Record<string, unknown>>;
  name: string;
  where: string;
  eol: string;
}

/** A value may go on for several lines, up to the bracket that closes it. */
function withoutKeys(lines: readonly string[], entry: Readonly<Record<string, unknown>>): string[] {
  let depth = 0;
  let drops = false;
  return lines.filter((line) => {
    const [, key] = /^[ \t]*["']?([\w-]+)["']?[ \t]*=/.exec(line) ?? [];
    if (depth === 0) drops = key !== undefined && Object.hasOwn(entry, key);
    depth = Math.max(0, depth + countDepth(line));
    return !drops;
  });
}

/** Brackets that a line opens and does not close, outside of texts and comments. */
function countDepth(line: string): number {
  const plain = line.replace(/"(?:\\.|[^"\\])*"|'[^']*'|#.*/g, '');
  return [...plain].reduce((depth, letter) => depth + (/[[{]/.test(letter) ? 1 : /[\]}]/.test(letter) ? -1 : 0), 0);
}

interface Place {
  start: number;
  end: number;
}

/**
 * Finds a table from its head to its last line. A head inside a text of several lines does not count. Comments and blank lines behind it
 * belong to what comes next.
 */
function findTable(text: string, name: string): Place | undefined {
  const heads = listHeads(text);
  const first = heads.findIndex((head) => head.name === name);
  const start = heads[first]?.at;
  if (start === undefined) return undefined;
  const next = heads.slice(first + 1).find((head) => head.name !== name && !head.name.startsWith(`${name}.`));
  const rest = text.slice(start, next?.at);
  const body = rest.replace(/(?:\r?\n[ \t]*(?:#[^\r\n]*)?)+$/, '');
  const lineBreak = /^\r?\n/.exec(rest.slice(body.length))?.[0] ?? '';
  return { start, end: start + body.length + lineBreak.length };
}

function listHeads(text: string): { name: string; at: number }[] {
  const element = /("""[\s\S]*?(?:"""|(?![\s\S]))|'''[\s\S]*?(?:'''|(?![\s\S])))|^[ \t]*\[\[?([^\]\n]+)\]\]?[ \t]*(?:#.*)?\r?$/gm;
  return [...text.matchAll(element)].flatMap((match) => {
    const [, , name] = match;
    return name === undefined ? [] : [{ name: plainName(name), at: match.index }];
  });
}

/** `mcp_servers . "a-b"` is `mcp_servers.a-b`. */
function plainName(name: string): string {
  return name
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.');
}
