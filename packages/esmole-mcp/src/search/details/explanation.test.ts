import { expect, it } from 'vitest';
import { formatExplanation } from './explanation.ts';

const part = (description: string, value: number, details: readonly object[] = []) => ({ description, value, details });
const term = (name: string, value: number) =>
  part(`weight(${name} in 7) [PerFieldSimilarity], result of:`, value, [
    part('score(freq=1.0), computed as boost * idf * tf from:', value, [
      part('boost', 2.2),
      part('idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:', 1.5, [part('n, number of documents', 3)]),
      part('tf, computed as freq / (freq + k1) from:', 0.4, [part('freq, occurrences', 1)]),
    ]),
  ]);
const condition = part('match on required clause, product of:', 0, [part('# clause', 0), part('FieldExistsQuery [field=_x]', 1)]);

it('tells which terms gave how much, without conditions that add nothing', () => {
  const json = 'title:json 1.3 (boost 2.2, idf 1.5, tf 0.4)';
  expect(formatExplanation(part('sum of:', 1.3, [term('title:json', 1.3), condition]))).toBe(json);
  expect(formatExplanation(part('sum of:', 3.3, [term('title:json', 1.3), term('title:library', 2)]))).toBe(
    `sum 3.3 (${json}, title:library 2 (boost 2.2, idf 1.5, tf 0.4))`,
  );
});

it('keeps the function of a score, and no limit that limits nothing', () => {
  const value = part("field value function: log1p(doc['price'].value * factor=1.0)", 1.7);
  const limited = part('min of:', 1.7, [value, part('maxBoost', 3.4028235e38)]);
  expect(formatExplanation(part('function score, product of:', 2.2, [term('a:b', 1.3), limited]))).toBe(
    "function score 2.2 (a:b 1.3 (boost 2.2, idf 1.5, tf 0.4), min 1.7 (field value function: log1p(doc['price'].value * factor=1.0) 1.7))",
  );
});

it.each([undefined, null, 3, {}, { details: 4 }, { description: 5, details: [null, {}] }])(
  'accepts an explanation of another form, %j',
  (explanation) => {
    expect(formatExplanation(explanation)).toEqual(expect.any(String));
  },
);
