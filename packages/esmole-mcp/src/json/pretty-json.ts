/** Further levels are not indented further: their spaces alone would fill the memory. */
const maxIndentation = 100;

/**
 * Lines and indentation for JSON, without reading it: numbers keep their digits and keys their order. What is not JSON comes out as
 * it went in, as far as it has no brackets and commas.
 */
export function prettyJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs)) {
    if (isEnd(token)) depth -= 1;
    // Empty brackets stay on one line.
    if (before === ',' || isBegin(before) !== isEnd(token)) parts.push(newLine(depth));
    parts.push(token === ':' ? ': ' : token);
    if (isBegin(token)) depth += 1;
    before = token;
  }
  return parts.join('');
}

function isBegin(token: string): boolean {
  return token === '{' || token === '[';
}

function isEnd(token: string): boolean {
  return token === '}' || token === ']';
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(Math.max(0, Math.min(depth, maxIndentation)))}`;
}
