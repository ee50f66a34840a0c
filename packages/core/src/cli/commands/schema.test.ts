import { expect, it } from 'vitest';
import { diffLines } from './schema.ts';

it('shows changed lines next to each other, the earlier one first', () => {
  const earlier = ['a table', 'a.id int', 'a.name text', 'b table'];
  const now = ['a table', 'a.id bigint', 'a.name text', 'c table'];
  expect(diffLines(earlier, now)).toEqual(['- a.id int', '+ a.id bigint', '- b table', '+ c table']);
  expect(diffLines(now, now)).toEqual([]);
});

it('does not mind another order', () => {
  expect(diffLines(['a', 'b'], ['b', 'a'])).toEqual([]);
});
