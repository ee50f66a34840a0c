import type { Failure } from '@dbmole/core';
import { beginning } from '../../first-words.ts';

const syntaxError = '42601';
const unknownParameter = '42704';

/** How it is done here, for who writes in another engine's way: PostgreSQL says only that it does not understand. */
export function hintFor(failure: Failure, sql: string): string | undefined {
  return placeholderHint(failure, sql) ?? dialectHint(failure, sql);
}

/** What other engines, and a well-known terminal, take as a question about the schema or a change of database. */
const foreign = beginning(
  String.raw`(?:(use)|desc|describe|show\s+(?:full\s+)?(?:create|tables?|databases|schemas|columns|index(?:es)?|keys|views)|\\\w+)\b`,
);

function dialectHint({ engineCode }: Failure, sql: string): string | undefined {
  if (engineCode !== syntaxError && engineCode !== unknownParameter) return undefined;
  const found = foreign.exec(sql);
  if (found === null) return undefined;
  return found[1] === undefined
    ? 'Use list_tables, describe_table, search_schema or list_databases for that.'
    : 'Pass `database` instead.';
}

function placeholderHint({ engineCode, position }: Failure, sql: string): string | undefined {
  if (engineCode !== syntaxError || position === undefined) return undefined;
  const isOther = /^(?::\w|\?)/.test(sql.slice(position - 1)) || isBehindMark(sql, position);
  return isOther ? 'Placeholders are written $1, $2 here, and their values are given in params.' : undefined;
}

/** There is an operator of that name too, so the complaint may be about what follows it. */
function isBehindMark(sql: string, position: number): boolean {
  return sql
    .slice(0, position - 1)
    .trimEnd()
    .endsWith('?');
}
