import type { Failure } from '@dbmole/core';
import { beginning } from './first-words.ts';

/** What other engines, and a well-known terminal, take as a question about the schema or a change of database. */
const foreign = beginning(
  String.raw`(?:(use)|desc|describe|show\s+(?:full\s+)?(?:create|tables?|databases|schemas|columns|index(?:es)?|keys|views)|\\\w+)\b`,
);

/** PostgreSQL says only that it does not understand. */
export function dialectHint({ engineCode }: Failure, sql: string): string | undefined {
  if (engineCode !== '42601' && engineCode !== '42704') return undefined;
  const found = foreign.exec(sql);
  if (found === null) return undefined;
  return found[1] === undefined
    ? 'Use list_tables, describe_table, search_schema or list_databases for that.'
    : 'Pass `database` instead.';
}

const numbered = 'Placeholders are written $1, $2 here, and their values are given in params.';
const marked = 'Placeholders are written ? here, and their values are given in params.';
const valuesOnly = 'A ? stands for a value, which is given in params; a name cannot be one.';

/** The two families write placeholders in two ways, and who mixes them up is told of a syntax error or of a column that is none. */
export function placeholderHint({ code, message, engineCode = '', position }: Failure, sql: string): string | undefined {
  if (code === 'E_UNKNOWN_COLUMN') return /'\$\d+'/.test(message) ? marked : undefined;
  if (code !== 'E_SYNTAX' || position === undefined) return undefined;
  const rest = sql.slice(position - 1);
  const named = /^:\w/.test(rest);
  const marks = rest.startsWith('?');
  if (engineCode === '42601') return named || marks || beforeMark(sql, position) ? numbered : undefined;
  if (marks) return valuesOnly;
  return named ? marked : undefined;
}

/** There is an operator of that name too, so the complaint may be about what follows it. */
function beforeMark(sql: string, position: number): boolean {
  return sql
    .slice(0, position - 1)
    .trimEnd()
    .endsWith('?');
}
