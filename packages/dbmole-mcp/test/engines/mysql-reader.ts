import { readFileSync } from 'node:fs';
import type { RowSink } from '../../src/engine.ts';
import { engine } from '../../src/engines/mysql/engine.ts';
import { ownStatement } from '../../src/guard/read-statement.ts';
import { never, readValue, targetOf } from './mysql-rig.ts';

/**
 * A process of its own, so that its memory can be measured: reads one statement to its end, and prints the last value, how many
 * rows there were, and by how many megabytes the process grew at most.
 */
const [address = '', sql = ''] = process.argv.slice(2);
// The test wrote it, from a value of this type.
const session = await engine.openSession(targetOf(...(JSON.parse(address) as Parameters<typeof targetOf>)), never);
await readValue(session, 'SELECT 1');
const before = process.memoryUsage.rss() / 1e6;
let rows = 0;
let last: unknown;
const sink: RowSink = {
  columns: () => undefined,
  row: (cells) => {
    rows += 1;
    [last] = cells;
    return true;
  },
};
const request = { statement: ownStatement(sql), params: [], timeoutMs: 100_000, keepPerCell: 1_000, maxRows: undefined };
await session.read(request, sink, never);
const grown = peak() - before;
const alive = await readValue(session, "SELECT 'alive'");
await session.close();
process.stdout.write(JSON.stringify({ rows, last, alive, grown, peak: peak() }));

/** What the operating system counted, where it tells. */
function peak(): number {
  const kilobytes =
    process.platform === 'linux'
      ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
      : process.resourceUsage().maxRSS;
  return kilobytes / 1000;
}
