import type { Failure } from '@dbmole/core';

/** How placeholders are written here: who mixes them up is told of a syntax error, or of a column that is none. */
export function hintFor({ code, message, position }: Failure, sql: string): string | undefined {
  const marked = 'Placeholders are written ? here, and their values are given in params.';
  if (code === 'E_UNKNOWN_COLUMN') return /'\$\d+'/.test(message) ? marked : undefined;
  if (code !== 'E_SYNTAX' || position === undefined) return undefined;
  const rest = sql.slice(position - 1);
  if (rest.startsWith('?')) return 'A ? stands for a value, which is given in params; a name cannot be one.';
  return /^:\w/.test(rest) ? marked : undefined;
}
