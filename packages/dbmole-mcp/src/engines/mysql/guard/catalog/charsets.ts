import { isAscii } from '../../../../statement/tokens.ts';
import { notARead } from '../refuse.ts';
import { hasIntroducer } from '../text/expressions.ts';
import type { View } from './guard-queries.ts';

/** In swe7, letters take the place of backslash and backtick, so the text shown in UTF-8 differs from the text that runs. */
export function isMisread(charset: string): boolean {
  return charset === 'swe7';
}

/** The server shows characters of armscii8 as parentheses, commas and quotes, and characters of the others as backslashes. */
const shownAsSigns: ReadonlySet<string> = new Set(['armscii8']);
const shownAsBackslash: ReadonlySet<string> = new Set(['sjis', 'ujis']);
/** MySQL shows one `?` for the first byte of a character and the next byte, which may be a quote, although it read both. */
const multiByte: ReadonlySet<string> = new Set('big5 cp932 eucjpms euckr gb18030 gb2312 gbk sjis ujis'.split(' '));

/** Whether the shown body may differ from the one that runs. The server stores the bytes as written and shows each character in UTF-8. */
export function isMisreadRoutine(charset: string, text: string, maria: boolean): boolean {
  if (isMisread(charset) || shownAsSigns.has(charset)) return true;
  if (shownAsBackslash.has(charset) && text.includes('\\')) return true;
  return !maria && multiByte.has(charset) && text.includes('?');
}

/** Character sets in which the second byte of a character may be that of a backslash. */
const twoByte: ReadonlySet<string> = new Set(['big5', 'cp932', 'gb18030', 'gbk', 'sjis']);

type Written = Pick<View, 'definition' | 'charset'>;

/**
 * MySQL stores a view in the character set of its creator, and puts a backslash before each byte that looks like one, even within a
 * character. When the view is read, that backslash escapes what follows: a literal continues where its end is shown.
 */
export function mayHideEscape({ definition, charset }: Written): boolean {
  return twoByte.has(charset) && definition.includes("'");
}

/** Whether the text as the server reads it is ASCII, which can hide nothing. */
export function isPlainText(shown: string): boolean {
  return shown !== '' && isAscii(shown) && !shown.includes('?');
}

/**
 * Whether the view holds literals in another character set, which are stored byte by byte: a character may continue in the bytes after
 * it. The server reads the text as shown up to the first of them.
 */
export function hasForeignText(shown: string): boolean {
  return shown === '' || hasIntroducer(shown) || /separator '|json_table\(/i.test(shown);
}

/** Two characters of cp932 that may have the byte of a backslash. */
const ambiguous = /[偆砡]/;

/** Whether the shown text may lack an escape. The server shows `?` for bytes without a character in Unicode. */
export function hidesEscape({ definition }: Written, hex: string): boolean {
  const shown = definition.split('\\').length - 1;
  const written = Buffer.from(hex, 'hex').filter((byte) => byte === 0x5c).length;
  return definition.includes('?') || ambiguous.test(definition) || hex === '' || written !== shown;
}

export function misread(via: string, charset: string, at: number) {
  return notARead({
    message: `${via} cannot be checked: it was created in the character set ${charset}, in which its text is ambiguous`,
    hint: 'Ask an administrator to recreate it in utf8mb4, or query the underlying tables.',
    at,
  });
}
