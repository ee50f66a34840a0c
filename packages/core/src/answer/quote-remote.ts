import { redact } from '../redact/redact.ts';
import { cutVisible, formatVisible } from '../text.ts';

/** Quotes what a server sent: on one line, in quotes that it cannot end, at most `room` characters of it. */
export function quoteRemote(text: string, room: number): string {
  const line = formatVisible(redact(text).replace(/\s+/g, ' ').trim()).replaceAll('”', '⟦U+201D⟧');
  return `“${line.length <= room ? line : `${cutVisible(line, room)}…`}”`;
}
