import { createHash } from 'node:crypto';
import type { StatementText } from '@dbmole/core';

/** Replaces what cannot be divided into literals and the rest for certain. */
export const unreadable = '<unreadable>';
export const literal = '?';

/** A part of a statement as it is shown. */
export interface Piece {
  text: string;
  /** White space or a comment came before it. */
  isSpaced: boolean;
  kind: 'word' | 'name' | 'literal' | 'mark';
}

/** The statement on one line, and what groups those that are alike. */
export function describePieces(pieces: readonly Piece[]): StatementText {
  const text = joinTokens(pieces);
  return { text: shortenLists(text), fingerprint: createFingerprint(text), summary: summarize(pieces) };
}

const noGap = /^[,;.)\]]$/;

/** On one line, with the spaces of the original, but at most one at a place. */
function joinTokens(pieces: readonly Piece[]): string {
  return pieces.reduce((text, { text: next, isSpaced }) => {
    const gap = isSpaced && text !== '' && !noGap.test(next) && !text.endsWith('(') ? ' ' : '';
    return `${text}${gap}${next}`;
  }, '');
}

const shownOfList = 8;

/** A long list of literals, or of rows of them, says nothing more than its beginning. */
function shortenLists(text: string): string {
  return text
    .replaceAll(/\?(?:, ?\?)+/g, (list) => (list.split(',').length > shownOfList ? '?, …' : list))
    .replaceAll(/(\([?, …]+\))(?:, ?\([?, …]+\))+/g, (_rows, first: string) => `${first}, …`);
}

/** Equal for lists of any length, and whatever is in capitals. */
function createFingerprint(text: string): string {
  const shape = text
    .toLowerCase()
    .replaceAll(/\?(?:, ?\?)+/g, literal)
    .replaceAll(/(\(\?\))(?:, ?\(\?\))+/g, '(?)');
  return createHash('sha256').update(shape).digest('hex').slice(0, 16);
}

const naming: ReadonlySet<string> = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE', 'TABLE']);
const maxTables = 3;

/** The verb and the tables that follow their words: `SELECT orders items`. */
function summarize(pieces: readonly Piece[]): string {
  const verb = pieces.find(({ kind }) => kind === 'word')?.text.toUpperCase() ?? 'STATEMENT';
  const tables: string[] = [];
  for (const [i, piece] of pieces.entries()) {
    if (tables.length >= maxTables) break;
    if (piece.kind !== 'word' || !naming.has(piece.text.toUpperCase())) continue;
    const name = readTable(pieces, i + 1);
    if (name !== '' && !tables.includes(name)) tables.push(name);
  }
  return [verb.slice(0, 40), ...tables].join(' ').slice(0, 255);
}

function readTable(pieces: readonly Piece[], start: number): string {
  let name = '';
  for (let i = start; i < pieces.length; i += 1) {
    const { kind, text } = pieces[i] ?? { kind: 'mark', text: '' };
    const isName = (kind === 'word' || kind === 'name') && (name === '' || name.endsWith('.'));
    if (!isName && !(text === '.' && name !== '')) break;
    name += text;
  }
  return /\(|^(?:SELECT|LATERAL|ONLY|IF)$/i.test(name) ? '' : name;
}
