import { Failure } from '@dbmole/core';
import { mayReadAll } from '../body/index-mentions.ts';
import { modelFailure } from '../body/model-calls.ts';
import { checkPatternAlone } from '../body/pattern-cost.ts';
import { checkNames, type IndexRules } from '../index-names.ts';
import { isModelFunction, isPatternFunction, readEsqlSources } from './esql-sources.ts';
import { readPplSources } from './ppl-sources.ts';
import { esqlDialect, openSearchSqlDialect, pplDialect, sqlDialect } from './quotes.ts';
import { type QuerySources, UnreadableQuery } from './scanner.ts';
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

const titles: Readonly<Record<QueryLanguage, string>> = { esql: 'ES|QL', sql: 'SQL', 'opensearch sql': 'SQL', ppl: 'PPL' };

const maxCharacters = 20_000;

/**
 * A text names indices in the middle of what else it says. Throws where it names one that may not be read, or where it cannot be read for
 * sure; and then for a command that does more than read.
 */
export function checkQueryText(text: string, language: QueryLanguage, rules: IndexRules): { readonly takesParams: boolean } {
  if (text.length > maxCharacters) {
    throw textFailure(`the query has ${text.length} characters: expected at most ${maxCharacters}`, 'Pass values as `params`.');
  }
  if (rules.indices !== undefined && language !== 'esql') {
    throw textFailure(
      `the indices of a text in ${titles[language]} cannot be checked, and this connection may read only some`,
      'Use _search, with the index in the path.',
    );
  }
  const {
    lists,
    policy,
    acting,
    unlisted,
    model,
    patterns = [],
    computing,
    takesParams = false,
  } = readSources(text, language, rules);
  if (!mayReadAll(rules)) for (const names of lists) checkNames(names, rules);
  if (rules.indices !== undefined && policy !== undefined) throw policyFailure(policy);
  if (acting !== undefined)
    throw new Failure('refused', `${acting} reaches outside the cluster`, { code: 'E_NOT_A_READ', hint: `Leave ${acting} out.` });
  if (unlisted !== undefined) throw unlistedFailure(unlisted, language);
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

/** What a policy adds comes from an index that a query does not name. */
function policyFailure(policy: string): Failure {
  const message = `the policy ${JSON.stringify(policy)} of ENRICH reads an index of its own, and this connection may read only some`;
  return textFailure(message, 'Use LOOKUP JOIN with an index that the connection may read.');
}

function unlistedFailure(command: string, language: QueryLanguage): Failure {
  return new Failure('refused', `${JSON.stringify(command.slice(0, 40))} is not on the list of reads in ${titles[language]}`, {
    code: 'E_NOT_A_READ',
    hint: language === 'ppl' ? 'Begin with source=INDEX, and use commands that only read.' : 'Use one SELECT, SHOW or DESCRIBE.',
  });
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
    const [part] = text.slice(error.at, error.at + 20).split('\n', 1);
    const { nearest } = error;
    const message = `the query has ${error.message}, at character ${error.at + 1} (${JSON.stringify(part)}); after it, the query could name a hidden index`;
    const hint =
      nearest.length === 0
        ? 'Simplify it, and write no comment before the name of an index.'
        : 'Correct the command, or leave it out.';
    throw new Failure('refused', message, { code: mayReadAll(rules) ? 'E_NOT_A_READ' : 'E_INDEX_REFUSED', hint, nearest });
  }
}

function textFailure(message: string, hint: string): Failure {
  return new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint });
}
