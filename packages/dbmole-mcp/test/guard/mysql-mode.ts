import { afterAll, beforeAll } from 'vitest';
import type { GuardServer } from './mysql-guarded.ts';

/** In a describe: sessions that log in meanwhile have this sql_mode. An empty one leaves the server's own. */
export function useMode(server: () => GuardServer, mode: string): void {
  if (mode === '') return;
  beforeAll(() => setMode(server(), `'${mode}'`));
  afterAll(() => setMode(server(), 'DEFAULT'));
}

async function setMode({ observer }: GuardServer, value: string): Promise<void> {
  await observer.query(`SET GLOBAL sql_mode = ${value}`);
}
