import { Failure } from '@dbmole/core';

interface NamePart {
  text: string;
  quoted: boolean;
}

const part = /\s*(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|([^."`]+))\s*(\.|$)/y;

/** This is far beyond what any engine takes for a name. */
const maxLength = 600;

/** A name as the caller wrote it: `orders`, `sales.orders`, `"Odd.Name"`, `` `a``b`.c ``. */
export function parseNameParts(written: string): NamePart[] {
  if (written.length > maxLength || written.includes('\u0000')) throw badName(written);
  const parts: NamePart[] = [];
  part.lastIndex = 0;
  for (;;) {
    const match = part.exec(written);
    if (match === null) throw badName(written);
    parts.push(readPart(match));
    if (match[4] === '') return parts;
  }
}

function readPart([, double, back, plain]: RegExpExecArray): NamePart {
  if (double !== undefined) return { text: double.replaceAll('""', '"'), quoted: true };
  if (back !== undefined) return { text: back.replaceAll('``', '`'), quoted: true };
  return { text: (plain ?? '').trim(), quoted: false };
}

function badName(written: string): Failure {
  return new Failure(
    'input',
    `invalid name ${JSON.stringify(written.slice(0, 100))}: expected table or schema.table, quoted or not`,
  );
}

/** Converts the wildcards `*` and `?` for LIKE with `\` as its escape; a text without either matches a part of the name. */
export function formatLike(pattern: string): string {
  const wild = /[*?]/.test(pattern);
  const like = escapeLike(pattern).replaceAll('*', '%').replaceAll('?', '_');
  return wild ? like : `%${like}%`;
}

/** Any text that has this one in it. */
export function formatLikePart(text: string): string {
  return `%${escapeLike(text)}%`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
