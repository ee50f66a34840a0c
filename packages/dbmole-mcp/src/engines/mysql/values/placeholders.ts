import type { PlaceholderStyle } from '../../../engine.ts';

const comment = /(?:#|--(?=\s|$))[^\n]*|\/\*[\s\S]*?\*\//y;
const quoted = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`/y;
const word = /[\w$\u0080-\uffff]+/y;

export const placeholders: PlaceholderStyle = {
  skip(sql, at) {
    for (const pattern of [comment, quoted, word]) {
      pattern.lastIndex = at;
      if (pattern.test(sql)) return pattern.lastIndex;
    }
    // What would have matched if it were closed.
    return /['"`]/.test(sql.charAt(at)) || sql.startsWith('/*', at) ? -1 : at;
  },
  own: /\?/y,
  ownForm: '?',
  format: () => '?',
  isNumbered: false,
  listForm: undefined,
  // A text with a zone is read by some versions only.
  formatTimestamp: (text) => (/(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10)) ? undefined : text.replace('T', ' ')),
};
