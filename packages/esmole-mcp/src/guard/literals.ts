import type { QueryLanguage } from './query-text.ts';

/** What one of these pieces is, the clusters read as we do. SQL doubles a quote to have it in a text, ES|QL writes \" for it. */
const pieces: Readonly<Record<QueryLanguage, RegExp>> = {
  sql: /'(?:[^'\n\r]|'')*'|"[^"\n\r]*"|[^'"]+/gy,
  esql: /"(?:[^"\\\n\r]|\\[tnr"\\])*"|[^"]+/gy,
};

/** Where the rules of reading a text change, and we would have to know all of them. */
const unclear: Readonly<Record<QueryLanguage, RegExp>> = { sql: /[`\\]|\/\*|--/, esql: /[`']|"""|\/\*|\/\// };

/**
 * After these there is a value or a pattern of a text, never the name of an index. None of it can be a part of a name either, which had
 * quotes in the first versions.
 */
const comparing =
  /(?:\br?like[ \t\r\n]+\(?|[=!]=|=~|\b(?:grok|dissect)[ \t\r\n]+(?!(?:from|ts|join|metrics)\b)[\w.@]+[ \t\r\n])[ \t\r\n]*$/i;

/**
 * The query with its texts emptied, as far as they surely are texts: in a name a dot means something else. Where anything is unclear, the
 * query as it is.
 */
export function withoutLiterals(text: string, language: QueryLanguage): string {
  const found = text.match(pieces[language]) ?? [];
  const between = found.filter((piece) => !/^["']/.test(piece)).join(' ');
  if (found.join('') !== text || unclear[language].test(between) || (language === 'esql' && text.includes('"""'))) return text;
  return found.map((piece, at) => (isText(piece, found[at - 1] ?? '', language) ? '""' : piece)).join('');
}

function isText(piece: string, before: string, language: QueryLanguage): boolean {
  // In SQL the other quotes are for names.
  if (language === 'sql') return piece.startsWith("'");
  return piece.startsWith('"') && comparing.test(before);
}
