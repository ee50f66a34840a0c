import { Failure } from '../failure.ts';
import { cutVisible } from '../text.ts';

/** Characters of a whole answer, the first line included. */
export const defaultBudget = 32_000;
export const defaultRowLimit = 100;
export const defaultCellLimit = 500;

/** With less, one cell and the notes about it might not fit. */
export const smallestBudget = 1_500;

/** The part of every budget that is kept free for the first line. */
export const lineReserve = 600;

/** How much of the page we give up so that a cut text ends with a whole line. */
const lineSlack = 0.1;

/** Refuses a budget in which what we promise cannot be kept. */
export function requireBudget(budget: number): number {
  if (Number.isInteger(budget) && budget >= smallestBudget) return budget;
  throw new Failure('input', `invalid budget ${budget}: expected a whole number from ${smallestBudget}`);
}

interface TextPart {
  /** With the notice of the cut as its last line, if there was one. */
  text: string;
  cut: boolean;
  /** The number of shown characters, and the length of the original. */
  shown: number;
  length: number;
}

/** A text within `room` characters; a cut falls on the end of a line where one is near, and the last line says so. */
export function truncateText(text: string, room: number): TextPart {
  if (text.length <= room) return { text, cut: false, shown: text.length, length: text.length };
  const maxNoticeLength = formatNotice(text.length, text.length);
  const head = cutVisible(text, Math.max(0, room - maxNoticeLength.length));
  const lineEnd = head.lastIndexOf('\n');
  const shown = lineEnd >= head.length * (1 - lineSlack) ? lineEnd : head.length;
  const notice = formatNotice(shown, text.length).slice(0, Math.max(0, room - shown));
  return { text: head.slice(0, shown) + notice, cut: true, shown, length: text.length };
}

function formatNotice(shown: number, length: number): string {
  return `\n⟦cut: 1-${shown} of ${length} characters⟧`;
}
