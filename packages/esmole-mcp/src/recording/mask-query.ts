import { dialects, type QueryLanguage } from '../guard/query/check-query.ts';
import { Scanner, type Token, UnreadableQuery } from '../guard/query/scanner.ts';

/** Replaces what cannot be divided into literals and the rest for certain. */
export const unreadable = '<unreadable>';

/** The query on one line with `?` for each literal, without comments. */
export function maskQuery(text: string, language: QueryLanguage): string {
  try {
    return join([...readTokens(new Scanner(text, dialects[language]))]);
  } catch (error) {
    if (error instanceof UnreadableQuery) return unreadable;
    throw error;
  }
}

interface Piece {
  text: string;
  isSpaced: boolean;
}

function* readTokens(scanner: Scanner): Generator<Piece> {
  let before = '';
  for (;;) {
    const end = scanner.at;
    scanner.skipBlanks();
    const isSpaced = scanner.at > end;
    const token = scanner.next();
    if (token.kind === 'end') return;
    const text = maskToken(token, before);
    before = token.value.toUpperCase();
    yield { text, isSpaced };
  }
}

const beforeIndices = new Set(['FROM', 'JOIN', 'TS']);

/** A quoted name may be an alias that carries data, except where only an index can be. */
function maskToken({ kind, value }: Token, before: string): string {
  if (kind === 'text' || /^\d/.test(value)) return '?';
  if (kind !== 'name') return value;
  return beforeIndices.has(before) && /^[\p{L}_.][\p{L}\p{N}_.*:,-]{0,99}$/u.test(value) ? value : '?';
}

function join(pieces: readonly Piece[]): string {
  return pieces.reduce((text, { text: next, isSpaced }) => `${text}${isSpaced && text !== '' ? ' ' : ''}${next}`, '');
}
