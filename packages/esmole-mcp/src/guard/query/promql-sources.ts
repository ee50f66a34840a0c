import { readEsqlNames } from './esql-names.ts';
import { esqlDialect, promqlDialect } from './quotes.ts';
import { type Scanner, UnreadableQuery } from './scanner.ts';

/** The indices of PROMQL where it names none. */
const everything = ['*'];

/**
 * The indices of a PROMQL command, whose name was read: `PROMQL index=metrics-* step=1m (sum(x))`. Leaves the scanner before the `|`, or
 * the parenthesis of a subquery, that ends the command.
 */
export function readPromql(scanner: Scanner): string[] {
  scanner.dialect = promqlDialect;
  const names = readParams(scanner);
  skipQuery(scanner);
  scanner.dialect = esqlDialect;
  return names ?? [...everything];
}

/** The indices that parameters name; undefined when none does. */
function readParams(scanner: Scanner): string[] | undefined {
  let names: string[] | undefined;
  for (;;) {
    const { at } = scanner;
    const { kind, value } = scanner.next();
    const isParam = (kind === 'word' || kind === 'text') && scanner.take('=');
    // The last of them may give the result a name; the query follows in parentheses.
    if (!isParam || scanner.peek().value === '(') {
      if (value === '?') throw new UnreadableQuery('a parameter that is given elsewhere', at);
      scanner.at = at;
      return names;
    }
    const values = readValues(scanner);
    if (value.toLowerCase() === 'index') names = [...(names ?? []), ...values];
  }
}

function readValues(scanner: Scanner): string[] {
  const values: string[] = [];
  do values.push(...readEsqlNames(scanner));
  while (scanner.take(','));
  return values;
}

function skipQuery(scanner: Scanner): void {
  let depth = 0;
  for (let token = scanner.peek(); token.kind !== 'end'; token = scanner.peek()) {
    const mark = token.kind === 'mark' ? token.value : '';
    if (mark === '|' || (mark === ')' && depth === 0)) return;
    if (mark === '(') depth++;
    else if (mark === ')') depth--;
    scanner.next();
  }
}
