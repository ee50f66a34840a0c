/**
 * Quotes text that a cluster, or anyone who writes to it, controls: in quotes that it cannot end, on one line, at most `room`
 * characters.
 */
export function quoteRemoteText(text: string, room: number): string {
  const line = text
    .slice(0, 4 * room)
    .replace(/\s+/g, ' ')
    .trim();
  return JSON.stringify(line.length <= room && text.length <= 4 * room ? line : `${line.slice(0, room)}…`);
}

/** A name that needs no quotes is left as it is. */
export function quoteRemoteName(name: string): string {
  return /^[\w.:@+-]{1,128}$/.test(name) ? name : quoteRemoteText(name, 100);
}
