import { describe, expect, it } from 'vitest';
import { nearestTables } from './nearest-tables.ts';

const names = ['customers', 'sales.orders', 'archive.orders', '"Odd"."Mixed.Case"', 'x'];

describe('nearestTables', () => {
  it.each([
    ['custmers', ['customers']],
    ['public.customer', ['customers']],
    ['orders', ['sales.orders', 'archive.orders']],
    ['oders', ['sales.orders', 'archive.orders']],
    ['mixed.case', ['"Odd"."Mixed.Case"']],
    ['"mixed.case"', ['"Odd"."Mixed.Case"']],
    ['zzzzzz', []],
  ])('offers for %s', (asked, near) => {
    expect(nearestTables(asked, names)).toEqual(near);
  });
});
