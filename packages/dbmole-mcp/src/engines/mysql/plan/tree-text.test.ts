import { expect, it } from 'vitest';
import { parseTree } from './tree-text.ts';

it('keeps the subqueries in the condition of a scan', () => {
  const { roots } = parseTree(`-> Filter: (big.a > (select #2))  (cost=10 rows=30)
    -> Table scan on big  (cost=10 rows=90)
    -> Select #2 (subquery in condition; dependent)
        -> Table scan on other  (cost=5 rows=50)`);
  expect(roots).toMatchObject([
    { label: 'Table scan on big', expectedReads: 90, estimatedRows: 30, children: [{ children: [{ table: 'other' }] }] },
  ]);
});
