import { readFileSync } from 'node:fs';
import { engine } from '../../src/engines/postgres/engine.ts';
import { accept } from '../../src/guard/read-statement.ts';
import { forever, read, targetOf, value } from './postgres-fixture.ts';

/**
 * A process of its own for the tests, so that its memory can be measured: reads each statement, and prints what it saw and by how
 * many megabytes it grew at most. A statement that begins with `count:` is read to its end by a sink that only counts.
 */
const [address = '', statements = ''] = process.argv.slice(2);
// The test wrote both, from values of these types.
const session = await engine.openSession(targetOf(JSON.parse(address) as Parameters<typeof targetOf>[0]), forever);
const list = JSON.parse(statements) as string[];

await value(session, 'select 1');
const before = process.memoryUsage.rss() / 1e6;
const seen: unknown[] = [];
for (const sql of list) seen.push(await (sql.startsWith('count:') ? count(sql.slice(6)) : look(sql)));
const grown = peak() - before;
const alive = await value(session, "select 'alive'");
await session.close();
process.stdout.write(JSON.stringify({ seen, alive, grown }));

async function look(sql: string): Promise<unknown> {
  try {
    return (await read(session, sql, { timeoutMs: 100_000 })).rows[0]?.[0];
  } catch (error) {
    return error instanceof Error ? error.message.length : 'no error';
  }
}

async function count(sql: string): Promise<number> {
  let rows = 0;
  const sink = { columns: () => {}, row: () => ++rows > 0 };
  const request = { statement: accept(sql, ''), params: [], timeoutMs: 100_000, keepPerCell: 100, maxRows: undefined };
  await session.read(request, sink, forever);
  return rows;
}

/** What the operating system counted, where it tells. */
function peak(): number {
  const kilobytes =
    process.platform === 'linux'
      ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
      : process.resourceUsage().maxRSS;
  return kilobytes / 1000;
}
