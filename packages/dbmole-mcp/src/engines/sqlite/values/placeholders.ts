import { Failure } from '@dbmole/core';
import type { Param, PlaceholderStyle } from '../../../engine.ts';
import { passParams } from '../../../next-steps.ts';
import { tokenize } from '../guard/text/lexer.ts';

const comment = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y;
const word = /[\w$\u0080-\uffff]+/y;

export const placeholders: PlaceholderStyle = {
  skip(sql, at) {
    for (const pattern of [comment, quoted, word]) {
      pattern.lastIndex = at;
      if (pattern.test(sql)) return pattern.lastIndex;
    }
    // What would have matched if it were closed.
    return /['"`[]/.test(sql.charAt(at)) ? -1 : at;
  },
  own: /\?\d*/y,
  ownForm: '?',
  format: () => '?',
  isNumbered: false,
  listForm: undefined,
  // SQLite keeps times as texts in this form.
  formatTimestamp: (text) => (/(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10)) ? undefined : text.replace('T', ' ')),
};

interface Binding {
  /** The values by the number of their placeholder. */
  params: readonly Param[];
  names: readonly (string | null)[];
}

/** Finds the value and the name of each placeholder. */
export function bindParams(sql: string, params: readonly Param[]): Binding {
  if (params.length === 0 && !/[?:@$#]/.test(sql)) return { params, names: [] };
  const names = numberPlaceholders(sql);
  if (names.length === params.length) return { params, names };
  const given = `${params.length} ${params.length === 1 ? 'param was' : 'params were'} given`;
  throw new Failure('input', `the statement has ${names.length} placeholders, and ${given}`, {
    code: 'E_PARAMS',
    hint: params.length === 0 ? passParams : 'Pass one param for each placeholder.',
  });
}

/** The number of values that a statement takes. */
export function countPlaceholders(sql: string): number {
  return numberPlaceholders(sql).length;
}

const maxNumber = 32_766;

/** The numbers that SQLite gives placeholders: `?` takes the next one, `?3` says its own, and a name keeps the one of its first place. */
function numberPlaceholders(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  for (const { kind, name } of tokenize(sql)) {
    const number = kind === 'variable' ? findNumber(name, names) : 0;
    if (number > maxNumber) throw new Failure('input', `the placeholder ${name} is beyond ?${maxNumber}`, { code: 'E_PARAMS' });
    while (names.length < number) names.push(null);
    if (number > 0 && !name.startsWith('?')) names[number - 1] = name;
  }
  return names;
}

function findNumber(name: string, names: readonly (string | null)[]): number {
  if (name === '?') return names.length + 1;
  if (name.startsWith('?')) return Math.max(1, Number(name.slice(1)));
  const known = names.indexOf(name);
  return known < 0 ? names.length + 1 : known + 1;
}
