import { expect, it } from 'vitest';
import { estimateCost } from './pattern-cost.ts';

const limit = 10;

it.each([
  '\\s+',
  '[^a-z0-9]+',
  '\\W+',
  '(?<=\\p{Ll})(?=\\p{Lu})',
  '([^\\p{L}\\d]+)|(?<=\\D)(?=\\d)|(?<=\\d)(?=\\D)|(?<=[\\p{L}&&[^\\p{Lu}]])(?=\\p{Lu})|(?<=\\p{Lu})(?=\\p{Lu}[\\p{L}&&[^\\p{Lu}]])',
  '(\\p{Ll}+|\\p{Lu}\\p{Ll}+|\\p{Lu}+)',
  '(?i)password=\\S+',
  '^(\\S+) (\\S+) \\[(.*)\\]$',
  '(?:ab)+',
  '\\d{4}-\\d{2}-\\d{2}',
  '[]\\[]+',
  '[\\p{Alpha}+*(]{2,3}',
  '(?:http|https)://',
  '\\{1,2\\}',
  '{a',
])('a pattern that ends soon may run on a line of text: %s', (pattern) => {
  expect(estimateCost(pattern, 400)).toBeLessThanOrEqual(limit);
});

it.each([
  '((a|aa)+)+\\2b',
  '(a+)+b',
  '(a|aa)+b',
  '(a?){40}',
  '(a{1,9}){20}b',
  '(?:a*)*b',
  '(?:(?:x)?y?)+',
  '(.*)\\1',
  '(?<n>a)\\k<n>',
  '(?x)a',
  '(?ix: a)',
  '\\Q(\\E',
  '[a\\Q]\\E]',
  '[\\c]]',
  '[a',
  '[[a]',
  '(a',
  'a)',
  'a{,3}',
  '+a',
  'a**',
  'a|*b',
  '(?#[)(a+)+b(?#])',
  '(a)\\g1',
  '.*.*.*.*.*.*.*b',
  'a?'.repeat(40),
  '(a|b)'.repeat(40),
  '(?=(a+)+b)',
  'a]((a|aa)+)+b',
  '[]]((a|aa)+)+b',
  '[^]]((a|aa)+)+b',
  'x'.repeat(3_000),
])('a pattern that may run for days is found: %s', (pattern) => {
  expect(estimateCost(pattern, 400)).toBeGreaterThan(limit);
});

it('a longer text allows fewer repetitions', () => {
  expect(estimateCost('a*b*c*', 200)).toBeLessThanOrEqual(limit);
  expect(estimateCost('a*b*c*', 5_000)).toBeGreaterThan(limit);
});
