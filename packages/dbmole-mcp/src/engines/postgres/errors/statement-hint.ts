import type { Failure, Hint } from '@dbmole/core';
import { seeColumns, seeDatabases, seeTables } from '../../../next-steps.ts';
import { keywordHint } from '../../../statement/keyword-hint.ts';
import { beginning } from '../session/grammar.ts';

const syntaxError = '42601';
const unknownParameter = '42704';

/** Explains what PostgreSQL has instead of the dialects of other engines, of which it only says that it does not understand them. */
export function hintFor(failure: Failure, sql: string): Hint | undefined {
  return placeholderHint(failure, sql) ?? dialectHint(failure, sql) ?? operatorHint(failure) ?? keywordHint(failure, sql);
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

const undefinedOperator = '42883';
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
