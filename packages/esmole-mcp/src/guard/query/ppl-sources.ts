import { pplDialect } from './quotes.ts';
import { listPatterns, type QuerySources, removeSchema, Scanner, type Token, UnreadableQuery } from './scanner.ts';

/** Commands that name no index. */
const plainCommands: ReadonlySet<string> = new Set(
  (
    'WHERE FIELDS TABLE RENAME STATS EVENTSTATS STREAMSTATS DEDUP SORT EVAL HEAD TOP RARE GROK PARSE PATTERNS REX REGEX KMEANS AD ML ' +
    'FILLNULL TRENDLINE EXPAND FLATTEN REVERSE TIMECHART CHART BIN SPATH REPLACE ADDTOTALS ADDCOLTOTALS MVCOMBINE MVEXPAND NOMV ' +
    'TRANSPOSE FIELDFORMAT'
  ).split(' '),
);
/** Commands that name an index, or have a query of their own. */
const namingCommands: ReadonlySet<string> = new Set(
  'SEARCH SOURCE INDEX DESCRIBE JOIN INNER LEFT RIGHT FULL CROSS OUTER SEMI ANTI LOOKUP APPEND APPENDCOL APPENDPIPE MULTISEARCH'.split(
    ' ',
  ),
);
/** Commands that train a model, which the cluster keeps. */
const trainingCommands: ReadonlySet<string> = new Set(['AD', 'KMEANS', 'ML']);
/** A slash is missing here because it may begin a comment. */
const nameCharacter = /[\w@*.:<>{}-]/;

/**
 * Every name of an index in a text in PPL that is more than a plain one. Where indices stand differs between commands and versions, so
 * each name in a command that may have one counts. Throws `UnreadableQuery`.
 */
export function readPplSources(text: string): QuerySources {
  const commands: string[] = [];
  const names = [...readNames(new Scanner(text, pplDialect), commands)];
  return {
    // A name in backticks may be a list, whose first name may have a schema.
    lists: names
      .flatMap((name) => removeSchema(name).split(','))
      .map(removeSchema)
      .filter(isOdd)
      .map((name) => [name]),
    unlisted: commands.find((command) => !isRead(command.toUpperCase())),
    patterns: listPatterns(text, pplDialect),
  };
}

function isRead(command: string): boolean {
  return namingCommands.has(command) || (plainCommands.has(command) && !trainingCommands.has(command));
}

function* readNames(scanner: Scanner, commands: string[]): Generator<string> {
  // Whether the command that is being read, and each one around its brackets, names no index.
  const plain = [isPlain(scanner, commands)];
  let before = '';
  for (scanner.skipBlanks(); scanner.char !== ''; scanner.skipBlanks()) {
    const mayName = plain.at(-1) === false;
    if (mayName && nameCharacter.test(scanner.char)) {
      yield readName(scanner);
      before = '';
      continue;
    }
    const token = scanner.next();
    if (token.kind === 'name' && mayName) yield token.value;
    if (token.kind === 'mark') readMark(token, scanner, { plain, commands, isList: isList(token, before) });
    before = token.value;
  }
}

/** An argument in brackets is a list of fields, or a search, which begins with its source and not with another command. */
function isList({ value }: Token, before: string): boolean {
  return value === '[' && (before === '(' || before === ',');
}

interface Commands {
  readonly plain: boolean[];
  readonly commands: string[];
  readonly isList: boolean;
}

function readMark({ value, at }: Token, scanner: Scanner, { plain, commands, isList }: Commands): void {
  if (value === '|' || value === ']') plain.pop();
  if (value === '|' || value === '[') plain.push(isPlain(scanner, commands, isList));
  if (plain.length === 0) throw new UnreadableQuery('an unmatched bracket', at);
}

/** Whether the command that comes next names no index. It is added to the commands, unless it may be a field in a list. */
function isPlain(scanner: Scanner, commands: string[], isList = false): boolean {
  const { value } = scanner.peek();
  if (!isList || trainingCommands.has(value.toUpperCase())) commands.push(value);
  return plainCommands.has(value.toUpperCase());
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
