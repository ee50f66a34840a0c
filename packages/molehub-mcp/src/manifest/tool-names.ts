import { createHash } from 'node:crypto';

/** Clients cap names at 60 to 64 characters. */
export const maxNameLength = 60;
const hashLength = 6;
const longHashLength = 40;

/** A tool or a prompt of a server. */
interface NamedPart {
  server: string;
  /** The name that its server knows. */
  name: string;
}

/**
 * The name of each part as clients see it: `<server>__<name>`, in characters that every model's interface takes. A name that is too long,
 * or that two would have, ends with a hash of server and name, so that it stays the same whatever others there are.
 */
export function nameParts<T extends NamedPart>(parts: readonly T[]): Map<string, T> {
  const plain = parts.map(plainName);
  const isPlain = countNames(plain);
  const names = parts.map((part, index) => {
    const name = plain[index] ?? '';
    return name.length <= maxNameLength && isPlain(name) ? name : shortName(name, part, hashLength);
  });
  // A server can choose a name with the hash of another one's tool; then neither has it.
  const isFree = countNames(names);
  return new Map(
    parts.map((part, index) => {
      const name = names[index] ?? '';
      return [isFree(name) ? name : shortName(plain[index] ?? '', part, longHashLength), part];
    }),
  );
}

/** Returns whether a name is there once. */
function countNames(names: readonly string[]): (name: string) => boolean {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => counts.get(name) === 1;
}

export function plainName({ server, name }: NamedPart): string {
  return `${serverPrefix(server)}${clean(name)}`;
}

/** What the names of a server's tools begin with, unless they are too long. */
export function serverPrefix(server: string): string {
  return `${clean(server)}__`;
}

function shortName(plain: string, { server, name }: NamedPart, length: number): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, name]))
    .digest('hex')
    .slice(0, length);
  return `${plain.slice(0, maxNameLength - length - 1)}_${hash}`;
}

function clean(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_') || '_';
}

/** Whether a list with `*` for any characters names this tool. An absent list names all. */
export function isWanted(tool: string, patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.some((pattern) => matches(tool, pattern));
}

/** Part by part and without a regular expression: a pattern with many stars costs no more than its length. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
