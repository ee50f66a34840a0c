import type { PlaceholderStyle } from '../../../engine.ts';
import { endOfElement, endOfMatch, findCommentEnd, space } from './elements.ts';

export const placeholders: PlaceholderStyle = {
  skip(sql, at) {
    if (sql.startsWith('/*', at)) return findCommentEnd(sql, at);
    const behind = endOfMatch(space, sql, at);
    if (behind >= 0) return behind;
    return /[\w'"$\u0080-\uffff]/.test(sql.charAt(at)) && !/^\$\d/.test(sql.slice(at, at + 2)) ? endOfElement(sql, at) : at;
  },
  own: /\$\d+/y,
  ownForm: '$1',
  format: (number) => `$${number}`,
  isNumbered: true,
  listForm: (name) => `= any(:${name})`,
  formatTimestamp: (text) => text,
};
