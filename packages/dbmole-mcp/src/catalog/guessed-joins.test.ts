import { describe, expect, it } from 'vitest';
import { guessJoins } from './guessed-joins.ts';

/** `orders(id int pk, customer_id int)` */
function table(text: string) {
  const [, name = '', list = ''] = /^(\S+?)\((.*)\)$/.exec(text) ?? [];
  const parts = list.split(', ').map((part) => part.split(' '));
  const columns = parts.map(([column = '', type = '']) => ({
    name: column,
    type,
    nullable: false,
    default: undefined,
    filled: undefined,
    comment: undefined,
  }));
  const keys = parts.filter(([, , key]) => key === 'pk').map(([column = '']) => ({ name: 'pk', word: 'PK', columns: [column] }));
  return { name, columns, keys };
}

describe('joins without foreign keys', () => {
  const customers = table('customers(id bigint pk, name text)');
  const orders = table('app.orders(id int pk, customer_id int, note text)');
  const items = table('order_items(order_id int, sku varchar(20))');
  const products = table('products(sku text pk, id_old int)');

  it.each([
    [customers, orders, [], ['customers JOIN app.orders ON customers.id = app.orders.customer_id']],
    [orders, customers, [], ['app.orders JOIN customers ON customers.id = app.orders.customer_id']],
    [
      table('categories(id int pk)'),
      table('books(categoryId int)'),
      [],
      ['categories JOIN books ON categories.id = books.categoryId'],
    ],
    [items, products, [], ['order_items JOIN products ON products.sku = order_items.sku']],
    [
      customers,
      items,
      [products, orders],
      [
        'customers JOIN app.orders ON customers.id = app.orders.customer_id JOIN order_items ON app.orders.id = order_items.order_id',
      ],
    ],
  ])('are guessed by names of columns: %#', (start, end, others, found) => {
    expect(guessJoins(start, end, others)).toEqual(found);
  });

  it.each([
    [customers, table('logs(id bigint pk, name text)')],
    [table('orders(id uuid pk)'), table('parts(order_id int)')],
  ])('are not guessed by plain names or unlike types: %#', (start, end) => {
    expect(guessJoins(start, end, [])).toEqual([]);
  });
});
