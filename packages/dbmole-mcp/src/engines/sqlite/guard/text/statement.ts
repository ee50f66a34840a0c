import { isName, noToken, type Token } from '../../../../statement/tokens.ts';
import {
  argumentPragmas,
  deniedFunctions,
  deniedTableFunctions,
  deniedTables,
  isReadingPragmaTable,
  plainPragmas,
} from '../allowed.ts';
import { notARead, severalStatements } from '../refuse.ts';

/**
 * Throws unless the tokens are a single read. SQLite has no form that nests a statement of another kind in a query, so that the first word
 * decides, with the first one behind WITH; what is left are functions, tables and pragmas by their names.
 */
export function checkTokens(all: readonly Token[]): void {
  const end = all.findIndex(({ word }) => word === ';');
  const behind = all.slice(end + 1).find(({ word }) => word !== ';');
  if (end >= 0 && behind !== undefined) throw severalStatements(behind.start);
  const tokens = end < 0 ? all : all.slice(0, end);
  checkStatement(tokens, 0);
}

const queryWords: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'WITH']);

function checkStatement(tokens: readonly Token[], from: number): void {
  const { word, start } = tokens[from] ?? noToken;
  if (word === 'EXPLAIN') checkExplained(tokens, from);
  else if (word === 'PRAGMA' && from === 0) checkPragma(tokens);
  else if (queryWords.has(word)) checkQuery(tokens, from);
  else throw notARead({ message: describeOther(word), at: start });
}

function describeOther(word: string): string {
  if (word === '') return 'the statement does not begin with SELECT, WITH, VALUES, EXPLAIN or PRAGMA';
  return `${word.slice(0, 40)} is not a read; expected SELECT, WITH, VALUES, EXPLAIN or a PRAGMA that reports`;
}

/** Without this, an explained PRAGMA would be run. */
function checkExplained(tokens: readonly Token[], from: number): void {
  const isPlan = tokens[from + 1]?.word === 'QUERY' && tokens[from + 2]?.word === 'PLAN';
  const inner = from + (isPlan ? 3 : 1);
  if (queryWords.has(tokens[inner]?.word ?? '')) checkQuery(tokens, inner);
  else throw notARead({ message: 'EXPLAIN is accepted for SELECT, WITH and VALUES only', at: tokens[inner]?.start ?? 0 });
}

/** `PRAGMA name`, `PRAGMA schema.name`, and `PRAGMA name(argument)` for those that report on what they are given. */
function checkPragma(tokens: readonly Token[]): void {
  const at = tokens[2]?.word === '.' ? 3 : 1;
  const { name, start } = tokens[at] ?? noToken;
  const pragma = name.toLowerCase();
  const rest = tokens.slice(at + 1);
  if (!isName(tokens[at] ?? noToken)) throw notARead({ message: 'the PRAGMA has no name', at: tokens[0]?.start ?? 0 });
  if (rest.length === 0 && (plainPragmas.has(pragma) || argumentPragmas.has(pragma))) return;
  if (argumentPragmas.has(pragma) && isOneArgument(rest)) return;
  const known = plainPragmas.has(pragma);
  const message = known
    ? `PRAGMA ${name} with a value changes a setting`
    : `PRAGMA ${name.slice(0, 60)} is not known to be a read`;
  const hint = known ? `Write PRAGMA ${name} alone to read it.` : undefined;
  throw notARead({ message, at: start, ...(hint !== undefined && { hint }) });
}

function isOneArgument([open, argument = noToken, close, ...more]: readonly Token[]): boolean {
  const isValue = isName(argument) || argument.kind === 'text' || argument.kind === 'number';
  return open?.word === '(' && isValue && close?.word === ')' && more.length === 0;
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE']);

/** These three are reserved, so that none of them is the name of something else. */
function checkQuery(tokens: readonly Token[], from: number): void {
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at] ?? noToken;
    const next = tokens[at + 1]?.word ?? '';
    if (changing.has(token.word) && tokens[at - 1]?.word !== '.')
      throw notARead({ message: `${token.word} is not a read`, at: token.start });
    if (token.word === 'REPLACE' && next === 'INTO') throw notARead({ message: 'REPLACE is not a read', at: token.start });
    if (isName(token) || token.kind === 'text') checkName(token, next);
  }
}

/** SQLite also takes a text as the name of a table. */
function checkName({ name: written, start }: Token, next: string): void {
  const name = written.toLowerCase();
  const isCall = next === '(';
  if (isCall && deniedFunctions.has(name))
    throw notARead({ message: `the function ${written} can load code or reach files`, hint: 'Query tables only.', at: start });
  if (deniedTables.has(name) || (isCall && deniedTableFunctions.has(name)))
    throw notARead({ message: `the table ${written} can reach files or raw pages`, hint: 'Query other tables.', at: start });
  if (name.startsWith('pragma_') && isCall && !isReadingPragmaTable(name))
    throw notARead({ message: `${written} is not known to be a read`, hint: 'Query other tables.', at: start });
}
