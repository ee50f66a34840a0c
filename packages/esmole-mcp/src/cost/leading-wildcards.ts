/** Whether a pattern of a `wildcard` query matches every beginning. */
export function startsWithWildcard(pattern: string): boolean {
  return /^[*?]/.test(pattern);
}

/** The same for `LIKE` in SQL, whose signs are `%` and `_`. OpenSearch also takes those of `wildcard`. */
export function startsLikeWildcard(pattern: string): boolean {
  return /^[*?%_]/.test(pattern);
}

/** A character that a regular expression of Lucene takes as it is. */
const plainStart = /^(?:[\p{L}\p{N}_\-/:=, ;%'!]|\\.)(?![*?{])/u;
/** A group at the beginning that may be left out. */
const optionalGroup = /\)(?:[*?]|\{0)/;

/** Whether a regular expression says nothing certain of the beginning of a term, so that all of them are tried. */
export function startsWithAnything(pattern: string): boolean {
  if (pattern.startsWith('(') && optionalGroup.test(pattern)) return true;
  const starts = [
    pattern.replace(/^\(+/, ''),
    ...pattern
      .split(/(?<!\\)\|/)
      .slice(1)
      .map((part) => part.replace(/^\(+/, '')),
  ];
  return starts.some((start) => !plainStart.test(start));
}

/** A regular expression between slashes. */
const betweenSlashes = /(?:^|[\s():+\-!])\/((?:[^/\\]|\\.)+)\//gs;
/** A term that begins with wildcards, after what can come before a term; `*` alone asks only whether there is a value. */
const wildTerm = /(?:^|[\s():[\]{}"&|<>=^~,])[+\-!]*([*?]+(?:[^\s()[\]{}"^~]*))/g;

/** Whether a text for `query_string`, `q` or `kql` has a term that begins with a wildcard. */
export function hasWildTerm(text: string): boolean {
  const bare = withoutPhrases(text);
  for (const [, pattern = ''] of bare.matchAll(betweenSlashes)) if (startsWithAnything(pattern)) return true;
  for (const [, term = ''] of bare.matchAll(wildTerm)) if (isWild(term)) return true;
  return false;
}

/** The text without what is in quotes, where signs are text. A quote that is not closed quotes nothing. */
function withoutPhrases(text: string): string {
  let bare = '';
  for (let at = 0; at < text.length; ) {
    const end = text[at] === '"' ? findClosingQuote(text, at) : undefined;
    if (end === -1) return bare + text.slice(at);
    const next = end === undefined ? at + (text[at] === '\\' ? 2 : 1) : end + 1;
    bare += end === undefined ? text.slice(at, next) : '""';
    at = next;
  }
  return bare;
}

function findClosingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** `*` and `*:*` match everything without trying terms, and `*:x` is about all fields. */
function isWild(term: string): boolean {
  const value = /^[*?][^:]*(?<!\\):/.test(term) ? term.slice(term.indexOf(':') + 1) : term;
  return value !== '*' && /^[*?]/.test(value);
}
