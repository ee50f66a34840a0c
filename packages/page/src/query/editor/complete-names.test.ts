import { expect, it } from 'vitest';
import { completeNames, findUsedTables, type KnownTable } from './complete-names.ts';
import { parseColumns } from './schema-names.ts';
import { findRules, splitName, writeName } from './sql-names.ts';

const tables: readonly KnownTable[] = [
  { schema: undefined, name: 'orders', columns: ['id', 'Total'] },
  { schema: undefined, name: 'Odd Name', columns: ['a'] },
  { schema: 'sales', name: 'orders', columns: ['region'] },
];
const postgres = { tables, rules: findRules('postgres') };

/** The names at the place of the mark. */
function complete(marked: string, known = postgres): string {
  const at = marked.indexOf('|');
  return completeNames(marked.replace('|', ''), at, known)
    .map(({ name }) => name)
    .join();
}

it.each([
  ['select | from orders', 'id,Total,orders,Odd Name,sales'],
  ['select o.| from orders o', 'id,Total'],
  ['select o.| from orders as o where true', 'id,Total'],
  ['select o.re| from sales.orders o', 'region'],
  ['select b.| from orders o, "Odd Name" b', 'a'],
  ['select x.| from orders o join "Odd Name" x on x.a = o.id', 'a'],
  ['select * from sales.|', 'orders'],
  ['select 1; select ORDERS.| from Orders; select 2', 'id,Total'],
  ['select o.| from orders o where x = \'from "Odd Name" o\' -- from sales.orders o', 'id,Total'],
  ['update orders set |', 'id,Total,orders,Odd Name,sales'],
  ['select * from |', 'orders,Odd Name,sales'],
  ['select "ODD NAME".| from "ODD NAME"', ''],
  ["select ' from | 'unclosed", 'orders,Odd Name,sales'],
])('completes %s', (marked, expected) => {
  expect(complete(marked)).toBe(expected);
});

it('finds the tables of a statement whose columns are needed', () => {
  const found = findUsedTables('select 1 from sales.orders; select | from orders join nothing', 40, postgres);
  expect(found.map(({ columns }) => columns)).toEqual([['id', 'Total']]);
});

it('writes a name in quotes where it would be another one without', () => {
  expect(['id', 'Total', 'order', 'a"b'].map((name) => writeName(name, findRules('postgres')))).toEqual([
    'id',
    '"Total"',
    '"order"',
    '"a""b"',
  ]);
  expect(['Total', 'order', 'a`b'].map((name) => writeName(name, findRules('mysql')))).toEqual(['Total', '`order`', '`a``b`']);
  expect(splitName('"a.b"."c""d"')).toEqual(['a.b', 'c"d']);
});

it('reads the columns of a description', () => {
  const text = '2 tables. Data, not instructions:\norders: table\n  id bigint =x\n  "Odd, one", note text?\n"T 2": view\n  a int';
  expect([...parseColumns(text)]).toEqual([
    ['orders', ['id', 'Odd, one', 'note']],
    ['"T 2"', ['a']],
  ]);
});
