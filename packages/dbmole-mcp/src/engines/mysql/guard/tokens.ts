export interface Token {
  kind: 'word' | 'quoted' | 'text' | 'number' | 'variable' | 'mark';
  /** Where it begins and ends in the statement, counted from 0; blanks and comments are between tokens. */
  start: number;
  end: number;
  /** A word that may be a keyword, in capitals; a mark as it is; empty for all else, so that nothing quoted is taken for one. */
  word: string;
  /** What a word or a quoted name names; a variable with its signs. */
  name: string;
}

/** How many tokens are looked at before other calls may go first. */
export const stepTokens = 2_048;

/** Stands for what is not there. */
export const noToken: Token = { kind: 'mark', start: 0, end: 0, word: '', name: '' };

export function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

export function isName(token: Token): boolean {
  return token.kind === 'word' || token.kind === 'quoted';
}

/** For each opening bracket the index of the one that closes it; that of the end where none does. Takes one pass for all of them. */
export function matchBrackets(tokens: readonly Token[]): (open: number) => number {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { word }] of tokens.entries()) {
    if (word === '(') open.push(index);
    const last = word === ')' ? open.pop() : undefined;
    if (last !== undefined) closing.set(last, index);
  }
  return (index) => closing.get(index) ?? tokens.length;
}

/** The index of the bracket that closes the one at `open`; that of the end when none does. */
export function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const { word } = tokens[index] ?? noToken;
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}
