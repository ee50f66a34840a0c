import { maskToken, wildcard } from './mask-token.ts';

/** A line of a log as words and what is between them: `gaps[0]`, `tokens[0]`, `gaps[1]`, … */
export interface LogLine {
  readonly tokens: readonly string[];
  /** One more than tokens; the last one ends with `…` where the line goes on. */
  readonly gaps: readonly string[];
}

/** Characters and words of a line that count. */
const maxLength = 1_000;
const maxTokens = 80;
/** Clusters cut words at each of these, with every analyzer for texts that they use by default. */
const word = /[^\s,;|"()[\]{}=<>]+/g;
const edge = /^[.:!?'`*#&+-]+|(?<![.:!?'`*#&+-])[.:!?'`*#&+-]+$/g;

/** Splits the first line of a message into words, with what varies from line to line replaced. */
export function splitLine(message: string): LogLine {
  const { line, isCut } = findLine(message);
  const tokens: string[] = [];
  const gaps: string[] = [];
  let end = 0;
  let previous = '';
  for (const { 0: found, index } of line.matchAll(word)) {
    const text = found.replace(edge, '');
    if (text === '') continue;
    if (tokens.length === maxTokens) break;
    const start = index + found.indexOf(text);
    gaps.push(line.slice(end, start));
    tokens.push(maskToken(text, previous));
    previous = text;
    end = start + text.length;
  }
  const isWhole = tokens.length < maxTokens && !isCut;
  gaps.push(isWhole ? line.slice(end) : `${line.slice(end, end + 1)}…`);
  return { tokens, gaps };
}

/** The first line of a stack trace says what it is about. */
function findLine(message: string): { line: string; isCut: boolean } {
  const text = message.slice(0, maxLength * 2).trim();
  const [first = ''] = text.split(/[\r\n]/, 1);
  return { line: first.slice(0, maxLength), isCut: first.length < text.length || first.length > maxLength };
}

export function formatPattern({ tokens, gaps }: LogLine): string {
  return tokens.map((token, at) => `${gaps[at] ?? ''}${token}`).join('') + (gaps.at(-1) ?? '');
}

export function isVariable(token: string): boolean {
  return token.includes(wildcard);
}
