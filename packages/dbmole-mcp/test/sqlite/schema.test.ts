import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { shopSql } from './shop-sqlite.ts';
import { fingerprint, nodeLines, runSql, useSqlite } from './sqlite-file.ts';

describe.each(nodeLines)('the schema of a SQLite file in Node %s', (line) => {
  const node = useSqlite(line);
  let tools: OpenTools;
  const call = async (tool: string, args: object = {}) => (await tools.call(tool, { connection: 'main', ...args })).text;

  beforeAll(async () => {
    tools = await openTools([{ name: 'main', type: 'sqlite', file: './app.db' }]);
    runSql(node(), join(tools.folder, 'app.db'), shopSql);
  });
  afterAll(() => tools.close());

  it('is reported by the connection and listed, with rows and keys', async () => {
    expect(await call('test_connection')).toMatch(/SQLite 3\.\d+\.\d+, file .*app\.db/);
    expect(await call('list_databases')).toContain('main,');
    const text = await call('list_tables');
    for (const row of [
      'big_orders,view,',
      'customers,table,~20,',
      'docs,virtual table (fts5),~1,',
      'places,virtual table (rtree),',
    ])
      expect(text).toContain(`\n${row}`);
    expect(text).toMatch(/\norder_lines,table,~50,.*"order_id, n",1/);
    expect(text).not.toContain('docs_data');
    expect(await call('list_tables', { pattern: 'docs_*' })).toContain('docs_data,shadow table');
    expect(await call('list_tables', { kind: 'view' })).toContain('big_orders');
    expect(await call('list_tables', { without: 'primary_key' })).toMatch(/audits[\s\S]*exact/);
    expect(await call('list_tables', { without: 'rows' })).toContain('audits');
  });

  it('is described with what SQLite alone has', async () => {
    const text = await call('describe_table', { tables: ['customers', 'ORDERS', 'order_lines', 'exact', 'big_orders', 'docs'] });
    for (const part of [
      'id INTEGER PK autoincrement',
      "email TEXT? UNIQUE CHECK (email like '%@%')",
      'created_at TEXT? =current_timestamp',
      '<- ON DELETE CASCADE: orders.customer_id',
      'customer_id INTEGER -> customers.id ON DELETE CASCADE',
      "status TEXT ='pending'",
      'cents INTEGER? generated stored (cast(total * 100 as integer))',
      "INDEX orders_status (status, total desc) where status <> 'done'",
      'TRIGGER audit_orders after update on orders begin insert into audits values (new.id); end',
      'WITHOUT ROWID',
      'STRICT: values have the types of their columns',
      'big_orders: view',
      'select * from orders where total > 100',
      'USING fts5(title, body)',
    ])
      expect(text).toContain(part);
    const parts = await call('describe_table', { tables: ['orders'], parts: ['definition', 'sample', 'stats', 'keys'] });
    expect(parts).toMatch(/CREATE TABLE orders[\s\S]*1,2,1\.5,pending,150[\s\S]*ANALYZE collects/);
    expect(await call('describe_table', { tables: ['ordrs'] })).toContain('orders');
  });

  it('is searched, and joined along its keys', async () => {
    expect(await call('search_schema', { text: 'status' })).toMatch(/column,orders\.status,TEXT[\s\S]*index,orders_status/);
    expect(await call('search_schema', { from: 'order_lines', to: 'customers' })).toContain('customer_id');
  });

  it('has plans, with the index that is missing', async () => {
    const sql = 'select * from orders o join customers c on c.id = o.customer_id where o.total > 5 order by c.name';
    const text = await call('explain', { sql });
    expect(text).toContain('SCAN o\n');
    expect(text).toContain('no index serves its condition on total; next: CREATE INDEX orders_total ON orders (total)');
    expect(await call('explain', { sql: 'select * from orders where id = 1' })).not.toContain('CREATE INDEX');
    expect(await call('explain', { sql, raw: true })).toContain('USE TEMP B-TREE FOR ORDER BY');
    expect(await call('explain', { sql, analyze: true })).toContain('SQLite cannot measure');
    expect(await call('explain', { sql: 'alter table orders add column note text' })).toContain('ALTER TABLE ADD COLUMN:');
  });

  it('is diagnosed without changing it', async () => {
    const before = fingerprint(tools.folder);
    const text = await call('diagnose');
    expect(text).toContain('the foreign key orders (customer_id) -> customers has no index');
    expect(text).toContain('2 tables have no primary key: audits, exact');
    expect(text).toContain('journal_mode is delete');
    expect(text).not.toContain('failed');
    for (const check of ['tables', 'indexes', 'settings', 'privileges', 'locks'])
      expect(await call('diagnose', { check })).not.toMatch(/^E_/);
    expect(fingerprint(tools.folder)).toEqual(before);
  });

  it('offers names that exist for those that do not', async () => {
    expect(await call('query', { sql: 'select * from ordrs' })).toMatch(/E_UNKNOWN_TABLE[\s\S]*Nearest: orders/);
    expect(await call('query', { sql: 'select statu from orders' })).toMatch(/E_UNKNOWN_COLUMN[\s\S]*status/);
    expect(await call('query', { sql: "select date_trunc('month', total) from orders" })).toContain("strftime('%Y-%m-01', x)");
    expect(await call('query', { sql: 'select * form orders' })).toContain('E_SYNTAX');
  });
});
