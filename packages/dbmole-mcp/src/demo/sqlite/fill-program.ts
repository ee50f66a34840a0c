import { loadSqlite } from '../../engines/sqlite/process/sqlite-module.ts';
import { makeShop, type Table } from './shop-rows.ts';
import { createTables, finishTables } from './shop-schema.ts';

/** The program that writes the sample shop into a file: its path and the number of days by which rows are moved are its arguments. */
const [file = '', days = ''] = process.argv.slice(2);
const { DatabaseSync } = loadSqlite();
const db = new DatabaseSync(file);
// The file is made in one go, or not at all.
db.exec('pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma foreign_keys = off');
db.exec(`begin; ${createTables}`);
const inserts = {
  customers: prepare('customers', 11),
  products: prepare('products', 36),
  orders: prepare('orders', 8),
  order_items: prepare('order_items', 6),
};
makeShop(Number(days), (table, row) => inserts[table].run(...row));
db.exec(`${finishTables} commit`);
db.exec('pragma locking_mode = normal; pragma journal_mode = wal');
db.close();

function prepare(table: Table, columns: number) {
  return db.prepare(`insert into ${table} values (${Array.from({ length: columns }, () => '?').join(', ')})`);
}
