/** An expression in exactly one pair of parentheses: some catalogs give it in one, and some do not. */
export function formatParenthesised(expression: string): string {
  return isParenthesised(expression) ? expression : `(${expression})`;
}

/** Whether the first parenthesis is closed by the last character. Those inside literals do no harm: at worst there is a pair too many. */
function isParenthesised(expression: string): boolean {
  const last = expression.length - 1;
  let depth = 0;
  for (let index = 0; index <= last; index++) {
    if (expression[index] === '(') depth += 1;
    if (expression[index] === ')') depth -= 1;
    if (depth === 0) return index > 0 && index === last;
  }
  return false;
}
