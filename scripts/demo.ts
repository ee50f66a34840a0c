/**
 * `npm run demo`: the built server as a client starts it, with its sample database, and a session from the first call to a
 * statement that is stopped half way. `npm run demo -- postgres` has it on PostgreSQL, which comes into the user's cache; everything else is
 * gone afterwards.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root, runStep } from './steps.ts';

const built = runStep({ name: 'build dbmole-mcp', command: ['tsx', 'scripts/build.ts', 'dbmole-mcp'] });
if (!built) process.exit(1);

const [asked] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'dbmole-demo-'));
const client = new Client({ name: 'demo', version: '1.0.0' });
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'packages/dbmole-mcp/dist/main.js'), asked === undefined ? '--demo' : `--demo=${asked}`],
      // The demo must not see, or touch, the user's connections. npm needs the rest of what it knows.
      env: { ...inherited(), DBMOLE_STORE: join(folder, 'connections.json') },
      cwd: folder,
    }),
  );
  await session();
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}

async function session(): Promise<void> {
  say('The server starts without touching a database. What is there?');
  const isPostgres = (await call('list_connections', {})).includes(',postgres,');
  say(
    isPostgres
      ? 'The first call starts PostgreSQL. The very first one fetches it, once.'
      : 'The sample database is ready at once.',
  );
  await untilThere();

  say('What is in it?');
  await call('list_tables', { connection: 'demo' });
  await call('describe_table', { connection: 'demo', tables: ['orders', 'customers'] });

  say('A join, with a value that is bound and not pasted.');
  await call('query', {
    connection: 'demo',
    sql: `select c.name, c.country, count(*) as orders, sum(o.total) as spent
from customers c join orders o on o.customer_id = c.id
where o.status = ${isPostgres ? '$1' : '?'} group by c.id order by spent desc limit 5`,
    params: ['delivered'],
  });

  say('An answer is cut, says so, and says how to read on: first by rows …');
  const list = { connection: 'demo', sql: 'select id, placed_at, status, total from orders order by id' };
  await call('query', { ...list, limit: 3 });
  await call('query', { ...list, limit: 3, offset: 3 });
  say('… and inside a long cell.');
  const manual = { connection: 'demo', sql: 'select manual from products where id = 10' };
  await call('query', { ...manual, cell_limit: 120 });
  await call('query', { ...manual, cell_limit: 120, cell_offset: 120 });

  say('query never writes, whatever it is given, and a read-only connection is not written to.');
  await call('query', { connection: 'demo-rw', sql: 'delete from orders' });
  await call('execute', { connection: 'demo', sql: 'delete from orders where id = 1' });
  say('Where writing is allowed, a dry run says what it would do.');
  await call('execute', {
    connection: 'demo-rw',
    sql: "update products set price = price * 2 where category = 'kitchen'",
    dry_run: true,
  });

  say('A slip of the pen is answered with the way out.');
  await call('query', { connection: 'demo', sql: 'select custmer_id from orders' });

  say('A call that is cancelled stops in the database, too.');
  await cancelled(isPostgres);
}

/** The download may take longer than one call waits; the next call finds what has come meanwhile. */
async function untilThere(): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const text = await call('test_connection', { name: 'demo' });
    if (!text.includes('E_DEMO_PREPARING')) return;
  }
}

async function cancelled(isPostgres: boolean): Promise<void> {
  const sql = 'select count(*) from orders a, orders b, orders c where a.total + b.total > c.total';
  const running = {
    connection: 'demo',
    sql: "select count(*) as running from pg_stat_activity where state = 'active' and query like '%orders c %' and pid <> pg_backend_pid()",
  };
  const stop = new AbortController();
  show('query', { connection: 'demo', sql });
  const long = client.callTool({ name: 'query', arguments: { connection: 'demo', sql } }, { signal: stop.signal });
  // Listened to from the start: it ends while we are busy with another call.
  const outcome = long.then(
    () => 'it was quicker than we thought',
    () => 'cancelled by the client',
  );
  await delay(700);
  if (isPostgres) await call('query', running);
  stop.abort();
  console.log(`\n  the long one: ${await outcome}`);
  await delay(300);
  await call('query', isPostgres ? running : { connection: 'demo', sql: 'select 1 as free_again' });
}

function inherited(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('DBMOLE_'));
  return Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function say(text: string): void {
  console.log(`\n\u001b[1m${text}\u001b[0m`);
}

function show(name: string, args: Record<string, unknown>): void {
  console.log(`\n→ ${name} ${JSON.stringify(args)}`);
}

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  show(name, args);
  const reply = await client.callTool({ name, arguments: args });
  const content: readonly unknown[] = Array.isArray(reply.content) ? reply.content : [];
  const texts = content.map((block) => String(typeof block === 'object' && block !== null ? Reflect.get(block, 'text') : ''));
  const text = texts.join('\n');
  console.log(text.replace(/^/gm, '  '));
  return text;
}
