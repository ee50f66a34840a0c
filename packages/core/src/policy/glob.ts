/**
 * Whether a pattern with `*` and `?` matches all of a text. It takes time in proportion to both lengths at most, because names of fields
 * come from documents and may be long.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  // The last star, and how far it reaches.
  let [star, reach] = [-1, 0];
  while (at < text.length) {
    if (pattern[from] === '*') [star, reach, from] = [from, at, from + 1];
    else if (from < pattern.length && (pattern[from] === '?' || pattern[from] === text[at])) [at, from] = [at + 1, from + 1];
    else if (star === -1) return false;
    else [reach, at, from] = [reach + 1, reach + 1, star + 1];
  }
  return [...pattern.slice(from)].every((rest) => rest === '*');
}

/** Whether a pattern matches some text that begins with this one. */
export function canBeginWith(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  const fixed = star === -1 ? pattern : pattern.slice(0, star);
  const isLong = text.length > fixed.length;
  // After its first star a pattern takes anything.
  if (isLong) return star !== -1 && matchesGlob(`${fixed}*`, text);
  return matchesGlob(fixed.slice(0, text.length), text);
}
