/** As much of the rest of the statement as the engine quotes, in characters. */
const longestQuote = 80;

const quotePattern = /near '([\s\S]*)' at line (\d+)$/;

/** Where in the statement the engine lost the thread, counted from 1; undefined when its message does not tell. */
export function findErrorPosition(message: string, sql: string): number | undefined {
  const found = quotePattern.exec(message);
  if (found === null) return undefined;
  const [, quote = '', line = ''] = found;
  // What is quoted reaches to the end of the statement, unless it was cut.
  if (Array.from(quote).length < longestQuote)
    return sql.endsWith(quote) ? toPosition(sql, sql.length - quote.length) : undefined;
  const from = startOfLine(sql, Number(line));
  const index = sql.indexOf(quote, from);
  return index < 0 || sql.indexOf(quote, index + 1) >= 0 ? undefined : toPosition(sql, index);
}

function startOfLine(sql: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count += 1) at = sql.indexOf('\n', at) + 1;
  return at;
}

function toPosition(sql: string, index: number): number | undefined {
  return index <= sql.length ? index + 1 : undefined;
}
