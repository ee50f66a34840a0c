import type { BodyToken } from './tokens.ts';

export type TokenList = readonly BodyToken[];

/** The arguments of a call by its parenthesis, and where the closing one is. */
export function readArguments(tokens: TokenList, open: number): { args: BodyToken[][]; end: number } {
  const args: BodyToken[][] = [[]];
  let end = open + 1;
  for (let depth = 1; end < tokens.length; end++) {
    const token = tokens[end];
    if (token === undefined) break;
    depth += depthOf(token);
    if (depth === 0) break;
    if (depth === 1 && isMark(token, ',')) args.push([]);
    else args.at(-1)?.push(token);
  }
  return { args, end };
}

/** Up to a mark or a word that is one of these and in no parentheses, or to the end of the parentheses around it. */
export function takeUntil(tokens: TokenList, from: number, ends: ReadonlySet<string>): TokenList {
  let depth = 0;
  const end = tokens.findIndex((token, at) => {
    if (at < from) return false;
    depth += depthOf(token);
    return depth < 0 || (depth === 0 && (token.kind === 'mark' || token.kind === 'word') && ends.has(token.text));
  });
  return end < 0 ? tokens.slice(from) : tokens.slice(from, end);
}

export function isMark({ kind, text }: BodyToken, mark: string): boolean {
  return kind === 'mark' && text === mark;
}

function depthOf({ kind, text }: BodyToken): number {
  if (kind !== 'mark') return 0;
  if (text === '(' || text === '[') return 1;
  return text === ')' || text === ']' ? -1 : 0;
}
