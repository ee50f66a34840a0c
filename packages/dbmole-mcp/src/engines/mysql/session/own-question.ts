import { Failure } from '@dbmole/core/failure';
import type { Param } from '../../../engine.ts';
import { encodedPrefix } from '../guard/text/lexer.ts';
import { formatLiteral } from '../values/literal.ts';

const query = /^\s*(?:select|with|\()/i;
const bounded = /\blimit [?\d]+(?: offset [?\d]+)?$/i;
/** Strings and quoted names, in which a question mark is not a placeholder. */
const parts = /'[^']*'|"[^"]*"|`[^`]*`|\?/g;

/**
 * Formats a catalog question as one text, because binding its values takes three more round trips. Its LIMIT is part of the text, so
 * that the row limit of another read does not apply. Only texts of this program come here, so simple patterns suffice.
 */
export function formatQuestion(sql: string, params: readonly Param[], maxRows: number): string {
  const limited = query.test(sql) && !bounded.test(sql) ? `${sql}\nlimit ${maxRows}` : sql;
  if (params.length === 0) return limited;
  if (params.some((value) => typeof value === 'string' && value.includes(encodedPrefix)))
    throw new Failure(
      'input',
      `names with the prefix ${encodedPrefix} cannot be looked up: the server would keep their tables open`,
    );
  const values = params.values();
  return limited.replace(parts, (part) => (part === '?' ? formatLiteral(values.next().value ?? null) : part));
}
