export interface Token {
  kind: 'word' | 'quoted' | 'text' | 'number' | 'variable' | 'mark';
  /** The bounds in the statement, counted from 0; blanks and comments are between tokens. */
  start: number;
  end: number;
  /** A possible keyword in capitals, or a mark; empty for other tokens, so that a quoted name never matches a keyword. */
  word: string;
  /** The name of a word or a quoted name; a variable with its mark. SQLite also takes a text as a name in some places. */
  name: string;
}

/** The number of tokens that are read before other calls may run. */
export const stepTokens = 2_048;

/** Takes the place of a missing token. */
export const noToken: Token = { kind: 'mark', start: 0, end: 0, word: '', name: '' };

export function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

export function isName(token: Token): boolean {
  return token.kind === 'word' || token.kind === 'quoted';
}

/** Finds the closing parenthesis of each opening one in a single pass; the end where none closes it. */
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

/** The index of the parenthesis that closes the one at `open`; the end when none does. */
export function findClosing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const { word } = tokens[index] ?? noToken;
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}
