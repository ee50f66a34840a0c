/** The candidates that resemble what was asked for, best first; an empty list when none does. */
export function nearestNames(wanted: string, candidates: Iterable<string>, limit = 3): string[] {
  const target = wanted.slice(0, longest).toLowerCase();
  const ranked: { name: string; score: number }[] = [];
  const effort = { left: maxEffort };
  for (const name of new Set(candidates)) {
    const score = scoreOf(target, name.slice(0, longest).toLowerCase(), effort);
    if (score !== undefined) ranked.push({ name, score });
  }
  ranked.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, limit).map(({ name }) => name);
}

const longest = 128;
/** Pairs of characters that are compared, about 40 ms; after them, only names that begin with or contain the other are found. */
const maxEffort = 4_000_000;

/** Lower is nearer. One slip for every three characters is forgiven; a name that continues or contains the other is near too. */
function scoreOf(wanted: string, name: string, effort: { left: number }): number | undefined {
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3));
  const isFar = Math.abs(wanted.length - name.length) > allowed;
  if (!isFar) effort.left -= wanted.length * name.length;
  const distance = isFar || effort.left < 0 ? undefined : editDistance(wanted, name);
  if (distance !== undefined && distance <= allowed && distance < Math.max(wanted.length, name.length)) return distance;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  if (short.length < 3) return undefined;
  if (long.startsWith(short)) return allowed + 1;
  return long.includes(short) ? allowed + 2 : undefined;
}

/** Insertions, deletions, replacements, and swaps of neighbours, which is what typing errors are made of. */
function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  const table = new Uint16Array(width * (a.length + 1));
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let j = 0; j < width; j++) table[j] = j;
  for (let i = 1; i <= a.length; i++) {
    table[i * width] = i;
    for (let j = 1; j < width; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : replaced;
      table[i * width + j] = Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1);
    }
  }
  return at(a.length, b.length);
}
