import { Turns } from './turns.ts';

const usualLimit = 3;

/** The candidates that resemble what was asked for, best first; an empty list when none does. */
export function nearestNames(wanted: string, candidates: Iterable<string>, limit = usualLimit): string[] {
  const target = wanted.slice(0, maxLength).toLowerCase();
  const ranked: { name: string; score: number }[] = [];
  const effort = { left: maxEffort };
  for (const name of new Set(candidates)) {
    const score = computeScore(target, name.slice(0, maxLength).toLowerCase(), effort);
    if (score !== undefined) ranked.push({ name, score });
  }
  const likeness = ({ name }: { name: string }) => measurePrefix(target, name.toLowerCase());
  ranked.sort((a, b) => a.score - b.score || likeness(b) - likeness(a) || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, limit).map(({ name }) => name);
}

/** Slips are more common after the beginning of a word: `wher` is WHERE rather than WHEN. */
function measurePrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** This many names are ranked in a few milliseconds. */
const chunkLength = 1_000;

/** Ranks any number of names, and lets others go first in between. */
export async function findNearestNames(wanted: string, candidates: readonly string[]): Promise<string[]> {
  const turns = new Turns();
  let best: string[] = [];
  for (let at = 0; at < candidates.length; at += chunkLength) {
    best = nearestNames(wanted, [...best, ...candidates.slice(at, at + chunkLength)]);
    await turns.next();
  }
  return best;
}

const maxLength = 128;
/** Pairs of characters that are compared, about 10 ms; after them, only names that begin with or contain the other are found. */
const maxEffort = 1_000_000;

/** Lower is nearer. One slip for every three characters is forgiven; a name that continues or contains the other is near too. */
function computeScore(wanted: string, name: string, effort: { left: number }): number | undefined {
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3));
  const isFar = Math.abs(wanted.length - name.length) > allowed;
  if (!isFar) effort.left -= wanted.length * (2 * allowed + 1);
  const distance = isFar || effort.left < 0 ? undefined : editDistance(wanted, name, allowed);
  if (distance !== undefined && distance <= allowed && distance < Math.max(wanted.length, name.length)) return distance;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  if (short.length < 3) return undefined;
  if (long.startsWith(short)) return allowed + 1;
  return long.includes(short) ? allowed + 2 : undefined;
}

/**
 * Insertions, deletions, replacements, and swaps of neighbours, which is what typing errors are made of. A distance above `limit` is
 * only known to be above it: no more than what can stay below is compared.
 */
function editDistance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  const emptyRow = () => new Uint8Array(b.length + 1).fill(far);
  let [before, last, row] = [emptyRow(), emptyRow(), emptyRow()];
  for (let j = 0; j <= limit && j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row.fill(far);
    row[0] = Math.min(i, far);
    const end = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= end; j++) {
      const replaced = at(last, j - 1) + Number(a.charCodeAt(i - 1) !== b.charCodeAt(j - 1));
      const swapped = isSwap(a, b, i, j) ? at(before, j - 2) + 1 : far;
      row[j] = Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1);
    }
    [before, last, row] = [last, row, before];
  }
  return at(last, b.length);
}

function at(row: Uint8Array, index: number): number {
  return row[index] ?? 0;
}

function isSwap(a: string, b: string, i: number, j: number): boolean {
  const mayBe = i > 1 && j > 1;
  return mayBe && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
}
