/**
 * What a cluster says, or somebody who may write to it, inside of a sentence of ours: in quotes that it cannot end, on one line, and
 * no longer than `room`.
 */
export function formatSaid(text: string, room: number): string {
  const line = text
    .slice(0, 4 * room)
    .replace(/\s+/g, ' ')
    .trim();
  return JSON.stringify(line.length <= room && text.length <= 4 * room ? line : `${line.slice(0, room)}…`);
}

/** A name that needs no quotes is left as it is. */
export function formatSaidName(name: string): string {
  return /^[\w.:@+-]{1,128}$/.test(name) ? name : formatSaid(name, 100);
}
