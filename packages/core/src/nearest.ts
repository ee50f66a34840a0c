/** The candidates that resemble what was asked for, best first; an empty list when none does. */
export function nearestNames(wanted: string, candidates: Iterable<string>, limit = 3): string[] {
  const target = wanted.slice(0, longest).toLowerCase();
  const ranked: { name: string; score: number }[] = [];
  for (const name of new Set(candidates)) {
    const score = scoreOf(target, name.slice(0, longest).toLowerCase());
    if (score !== undefined) ranked.push({ name, score });
  }
  ranked.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, limit).map(({ name }) => name);
}

const longest = 128;

/** Lower is nearer. One slip for every three characters is forgiven; a name that continues or contains the other is near too. */
function scoreOf(wanted: string, name: string): number | undefined {
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3));
  const distance = Math.abs(wanted.length - name.length) > allowed ? undefined : editDistance(wanted, name);
  if (distance !== undefined && distance <= allowed && distance < Math.max(wanted.length, name.length)) return distance;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  if (short.length < 3) return undefined;
  if (long.startsWith(short)) return allowed + 1;
  return long.includes(short) ? allowed + 2 : undefined;
}

/** Insertions, deletions, replacements, and swaps of neighbours, which is what typing errors are made of. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
