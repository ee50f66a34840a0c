import type { Failure, Hint } from '@dbmole/core';
import { formatEquivalent, keywordHint } from '../../../statement/keyword-hint.ts';

/** Explains placeholders: the server reports a wrong form of them as a syntax error or as an unknown column. */
export function hintFor(failure: Failure, sql: string): Hint | undefined {
  return placeholderHint(failure, sql) ?? keywordHint(failure, sql);
}

function placeholderHint({ code, message, position }: Failure, sql: string): Hint | undefined {
  const marked: Hint = {
    tool: 'Write placeholders as ? and pass their values as params.',
    cli: 'Write the values into the statement.',
  };
  if (code === 'E_UNKNOWN_COLUMN') return /'\$\d+'/.test(message) ? marked : undefined;
  if (code !== 'E_SYNTAX' || position === undefined) return undefined;
  const rest = sql.slice(position - 1);
  if (rest.startsWith('?'))
    return {
      tool: 'Use ? for values alone, passed as params; write names into the statement.',
      cli: 'Write the values into the statement.',
    };
  return /^:\w/.test(rest) ? marked : undefined;
}

/** Functions of other engines, and what does their work here. */
const equivalents: Readonly<Record<string, string>> = {
  age: 'TIMESTAMPDIFF(DAY, a, b)',
  array_agg: 'GROUP_CONCAT(x), or JSON_ARRAYAGG(x)',
  date_part: 'EXTRACT(YEAR FROM x)',
  date_trunc: "DATE_FORMAT(x, '%Y-%m-01')",
  getdate: 'NOW()',
  json_agg: 'JSON_ARRAYAGG(x)',
  jsonb_agg: 'JSON_ARRAYAGG(x)',
  len: 'CHAR_LENGTH(x)',
  listagg: 'GROUP_CONCAT(x)',
  nvl: 'IFNULL(a, b)',
  random: 'RAND()',
  regexp_matches: 'REGEXP_SUBSTR(x, pattern)',
  split_part: "SUBSTRING_INDEX(x, ',', 1)",
  string_agg: "GROUP_CONCAT(x SEPARATOR ',')",
  strpos: 'LOCATE(part, text)',
  to_char: "DATE_FORMAT(x, '%Y-%m-%d')",
  to_date: "STR_TO_DATE(x, '%Y-%m-%d')",
  to_timestamp: "STR_TO_DATE(x, '%Y-%m-%d')",
};

/** What does the work of a function that only other engines have. */
export function functionHint(name: string): string | undefined {
  return formatEquivalent(equivalents, name);
}
