import type { View } from './catalog.ts';
import { notARead } from './refuse.ts';

/** Here letters stand where other character sets have backslash and backtick, so what is shown in UTF-8 has other signs than what runs. */
export function isMisread(charset: string): boolean {
  return charset === 'swe7';
}

/** The second byte of a character may be the one of a backslash. */
const twoByte: ReadonlySet<string> = new Set(['big5', 'cp932', 'gb18030', 'gbk', 'sjis']);

type Written = Pick<View, 'definition' | 'charset'>;

/**
 * MySQL keeps a view as a text in the character set of who made it, and puts a backslash before each byte that looks like one, even
 * within a character. Read again, that backslash escapes what follows: a literal goes on where its end is shown.
 */
export function mayHideEscape({ definition, charset }: Written): boolean {
  return twoByte.has(charset) && /[^\u0020-\u007e]|\?/.test(definition);
}

/** With such a byte, as two characters of cp932 may have. */
const ambiguous = /[偆砡]/;

/** `?` is shown for what has no character in Unicode. */
export function hidesEscape({ definition }: Written, hex: string): boolean {
  const shown = definition.split('\\').length - 1;
  const written = hex.match(/../g)?.filter((byte) => byte === '5C').length ?? 0;
  return definition.includes('?') || ambiguous.test(definition) || hex === '' || written !== shown;
}

export function misread(via: string, charset: string, at: number) {
  return notARead({
    message: `${via} cannot be checked: it was made in the character set ${charset}, and runs otherwise than it reads`,
    hint: 'Whoever runs the database can make it anew in utf8mb4; or query what it is made of.',
    at,
  });
}
