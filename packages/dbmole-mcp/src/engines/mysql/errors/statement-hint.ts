import type { Failure, Hint } from '@dbmole/core';
import { keywordHint } from '../../../statement/keyword-hint.ts';

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
