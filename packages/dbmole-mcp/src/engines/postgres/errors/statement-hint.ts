import type { Failure, Hint } from '@dbmole/core';
import { seeColumns, seeDatabases, seeTables } from '../../../next-steps.ts';
import { formatEquivalent, keywordHint } from '../../../statement/keyword-hint.ts';
import { beginning } from '../session/grammar.ts';

const syntaxError = '42601';
const unknownParameter = '42704';

/** Explains what PostgreSQL has instead of the dialects of other engines, of which it only says that it does not understand them. */
export function hintFor(failure: Failure, sql: string): Hint | undefined {
  return (
    placeholderHint(failure, sql) ??
    dialectHint(failure, sql) ??
    operatorHint(failure) ??
    functionHint(failure, sql) ??
    quoteHint(failure, sql) ??
    keywordHint(failure, sql)
  );
}

/** What other engines, and a well-known terminal, take as a question about the schema or a change of database. */
const foreign = beginning(
  String.raw`(?:(use)|desc|describe|show\s+(?:full\s+)?(?:create|tables?|databases|schemas|columns|index(?:es)?|keys|views)|\\\w+)\b`,
);

function dialectHint({ engineCode }: Failure, sql: string): Hint | undefined {
  if (engineCode !== syntaxError && engineCode !== unknownParameter) return undefined;
  const found = foreign.exec(sql);
  if (found === null) return undefined;
  return found[1] === undefined
    ? [seeTables, seeColumns, seeDatabases]
    : { tool: 'Pass `database` instead.', cli: 'Pass --database instead.' };
}

/** The server gives this code for unknown functions as well. */
const undefinedOperator = '42883';

/** Functions of other engines, and what does their work here. */
const equivalents: Readonly<Record<string, string>> = {
  charindex: 'strpos(text, part)',
  curdate: 'current_date',
  date_add: "x + interval '1 day'",
  date_format: "to_char(x, 'YYYY-MM-DD')",
  date_sub: "x - interval '1 day'",
  datediff: 'a::date - b::date',
  day: 'extract(day from x)',
  from_unixtime: 'to_timestamp(x)',
  getdate: 'now()',
  group_concat: "string_agg(x::text, ',')",
  if: 'case when a then b else c end',
  ifnull: 'coalesce(a, b)',
  instr: 'strpos(text, part)',
  isnull: 'x is null, or coalesce(a, b)',
  json_extract: "x::jsonb -> 'key'",
  len: 'length(x)',
  locate: 'strpos(text, part)',
  month: 'extract(month from x)',
  nvl: 'coalesce(a, b)',
  rand: 'random()',
  str_to_date: "to_timestamp(x, 'YYYY-MM-DD')",
  substring_index: "split_part(x, ',', 1)",
  sysdate: 'now()',
  unix_timestamp: 'extract(epoch from x)',
  year: 'extract(year from x)',
};

function functionHint({ engineCode, position }: Failure, sql: string): string | undefined {
  if (engineCode !== undefinedOperator || position === undefined) return undefined;
  return formatEquivalent(equivalents, /^(\w{1,63})\s*\(/.exec(sql.slice(position - 1, position + 100))?.[1]);
}

const undefinedColumn = '42703';

/** A text in double quotes is a name here. */
function quoteHint({ engineCode, position }: Failure, sql: string): Hint | undefined {
  const isQuoted = engineCode === undefinedColumn && position !== undefined && sql[position - 1] === '"';
  return isQuoted ? ['Write a text in single quotes: double quotes are for names.', seeColumns] : undefined;
}

/** A literal whose type was not decided. */
const literalType = 'unknown';
const operatorTypes = /operator does not exist: ([\w .[\]]{1,60}) \S{1,10} ([\w .[\]]{1,60})”/;

function operatorHint({ engineCode, message }: Failure): string | undefined {
  const [, left, right] = engineCode === undefinedOperator ? (operatorTypes.exec(message) ?? []) : [];
  if (left === undefined || right === undefined || left === right) return undefined;
  // A literal takes the type of the other side, so the operator does not exist for that type.
  const known = left === literalType ? right : left;
  return left === literalType || right === literalType
    ? `This operator does not take ${known}: cast that side to a type that has it, such as ::numeric, ::date or ::timestamp.`
    : `Cast one side: the left one with ::${right}, or the right one with ::${left}.`;
}

function placeholderHint({ engineCode, position }: Failure, sql: string): Hint | undefined {
  if (engineCode !== syntaxError || position === undefined) return undefined;
  const isOther = /^(?::\w|\?)/.test(sql.slice(position - 1)) || isBehindMark(sql, position);
  return isOther
    ? { tool: 'Write placeholders as $1, $2 and pass their values as params.', cli: 'Write the values into the statement.' }
    : undefined;
}

/** There is an operator of that name too, so the complaint may be about what follows it. */
function isBehindMark(sql: string, position: number): boolean {
  return sql
    .slice(0, position - 1)
    .trimEnd()
    .endsWith('?');
}
