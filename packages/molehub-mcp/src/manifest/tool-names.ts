import { createHash } from 'node:crypto';

/** Clients cap names at 60 to 64 characters. */
export const maxNameLength = 60;
const hashLength = 6;

export interface NamedTool {
  server: string;
  tool: string;
}

/**
 * The name of each tool as clients see it: `<server>__<tool>`, in characters that every model's interface takes. A name that is too long,
 * or that two tools would have, ends with a hash of both parts, so that it stays the same whatever other tools there are.
 */
export function nameTools<T extends NamedTool>(tools: readonly T[]): Map<string, T> {
  const plain = tools.map(({ server, tool }) => plainName(server, tool));
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    tools.map((tool, index) => {
      const name = plain[index] ?? '';
      const isUsable = name.length <= maxNameLength && counts.get(name) === 1;
      return [isUsable ? name : shortName(name, tool), tool];
    }),
  );
}

export function plainName(server: string, tool: string): string {
  return `${clean(server)}__${clean(tool)}`;
}

function shortName(name: string, { server, tool }: NamedTool): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, hashLength);
  return `${name.slice(0, maxNameLength - hashLength - 1)}_${hash}`;
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
