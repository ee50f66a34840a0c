import { describe, expect, it } from 'vitest';
import { findJoinPaths } from './join-path.ts';

function key(from: string, column: string, table: string, target = 'id') {
  return { name: `${from}_${column}`, from, columns: column.split(' '), table, targets: target.split(' ') };
}

const keys = [
  key('items', 'order_id', 'orders'),
  key('orders', 'customer_id', 'customers'),
  key('orders', 'billed_to', 'customers'),
  key('items', 'warehouse shelf', 'shelves', 'warehouse number'),
  key('customers', 'referred_by', 'customers'),
  key('alone', 'other', 'island'),
];

describe('the joins between two tables', () => {
  it('are the shortest ones, each in a line', () => {
    expect(findJoinPaths(keys, 'items', 'customers')).toEqual([
      'items JOIN orders ON orders.id = items.order_id JOIN customers ON customers.id = orders.customer_id',
      'items JOIN orders ON orders.id = items.order_id JOIN customers ON customers.id = orders.billed_to',
    ]);
  });

  it('follow references against their direction, and with several columns', () => {
    expect(findJoinPaths(keys, 'shelves', 'orders')).toEqual([
      'shelves JOIN items ON items.warehouse = shelves.warehouse AND items.shelf = shelves.number JOIN orders ON orders.id = items.order_id',
    ]);
  });

  it('are none between tables that nothing connects', () => {
    expect(findJoinPaths(keys, 'items', 'island')).toEqual([]);
    expect(findJoinPaths(keys, 'items', 'unknown')).toEqual([]);
  });

  it('are few also where there are very many', () => {
    const layers = Array.from({ length: 8 }, (_, layer) => layer);
    const dense = layers.flatMap((layer) =>
      layers.flatMap((a) => layers.map((b) => key(`t${layer}_${a}`, `c${b}`, `t${layer + 1}_${b}`))),
    );
    expect(findJoinPaths(dense, 't0_0', 't8_7')).toHaveLength(5);
  });
});
