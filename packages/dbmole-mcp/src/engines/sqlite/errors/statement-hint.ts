import type { Failure, Hint } from '@dbmole/core';
import { formatEquivalent, keywordHint } from '../../../statement/keyword-hint.ts';

/** Explains functions and words of other engines. */
export function hintFor(failure: Failure, sql: string): Hint | undefined {
  const [, name] = failure.code === 'E_UNKNOWN_FUNCTION' ? (/no such function: (\w+)/.exec(failure.message) ?? []) : [];
  return (name === undefined ? undefined : functionHint(name)) ?? keywordHint(failure, sql);
}

/** Functions of other engines, and what does their work here. */
const equivalents: Readonly<Record<string, string>> = {
  age: 'julianday(a) - julianday(b)',
  array_agg: 'json_group_array(x)',
  date_format: "strftime('%Y-%m-%d', x)",
  date_part: "strftime('%Y', x)",
  date_trunc: "strftime('%Y-%m-01', x)",
  getdate: "datetime('now')",
  json_agg: 'json_group_array(x)',
  jsonb_agg: 'json_group_array(x)',
  left: 'substr(x, 1, n)',
  len: 'length(x)',
  listagg: 'group_concat(x)',
  now: "datetime('now')",
  nvl: 'ifnull(a, b)',
  rand: 'random()',
  right: 'substr(x, -n)',
  strpos: 'instr(x, part)',
  to_char: "strftime('%Y-%m-%d', x)",
  year: "strftime('%Y', x)",
};

/** What does the work of a function that only other engines have. */
function functionHint(name: string): string | undefined {
  return formatEquivalent(equivalents, name.toLowerCase());
}
