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

/** Takes the place of a missing token. */
export const noToken: Token = { kind: 'mark', start: 0, end: 0, word: '', name: '' };

export function isName({ kind }: Token): boolean {
  return kind === 'word' || kind === 'quoted';
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
