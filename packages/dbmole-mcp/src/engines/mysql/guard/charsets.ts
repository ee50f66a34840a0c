import type { View } from './catalog.ts';
import { hasIntroducer } from './expressions.ts';
import { notARead } from './refuse.ts';
import { isAscii } from './tokens.ts';

/** Here letters stand where other character sets have backslash and backtick, so what is shown in UTF-8 has other signs than what runs. */
export function isMisread(charset: string): boolean {
  return charset === 'swe7';
}

/** Characters of these are shown as signs that end or begin something: brackets, commas and a quote; backslashes. */
const shownAsSigns: ReadonlySet<string> = new Set(['armscii8']);
const shownAsBackslash: ReadonlySet<string> = new Set(['sjis', 'ujis']);
/** MySQL shows one `?` for the first byte of a character and whatever is behind it, be it a quote, although it has read both. */
const multiByte: ReadonlySet<string> = new Set('big5 cp932 eucjpms euckr gb18030 gb2312 gbk sjis ujis'.split(' '));

/** The body of a routine is kept as it was written, and each character of it is shown in UTF-8, in literals and elsewhere. */
export function isMisreadRoutine(charset: string, text: string, maria: boolean): boolean {
  if (isMisread(charset) || shownAsSigns.has(charset)) return true;
  if (shownAsBackslash.has(charset) && text.includes('\\')) return true;
  return !maria && multiByte.has(charset) && text.includes('?');
}

/** The second byte of a character may be the one of a backslash. */
const twoByte: ReadonlySet<string> = new Set(['big5', 'cp932', 'gb18030', 'gbk', 'sjis']);

type Written = Pick<View, 'definition' | 'charset'>;

/**
 * MySQL keeps a view as a text in the character set of who made it, and puts a backslash before each byte that looks like one, even
 * within a character. Read again, that backslash escapes what follows: a literal goes on where its end is shown.
 */
export function mayHideEscape({ definition, charset }: Written): boolean {
  return twoByte.has(charset) && definition.includes("'");
}

/** As the server reads the view: without any character beyond ASCII nothing can be hidden. */
export function isPlainText(shown: string): boolean {
  return shown !== '' && isAscii(shown) && !shown.includes('?');
}

/**
 * Texts in another character set than that of the view stand in it byte by byte, and what begins there as one character may end as
 * another. Up to the first of them the server reads it as it was meant.
 */
export function hasForeignText(shown: string): boolean {
  return shown === '' || hasIntroducer(shown) || /separator '|json_table\(/i.test(shown);
}

/** With such a byte, as two characters of cp932 may have. */
const ambiguous = /[偆砡]/;

/** `?` is shown for what has no character in Unicode. */
export function hidesEscape({ definition }: Written, hex: string): boolean {
  const shown = definition.split('\\').length - 1;
  const written = Buffer.from(hex, 'hex').filter((byte) => byte === 0x5c).length;
  return definition.includes('?') || ambiguous.test(definition) || hex === '' || written !== shown;
}

export function misread(via: string, charset: string, at: number) {
  return notARead({
    message: `${via} cannot be checked: it was made in the character set ${charset}, and runs otherwise than it reads`,
    hint: 'Whoever runs the database can make it anew in utf8mb4; or query what it is made of.',
    at,
  });
}
