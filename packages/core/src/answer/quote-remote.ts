import type { Excerpt } from '../failure.ts';
import { redact } from '../redact/redact.ts';
import { alignCut, cutVisible, formatVisible } from '../text.ts';

/** Quotes what a server sent: on one line, in quotes that it cannot end, at most `room` characters of it. */
export function quoteRemote(text: string, room: number): string {
  const line = formatVisible(redact(text).replace(/\s+/g, ' ').trim()).replaceAll('”', '⟦U+201D⟧');
  return `“${line.length <= room ? line : `${cutVisible(line, room)}…`}”`;
}

const before = 40;
const after = 40;
/** A shorter text needs no pointer into it. */
const shortest = 16;

/** The piece of a text around a place, which is counted from 1; undefined where it would say nothing new, as at the very beginning. */
export function excerptAt(text: string, position: number | undefined): Excerpt | undefined {
  const at = (position ?? 0) - 1;
  if (at <= 0 || at > text.length || text.trim().length < shortest) return undefined;
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const nextBreak = text.indexOf('\n', at);
  const lineEnd = nextBreak < 0 ? text.length : nextBreak;
  const start = alignCut(text, Math.max(lineStart, at - before));
  const end = alignCut(text, Math.min(lineEnd, at + after));
  const head = `${start > lineStart ? '…' : ''}${format(text.slice(start, at)).trimStart()}`;
  const tail = `${format(text.slice(at, end)).trimEnd()}${end < lineEnd ? '…' : ''}`;
  return { text: head + tail, column: head.length };
}

function format(text: string): string {
  return formatVisible(text).replaceAll('\t', ' ');
}
