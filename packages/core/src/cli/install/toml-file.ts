/**
 * The one table of a TOML file that is ours. The rest is not looked at: it may hold anything, and stays as it is to the byte.
 */
export function readTomlTable(text: string, name: string): string | undefined {
  const place = findTable(text, name);
  return place === undefined ? undefined : text.slice(place.start, place.end).trim();
}

/** Undefined takes the table away. */
export function writeTomlTable(text: string, name: string, entry: Readonly<Record<string, unknown>> | undefined): string {
  const place = findTable(text, name);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text.slice(0, place?.start ?? text.length);
  const after = place === undefined ? '' : text.slice(place.end);
  if (entry === undefined) return place === undefined ? text : before.replace(/(?:\r?\n)+$/, eol) + after;
  const gap = before === '' || /\n\r?\n$/.test(before) ? '' : before.endsWith('\n') ? eol : eol + eol;
  return `${before}${gap}${formatTable(name, entry, eol)}${after === '' ? '' : eol}${after}`;
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

/** From its head to the next one that is neither its own nor below it; what is inside of texts of several lines is no head. */
function findTable(text: string, name: string): Place | undefined {
  const heads = headsOf(text);
  const first = heads.findIndex((head) => head.name === name);
  const start = heads[first]?.at;
  if (start === undefined) return undefined;
  const next = heads.slice(first + 1).find((head) => head.name !== name && !head.name.startsWith(`${name}.`));
  return { start, end: next?.at ?? text.length };
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
