import { reservedWords } from '../known-functions.ts';
import { notARead } from '../refuse.ts';
import { readQuery, type WithName } from './query.ts';
import { noToken, type Token } from './tokens.ts';
import { isVerb, refuseVerb } from './verbs.ts';

/** The kind of a statement, and what the names in it mean. */
export interface Statement {
  /** The statement reads its tables instead of describing them. */
  runs: boolean;
  /** The index of the first token after the options. */
  from: number;
  /** The statement contains a query, in which PROCEDURE is a clause. */
  query: boolean;
  /** The database of names without one, if the statement names it. */
  schema?: string | undefined;
  names: readonly WithName[];
}

const description: Statement = { runs: false, from: 0, query: false, names: [] };
const queryWords: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', '(']);

/** Reads `EXPLAIN [options] query` or `DESCRIBE table [column]`. */
export function readExplain(sql: string, tokens: readonly Token[]): Statement {
  if (isDescription(tokens)) return description;
  const { at, schema } = readOptions(tokens);
  const token = tokens[at] ?? noToken;
  if (isVerb(token.word)) refuseVerb(token, sql, `${tokens[0]?.word} `);
  return { runs: true, from: at, query: true, schema, names: readQuery(sql, tokens, at) };
}

/** Reads `ANALYZE`, `FORMAT = x`, `FOR SCHEMA x` and others; `refuseClauses` refuses INTO. */
function readOptions(tokens: readonly Token[]): { at: number; schema: string | undefined } {
  let at = 1;
  let schema: string | undefined;
  for (;;) {
    const { word } = tokens[at] ?? noToken;
    if (word === 'FORMAT') at += 3;
    else if (word === 'INTO') at += 2;
    else if (word === 'ANALYZE' || word === 'EXTENDED' || word === 'PARTITIONS') at += 1;
    else if (word === 'FOR') {
      schema = readSchema(tokens, at);
      at += 3;
    } else return { at, schema };
  }
}

function readSchema(tokens: readonly Token[], at: number): string | undefined {
  const { word } = tokens[at + 1] ?? noToken;
  if (word === 'SCHEMA' || word === 'DATABASE') return tokens[at + 2]?.name;
  throw notARead({
    message: 'EXPLAIN FOR CONNECTION reveals a statement of another session',
    hint: 'Explain the statement itself.',
    at: tokens[at]?.start ?? 0,
  });
}

/** Whether this is a table with an optional column or pattern. A query begins with a word that cannot be a table. */
function isDescription(tokens: readonly Token[]): boolean {
  const { word } = tokens[1] ?? noToken;
  if (tokens.length < 2 || queryWords.has(word) || reservedWords.has(word)) return false;
  const rest = tokens.slice(tokens[2]?.word === '.' ? 4 : 2);
  return rest.length < 2 && rest.every(({ kind }) => kind === 'word' || kind === 'quoted' || kind === 'text');
}

/** Reads MariaDB's `ANALYZE [FORMAT = JSON] query`, and refuses the statement that writes statistics. */
export function readAnalyze(sql: string, tokens: readonly Token[]): Statement {
  const at = tokens[1]?.word === 'FORMAT' ? 4 : 1;
  const token = tokens[at] ?? noToken;
  if (isVerb(token.word)) refuseVerb(token, sql, 'ANALYZE ');
  if (token.word === 'TABLE' || !queryWords.has(token.word)) refuseVerb(tokens[0] ?? noToken, sql);
  return { runs: true, from: at, query: true, names: readQuery(sql, tokens, at) };
}
