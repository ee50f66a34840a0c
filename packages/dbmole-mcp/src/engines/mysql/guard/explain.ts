import { isReserved } from './known-functions.ts';
import { readQuery, type WithName } from './query.ts';
import { notARead } from './refuse.ts';
import { noToken, type Token } from './tokens.ts';
import { isVerb, refuseVerb } from './verbs.ts';

/** What kind of statement it is, and where the names in it mean what. */
export interface Statement {
  /** The tables in it are read, not described. */
  runs: boolean;
  /** Behind the options. */
  from: number;
  /** Of the query in it, PROCEDURE is a clause. */
  query: boolean;
  /** Where names without a database are looked for, if it says so. */
  schema?: string | undefined;
  names: readonly WithName[];
}

const description: Statement = { runs: false, from: 0, query: false, names: [] };
const queryWords: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', '(']);

/** `EXPLAIN [options] query`, or `DESCRIBE table [column]`. */
export function readExplain(sql: string, tokens: readonly Token[]): Statement {
  if (isDescription(tokens)) return description;
  const { at, schema } = readOptions(tokens);
  const token = tokens[at] ?? noToken;
  if (isVerb(token.word)) refuseVerb(token, sql, `${tokens[0]?.word} `);
  return { runs: true, from: at, query: true, schema, names: readQuery(sql, tokens, at) };
}

/** `ANALYZE`, `FORMAT = x`, `FOR SCHEMA x` and others; INTO is refused where all clauses are. */
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
    message: 'EXPLAIN FOR CONNECTION looks into a statement of another session',
    hint: 'Explain the statement itself.',
    at: tokens[at]?.start ?? 0,
  });
}

/** `table`, `database.table`, and then perhaps a column or a pattern. What may be explained begins with a word that no table has. */
function isDescription(tokens: readonly Token[]): boolean {
  const { word } = tokens[1] ?? noToken;
  if (tokens.length < 2 || queryWords.has(word) || isReserved(word, false)) return false;
  const rest = tokens.slice(tokens[2]?.word === '.' ? 4 : 2);
  return rest.length < 2 && rest.every(({ kind }) => kind === 'word' || kind === 'quoted' || kind === 'text');
}

/** MariaDB's `ANALYZE [FORMAT = JSON] query`, and not the statement that writes statistics. */
export function readAnalyze(sql: string, tokens: readonly Token[]): Statement {
  const at = tokens[1]?.word === 'FORMAT' ? 4 : 1;
  const token = tokens[at] ?? noToken;
  if (isVerb(token.word)) refuseVerb(token, sql, 'ANALYZE ');
  if (token.word === 'TABLE' || !queryWords.has(token.word)) refuseVerb(tokens[0] ?? noToken, sql);
  return { runs: true, from: at, query: true, names: readQuery(sql, tokens, at) };
}
