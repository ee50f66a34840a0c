import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createTempFolder, readText, ServerProcess } from '@dbmole/core/testing';
import { useNode } from '@dbmole/engines';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from '../bin.ts';
import { nodeLines } from './sqlite-file.ts';

type Args = Record<string, unknown>;

async function open(node: string, folder: string): Promise<ServerProcess> {
  const env = { TMPDIR: folder, XDG_CACHE_HOME: `${folder}/cache` };
  const server = new ServerProcess({ file: bin, args: ['--demo'], env, node });
  onTestFinished(async () => void (await server.stop()));
  await server.initialize();
  return server;
}

describe.each(nodeLines)('dbmole-mcp --demo on Node %s', (line) => {
  const node = useNode(line);
  const temporary = createTempFolder();
  afterAll(() => temporary[Symbol.dispose]());

  it('answers at once, fetches nothing, and leaves nothing', async () => {
    const server = await open(node(), temporary.path);
    const call = async (name: string, args: Args) => readText(await server.callTool(name, args));
    expect(await call('list_connections', {})).toMatch(/^demo,sqlite,temporary,true.*\ndemo-rw,sqlite,temporary,false/m);
    const sql = [
      "select count(*) > 100 as enough from orders where date(placed_at, 'start of month') = date('now', 'start of month', '-1 month')",
      "select count(*) as n, max(date(placed_at)) >= date('now', '-2 days') as is_recent from orders",
      // The rows are those of PostgreSQL.
      'select email from customers where id = 1',
      'select sum(cast(round(total * 100) as integer)) as cents from orders',
    ];
    const answer = await call('query', { connection: 'demo', sql });
    for (const part of ['enough\n1', 'n,is_recent\n10000,1', 'jurgen.costa1@mail.example', 'cents\n164480804'])
      expect(answer).toContain(part);
    const queries: readonly [string, Args][] = [
      ['customer_find', { words: 'schmidt' }],
      ['customer_orders', { customer_id: 42 }],
      ['customer_orders', { customer_id: 42, since: '2020-01-01', status: ['delivered', 'paid'] }],
      ['order_items_list', { order_id: 9_999 }],
      ['products_to_reorder', { category: 'light' }],
      ['revenue_by_month', { months: 3, country: 'DE' }],
    ];
    for (const [name, args] of queries)
      expect([name, await call(name, args)]).toEqual([name, expect.stringMatching(/^(?:Rows 1-)?[1-9]\d*(?: rows?)?[.;]/)]);
    const diagnose = async (check: string) => (await call('diagnose', { connection: 'demo', check })).split('\nListed:')[0];
    expect(await diagnose('indexes')).toMatch(/^indexes: 2 findings[\s\S]*order_items \(product_id\)[\s\S]*orders_customer_idx/);
    expect(await diagnose('tables')).toMatch(/^tables: 1 finding[\s\S]*3 rows of order_items refer to rows of orders/);
    for (const check of ['settings', 'privileges']) expect(await diagnose(check)).toMatch(/: No findings/);
    const write = { sql: 'delete from order_items where order_id = 1' };
    expect(await call('execute', { ...write, connection: 'demo' })).toContain('read-only');
    expect(await call('execute', { ...write, connection: 'demo-rw' })).toContain('DELETE changed 1 row');
    const count = { connection: 'demo', sql: 'select count(*) as n from order_items where order_id = 1' };
    expect(await call('query', count)).toMatch(/^0$/m);
    expect(server.impure).toEqual([]);
    server.child.stdin.end();
    await server.exited;
    await expect.poll(() => readdirSync(temporary.path), { timeout: 20_000 }).toEqual([]);
  });
});

describe('dbmole-mcp --demo that was killed', () => {
  const node = useNode(24);
  const temporary = createTempFolder();
  afterAll(() => temporary[Symbol.dispose]());

  it('leaves a file that the next one removes', async () => {
    const findFile = async (server: ServerProcess) =>
      /file (\S+shop\.db)/.exec(readText(await server.callTool('test_connection', { name: 'demo' })))?.[1] ?? '';
    const killed = await open(node(), temporary.path);
    const left = await findFile(killed);
    killed.child.kill('SIGKILL');
    await killed.exited;
    expect(existsSync(left)).toBe(true);
    const next = await open(node(), temporary.path);
    expect(existsSync(await findFile(next))).toBe(true);
    await expect.poll(() => existsSync(dirname(left)), { timeout: 20_000 }).toBe(false);
  });
});
