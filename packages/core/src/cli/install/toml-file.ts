import { Failure } from '../../failure.ts';

/**
 * The one table of a TOML file that is ours. The rest is not looked at: it may hold anything, and stays as it is to the byte.
 */
export function readTomlTable(text: string, name: string): string | undefined {
  const place = findTable(text, name);
  return place === undefined ? findElsewhere(text, name) : text.slice(place.start, place.end).trim();
}

interface TomlPlace {
  text: string;
  /** Of the table. */
  name: string;
  /** For a person: the file. */
  where: string;
}

/** Undefined takes the table away. */
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
  const gap = before === '' || /\n\r?\n$/.test(before) ? '' : before.endsWith('\n') ? eol : eol + eol;
  return before + (place === undefined ? gap : '') + formatTable(name, entry, eol) + after;
}

/** A second table of the same name would make the whole file invalid. */
function otherForm(line: string, name: string, where: string): Failure {
  const [key = ''] = line.split('=');
  return new Failure('config', `${where} has ${name} in another form, as "${key.trim()}"`, {
    hint: `Write it as a table [${name}], or change it yourself; nothing was changed.`,
  });
}

/** The line that holds it without a table of its own: `dbmole = { … }`, `mcp_servers.dbmole.command = …`. */
function findElsewhere(text: string, name: string, alsoClosed = false): string | undefined {
  const [section = '', key = ''] = name.split('.');
  const heads = headsOf(text);
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
export function formatTable(name: string, entry: Readonly<Record<string, unknown>>, eol: string): string {
  // A JSON text or list of texts is one of TOML as well.
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [`[${name}]`, ...lines, ''].join(eol);
}

interface Place {
  start: number;
  end: number;
}

/**
 * From its head to its last line; what is inside of texts of several lines is no head. Comments and blank lines behind it belong to
 * what comes next.
 */
function findTable(text: string, name: string): Place | undefined {
  const heads = headsOf(text);
  const first = heads.findIndex((head) => head.name === name);
  const start = heads[first]?.at;
  if (start === undefined) return undefined;
  const next = heads.slice(first + 1).find((head) => head.name !== name && !head.name.startsWith(`${name}.`));
  const rest = text.slice(start, next?.at);
  const body = rest.replace(/(?:\r?\n[ \t]*(?:#[^\r\n]*)?)+$/, '');
  const lineBreak = /^\r?\n/.exec(rest.slice(body.length))?.[0] ?? '';
  return { start, end: start + body.length + lineBreak.length };
}

function headsOf(text: string): { name: string; at: number }[] {
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
