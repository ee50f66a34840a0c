/**
 * Text from a database, made safe to show. What a person cannot see is written out as `⟦U+202E⟧`. The bracket `⟦` is ours
 * alone: one that came with the data is written `⟦U+27E6⟧`. So every `⟦` in shown data was put there by us, the original can
 * always be recognized, and everything else, backslashes included, is literal.
 */
export const markOpen = '⟦';
export const markClose = '⟧';

/** The longest mark we make has three numbers of 16 digits and a unit. */
const maxMarkLength = 80;

/** First and last code point of what is never shown as it is. Newline and tab are missing: they are ordinary text. */
const unseen: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  // Zero-width characters and marks of direction.
  [0x200b, 0x200f],
  // Line separators, embedding and override of direction.
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  // Surrogates: with the `u` flag these match only where their other half is missing.
  [0xd800, 0xdfff],
  // Variation selectors; the last two are left alone because ordinary emoji carry them.
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  // Tags and the supplementary variation selectors: whole messages have been hidden in them.
  [0xe0000, 0xe0fff],
];

/** The inside of a character class, for patterns with the `u` flag that look for more than the unseen. */
export const unseenClass = unseen.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('');

const unseenPattern = new RegExp(`[${unseenClass}]`, 'gu');
const reservedPattern = new RegExp(`[${unseenClass}${markOpen}]`, 'gu');

/** Data as it is shown: nothing invisible, and no bracket that is not ours. */
export function formatVisible(text: string): string {
  return text.replace(reservedPattern, formatEscape);
}

/** A text that is ours, or already has our marks in it: nothing invisible, but the brackets stay. */
export function formatVisibleReply(text: string): string {
  return text.replace(unseenPattern, formatEscape);
}

/** `formatVisible` for a string that is already JSON: JSON has escapes of its own, and they survive parsing. */
export function formatVisibleJson(json: string): string {
  return json.replace(reservedPattern, formatJsonEscape);
}

/** The nearest place at or before `index` that does not lie inside a surrogate pair. */
export function alignCut(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return Math.min(Math.max(index, 0), text.length);
  return isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;
}

/** The beginning of a text that may have our marks in it, at most `room` long; ends inside neither a pair nor a mark. */
export function cutVisible(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = alignCut(text, room);
  const from = Math.max(0, end - maxMarkLength);
  const open = text.slice(from, end).lastIndexOf(markOpen);
  if (open < 0 || text.slice(from + open, end).includes(markClose)) return text.slice(0, end);
  return text.slice(0, from + open);
}

function formatEscape(char: string): string {
  return `${markOpen}U+${hex(char.codePointAt(0) ?? 0)}${markClose}`;
}

function formatJsonEscape(char: string): string {
  return Array.from({ length: char.length }, (_, index) => `\\u${hex(char.charCodeAt(index)).toLowerCase()}`).join('');
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
