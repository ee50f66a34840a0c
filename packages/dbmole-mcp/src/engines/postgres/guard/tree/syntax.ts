import { Failure } from '@dbmole/core/failure';
import { passAsList } from '../../../../next-steps.ts';
import { refusal } from '../refuse.ts';
import { type Parser, ParserError, parserMajor, type RawStatement, type Token } from '../thread/parser.ts';
import { positionAt, positionOfPoint } from './position.ts';

/** The single statement of the text. A syntax error is reported as the server would report it, without sending the text. */
export async function parseOne(sql: string, parser: Parser, openVersion: () => Promise<number>): Promise<unknown> {
  checkUnicode(sql);
  checkSize(sql);
  const [first, second] = await parseAll(sql, parser, openVersion);
  if (first?.stmt === undefined) throw new Failure('input', 'there is no statement in the text, only comments');
  if (second !== undefined) throw severalStatements(second, sql, parser);
  return first.stmt;
}

/** An unpaired surrogate is sent as another character, so the parser and the server would see different texts. */
function checkUnicode(sql: string): void {
  const half = sql.search(/\p{Surrogate}/u);
  if (half >= 0) throw new Failure('input', 'the statement contains half of a surrogate pair', { position: half + 1 });
}

/** Enough for a list of 100,000 values. The parser takes a second for them and blocks its thread. */
const maxTokens = 250_000;
const token = /'(?:[^']|'')*'|"[^"]*"|[\w$.\u0080-\uffff]+|[^\s\w]/g;

/** The count is approximate. A long text in quotes is one token. */
function checkSize(sql: string): void {
  if (sql.length <= maxTokens) return;
  let count = 0;
  for (token.lastIndex = 0; token.test(sql); ) count++;
  if (count <= maxTokens) return;
  throw new Failure('input', `the statement has ${count} tokens; at most ${maxTokens} are accepted`, {
    hint: 'Pass values as params, or read them from a table.',
  });
}

/**
 * A database that is not UTF-8 folds and cuts names beyond ASCII in ways of its own, so such a name may mean another object than the
 * one that was checked.
 */
export function refuseForeignNames(sql: string, parser: Parser): void {
  const name = findForeignName(sql, parser);
  if (name === undefined) return;
  throw refusal({
    message: `the name ${name.text} has characters beyond ASCII, which this database does not read as UTF-8`,
    hint: 'Use a view with an ASCII name, or a database whose encoding is UTF8.',
    position: positionAt(sql, name.start),
  });
}

/** Outside of literals and comments. */
export function findForeignName(text: string, parser: Parser): Token | undefined {
  if (!/[^\t-\r -~]|u&"/i.test(text)) return undefined;
  const isLiteral = ({ text: token, tokenName }: Token) => /^['$]|^[ebnx]'|^u&'/i.test(token) || tokenName.endsWith('_COMMENT');
  return parser.scan(text).find((token) => !isLiteral(token) && /[^\t-\r -~]|^u&/i.test(token.text));
}

async function parseAll(sql: string, parser: Parser, openVersion: () => Promise<number>): Promise<readonly RawStatement[]> {
  try {
    return parser.parse(sql);
  } catch (error) {
    throw error instanceof ParserError ? await syntaxFailure(error, sql, openVersion) : unreadable(error);
  }
}

async function syntaxFailure({ message, at }: ParserError, sql: string, openVersion: () => Promise<number>): Promise<Failure> {
  const version = await openVersion().catch(() => parserMajor);
  const newer = `Reads are checked by the grammar of PostgreSQL ${parserMajor}, and this server is ${version}: if it is new syntax, write it the older way.`;
  return new Failure('engine', message, {
    code: 'E_SYNTAX',
    engineCode: '42601',
    ...(at < 0 ? {} : { position: positionOfPoint(sql, at) }),
    ...(version > parserMajor ? { hint: newer } : {}),
  });
}

/** The parser ran out of stack or memory. */
function unreadable(cause: unknown): Failure {
  const message = 'the statement is nested too deeply, or too long, to be checked';
  return refusal({ message, hint: 'Make it simpler, and pass values as params.', position: undefined, cause });
}

function severalStatements({ stmt_location }: RawStatement, sql: string, parser: Parser): Failure {
  const from = stmt_location ?? 0;
  const token = parser.scan(sql).find(({ start, tokenName }) => start >= from && !tokenName.endsWith('_COMMENT'));
  return new Failure('input', 'the text has several statements', {
    code: 'E_MULTIPLE_STATEMENTS',
    hint: passAsList,
    ...(token === undefined ? {} : { position: positionAt(sql, token.start) }),
  });
}
