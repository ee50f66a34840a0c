import { describe, expect, it } from 'vitest';
import { formatLike, formatLikePart } from './name-parts.ts';

describe('formatLike', () => {
  it.each([
    ['order', '%order%'],
    ['order*', 'order%'],
    ['t?', 't_'],
    ['a_b', '%a\\_b%'],
    ['100%*', '100\\%%'],
    ['back\\slash', '%back\\\\slash%'],
    ['', '%%'],
  ])('writes %j as %j', (pattern, like) => {
    expect(formatLike(pattern)).toBe(like);
  });

  it('takes a part as it is', () => {
    expect(formatLikePart('a*_?')).toBe('%a*\\_?%');
  });
});
