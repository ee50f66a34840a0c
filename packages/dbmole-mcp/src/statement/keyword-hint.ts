import { type Failure, nearestNames } from '@dbmole/core';

/** Words that statements are made of, and that are mistyped. */
const keywords =
  'select from where group order having limit offset join inner left right full outer cross using with union intersect except values distinct between like and or not null case when then else end exists insert into update delete set returning explain show describe table create alter drop as asc desc over partition'.split(
    ' ',
  );
const known = new Set(keywords);
const maxLength = 12;
/** One slip in a short word, two in a longer one. */
const slipLength = 5;

/** The hint after a syntax error at a word that is nearly a keyword. */
export function keywordHint({ code, position }: Failure, sql: string): string | undefined {
  if ((code !== 'E_SYNTAX' && code !== 'E_NOT_A_READ') || position === undefined) return undefined;
  const at = /^[A-Za-z]+/.exec(sql.slice(position - 1, position + maxLength))?.[0] ?? '';
  // The server often stumbles over the word after the one that is wrong.
  const before =
    sql
      .slice(Math.max(0, position - 1 - 2 * maxLength), position - 1)
      .trimEnd()
      .split(/[^A-Za-z]/)
      .at(-1) ?? '';
  const words = code === 'E_SYNTAX' ? [at, before] : [at];
  for (const word of words) {
    const meant = nearestKeyword(word.toLowerCase());
    if (meant !== undefined) return `Did you mean ${meant.toUpperCase()}?`;
  }
  return undefined;
}

function nearestKeyword(word: string): string | undefined {
  if (word.length < slipLength - 1 || known.has(word)) return undefined;
  const [nearest] = nearestNames(word, keywords, 1);
  return nearest !== undefined && Math.abs(nearest.length - word.length) <= 1 ? nearest : undefined;
}

/** The next step where a function is called that other engines have: what this one has instead. */
export function formatEquivalent(equivalents: Readonly<Record<string, string>>, name: string | undefined): string | undefined {
  const key = name?.toLowerCase() ?? '';
  return Object.hasOwn(equivalents, key) ? `Here that is ${equivalents[key]}.` : undefined;
}
