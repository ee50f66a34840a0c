import { type QuerySources, removeSchema } from './query-sources.ts';
import { pplDialect } from './quotes.ts';
import { Scanner, type Token, UnreadableQuery } from './scanner.ts';

/** Commands that name no index. */
const plainCommands: ReadonlySet<string> = new Set(
  (
    'WHERE FIELDS TABLE RENAME STATS EVENTSTATS STREAMSTATS DEDUP SORT EVAL HEAD TOP RARE GROK PARSE PATTERNS REX REGEX KMEANS AD ML ' +
    'FILLNULL TRENDLINE EXPAND FLATTEN REVERSE TIMECHART CHART BIN SPATH REPLACE ADDTOTALS ADDCOLTOTALS MVCOMBINE MVEXPAND NOMV ' +
    'TRANSPOSE FIELDFORMAT'
  ).split(' '),
);
/** A slash is missing here because it may begin a comment. */
const nameCharacter = /[\w@*.:<>{}-]/;

/**
 * Every name of an index in a text in PPL that is more than a plain one. Where indices stand differs between commands and versions, so
 * each name in a command that may have one counts. Throws `UnreadableQuery`.
 */
export function readPplSources(text: string): QuerySources {
  return {
    lists: [...readNames(new Scanner(text, pplDialect))]
      .map(removeSchema)
      .filter(isOdd)
      .map((name) => [name]),
  };
}

function* readNames(scanner: Scanner): Generator<string> {
  // Whether the command that is being read, and each one around its brackets, names no index.
  const plain = [isPlain(scanner)];
  for (scanner.skipBlanks(); scanner.char !== ''; scanner.skipBlanks()) {
    const mayName = plain.at(-1) === false;
    if (mayName && nameCharacter.test(scanner.char)) yield readName(scanner);
    else {
      const token = scanner.next();
      if (token.kind === 'name' && mayName) yield token.value;
      if (token.kind === 'mark') readMark(token, scanner, plain);
    }
  }
}

function readMark({ value, at }: Token, scanner: Scanner, plain: boolean[]): void {
  if (value === '|' || value === ']') plain.pop();
  if (value === '|' || value === '[') plain.push(isPlain(scanner));
  if (plain.length === 0) throw new UnreadableQuery('an unmatched bracket', at);
}

function isPlain(scanner: Scanner): boolean {
  return plainCommands.has(scanner.peek().value.toUpperCase());
}

function readName(scanner: Scanner): string {
  const from = scanner.at;
  while (scanner.char !== '' && nameCharacter.test(scanner.char)) scanner.at++;
  return scanner.text.slice(from, scanner.at);
}

/** Other names are fields, numbers or indices that are not hidden. */
function isOdd(name: string): boolean {
  return /^[.*<]|:[.*<]/.test(name);
}
