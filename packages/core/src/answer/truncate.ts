import { Failure } from '../failure.ts';
import { alignCut, cutVisible } from '../text.ts';

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

interface LimitRange {
  /** The argument, as the caller knows it. */
  name: string;
  default: number;
  max: number;
  /** 1 unless given; offsets start at 0. */
  min?: number;
}

/**
 * A number from the caller, or the default. Above the maximum it is the maximum: every answer says where it was cut and how
 * to read on, so nothing is lost by it. Everything else that is no whole number in range is refused.
 */
export function clampLimit(requested: unknown, range: LimitRange): number {
  const { name, max, min = 1 } = range;
  if (requested === undefined || requested === null) return Math.min(range.default, max);
  if (typeof requested === 'number' && Number.isInteger(requested) && requested >= min) return Math.min(requested, max);
  throw new Failure('input', `invalid ${name} ${formatGiven(requested)}: expected a whole number from ${min} to ${max}`);
}

/** Refuses a budget in which what we promise cannot be kept. */
export function requireBudget(budget: number): number {
  if (Number.isInteger(budget) && budget >= smallestBudget) return budget;
  throw new Failure('input', `invalid budget ${formatGiven(budget)}: expected a whole number from ${smallestBudget}`);
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

function formatGiven(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
  return value.length > 40 ? `${JSON.stringify(value.slice(0, alignCut(value, 40)))}…` : JSON.stringify(value);
}
