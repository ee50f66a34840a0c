import { Failure } from '@dbmole/core';
import { type CallerRead, createBackend, type SqlBackend } from '../../src/backend/backend.ts';
import type { Cell, Param } from '../../src/engine.ts';
import { createChecker } from '../../src/engines/postgres/guard/checker.ts';
import { createGuard } from '../../src/engines/postgres/guard/guard.ts';
import { parseServerConnection } from '../server-connection.ts';
import { sessionState } from './postgres-fingerprint.ts';
import type { Login } from './postgres-fixture.ts';

interface Outcome {
  readonly rows: readonly (readonly Cell[])[];
  /** Whatever the call failed with. */
  readonly failure: Failure | undefined;
}

/** Our own way to the server: a backend with one session, so that each call meets what the one before has left. */
export interface Guarded {
  readonly backend: SqlBackend;
  read(sql: string, params?: readonly Param[]): Promise<Outcome>;
  /** What the session carries, asked in the session itself. */
  state(): Promise<string>;
}

const signal = new AbortController().signal;

export async function openGuarded(login: Login, timeoutMs = 30_000): Promise<Guarded> {
  const config = parseServerConnection({ name: 'guarded', type: 'postgres', ...login, tls: 'disable' });
  const target = { config, connectHost: login.host, connectPort: login.port, serverName: login.host };
  // In this thread, where it can be measured how much of it the tests cover.
  const backend = await createBackend(target, signal, {
    pool: { size: 1 },
    createGuard: ({ trust } = {}) => createGuard(createChecker({ trust })),
  });
  return {
    backend,
    read: (sql, params = []) => readOnce(backend, { sql, params, timeoutMs }),
    async state() {
      const rows = await backend.catalogRun({ signal })(sessionState);
      return JSON.stringify(rows);
    },
  };
}

type Statement = Pick<CallerRead, 'sql' | 'params' | 'timeoutMs'>;

async function readOnce(backend: SqlBackend, statement: Statement): Promise<Outcome> {
  const rows: (readonly Cell[])[] = [];
  const sink = { columns: () => undefined, row: (cells: readonly Cell[]) => rows.push(cells) < 100 };
  try {
    await backend.read({ ...statement, keepPerCell: 1_000, maxRows: 100 }, sink, { signal });
    return { rows, failure: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { rows, failure: error };
  }
}
