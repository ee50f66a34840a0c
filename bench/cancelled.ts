import { formatSlowRead } from '../packages/dbmole-mcp/test/slow-read.ts';
import type { RawDriver } from './rigs/sql-raw.ts';

/** What runs in the server and has the mark in it, but for the question itself. */
const running = {
  postgres: (mark: string) =>
    `select 1 from pg_stat_activity where state = 'active' and query like '%${mark}%' and pid <> pg_backend_pid()`,
  mysql: (mark: string) => `select 1 from information_schema.processlist where info like '%${mark}%' and id <> connection_id()`,
};

type Start = (sql: string) => { cancel(): void };

/** The time from the cancellation until the server's own list no longer shows the statement. Null: it goes on. */
export async function timeCancelled(start: Start, raw: RawDriver, type: 'postgres' | 'mysql'): Promise<number | null> {
  const mark = `cancel ${Math.random()}`;
  const isRunning = async () => (await raw.texts(running[type](mark))).length > 0;
  const call = start(formatSlowRead(type, mark));
  if (!(await until(isRunning, 10_000))) throw new Error('the statement did not begin to run');
  const started = performance.now();
  call.cancel();
  return (await until(async () => !(await isRunning()), 5_000)) ? performance.now() - started : null;
}

async function until(isSo: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; ) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}
