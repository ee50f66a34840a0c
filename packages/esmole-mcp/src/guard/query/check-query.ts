import { Failure } from '@dbmole/core';
import { mayReadAll } from '../body/index-mentions.ts';
import { modelFailure } from '../body/model-calls.ts';
import { checkPatternAlone } from '../body/pattern-cost.ts';
import { checkNames, type IndexRules } from '../index-names.ts';
import { isModelFunction, isPatternFunction, readEsqlSources } from './esql-sources.ts';
import { esqlDialect, openSearchSqlDialect, pplDialect, sqlDialect } from './quotes.ts';
import { type QuerySources, removeSchema, Scanner, type Token, UnreadableQuery } from './scanner.ts';
import { readOpenSearchSqlSources, readSqlSources } from './sql-sources.ts';

/** How each language separates and quotes. */
export const dialects = {
  esql: esqlDialect,
  sql: sqlDialect,
  'opensearch sql': openSearchSqlDialect,
  ppl: pplDialect,
};

const readers = {
  esql: readEsqlSources,
  sql: readSqlSources,
  'opensearch sql': readOpenSearchSqlSources,
  ppl: readPplSources,
} satisfies Record<string, (text: string) => QuerySources>;

export type QueryLanguage = keyof typeof readers;

const maxCharacters = 20_000;

/**
 * A text names indices in the middle of what else it says. Throws where it names one that may not be read, or where it cannot be read for
 * sure; and then for a command that does more than read.
 */
export function checkQueryText(text: string, language: QueryLanguage, rules: IndexRules): { readonly takesParams: boolean } {
  if (text.length > maxCharacters) {
    throw textFailure(`the query has ${text.length} characters: expected at most ${maxCharacters}`, 'Pass values as `params`.');
  }
  if (rules.indices !== undefined) {
    throw textFailure(
      'the indices of a query text cannot be checked, and this connection may read only some',
      'Use _search, with the index in the path.',
    );
  }
  const { lists, acting, model, patterns = [], computing, takesParams = false } = readSources(text, language, rules);
  if (!mayReadAll(rules)) for (const names of lists) checkNames(names, rules);
  if (acting !== undefined)
    throw new Failure('refused', `${acting} reaches outside the cluster`, { code: 'E_NOT_A_READ', hint: `Leave ${acting} out.` });
  if (model !== undefined && rules.models !== true) throw modelFailure(model);
  if (computing !== undefined) throw computingFailure(computing);
  for (const pattern of patterns) checkPatternAlone(pattern);
  return { takesParams };
}

/** The same for a parameter that is the name of a function, or a pattern. */
export function checkQueryParam(value: string, rules: IndexRules): void {
  if (isModelFunction(value) && rules.models !== true) throw modelFailure(`${value}()`);
  if (isPatternFunction(value)) throw computingFailure(value);
  checkPatternAlone(value);
}

function computingFailure(name: string): Failure {
  return new Failure('refused', `the pattern of ${name}() is computed, and could keep a node busy for days`, {
    code: 'E_NOT_A_READ',
    hint: 'Write the name of the function and its pattern into the query, as in REPLACE(field, "[0-9]+", "n").',
  });
}

function readSources(text: string, language: QueryLanguage, rules: IndexRules): QuerySources {
  try {
    return readers[language](text);
  } catch (error) {
    if (!(error instanceof UnreadableQuery)) throw error;
    const part = JSON.stringify(text.slice(error.at, error.at + 20));
    const message = `the query has ${error.message}, at character ${error.at + 1} (${part}); after it, the query could name a hidden index`;
    const hint = 'Simplify it, and write no comment before the name of an index.';
    throw mayReadAll(rules) ? new Failure('refused', message, { code: 'E_NOT_A_READ', hint }) : textFailure(message, hint);
  }
}

function textFailure(message: string, hint: string): Failure {
  return new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint });
}

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
function readPplSources(text: string): QuerySources {
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
