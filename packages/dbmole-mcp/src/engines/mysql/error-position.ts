/** As much of the rest of the statement as the engine quotes, in characters. */
const longestQuote = 80;

const quoteStart = "near '";
const quoteEnd = "' at line ";

/** Where in the statement the engine lost the thread, counted from 1; undefined when its message does not tell. */
export function findErrorPosition(message: string, sql: string): number | undefined {
  const [start, end] = [message.indexOf(quoteStart), message.lastIndexOf(quoteEnd)];
  if (start < 0 || end < start + quoteStart.length) return undefined;
  const quote = message.slice(start + quoteStart.length, end);
  const line = Number(message.slice(end + quoteEnd.length));
  // What is quoted reaches to the end of the statement, unless it was cut.
  if (Array.from(quote).length < longestQuote)
    return sql.endsWith(quote) ? toPosition(sql, sql.length - quote.length) : undefined;
  const from = startOfLine(sql, line);
  const index = from === undefined ? -1 : sql.indexOf(quote, from);
  return index < 0 || sql.indexOf(quote, index + 1) >= 0 ? undefined : toPosition(sql, index);
}

/** Undefined where the text has fewer lines. */
function startOfLine(sql: string, line: number): number | undefined {
  let at = 0;
  for (let count = 1; count < line; count += 1) {
    at = sql.indexOf('\n', at) + 1;
    if (at === 0) return undefined;
  }
  return at;
}

function toPosition(sql: string, index: number): number | undefined {
  return index <= sql.length ? index + 1 : undefined;
}
