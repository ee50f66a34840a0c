import { join } from 'node:path';
import { type BackendHarness, createTempFolder, describeBackendContract } from '@dbmole/core/testing';
import { describe } from 'vitest';
import { createBackend, type SqlBackend } from '../../src/backend/backend.ts';
import { type Connection, connectionSchema, resolvePort } from '../../src/connection/schema.ts';
import { isStaleError } from '../../src/failure.ts';
import { nodeLines, runSql, useSqlite } from './sqlite-file.ts';

describe.each(nodeLines)('SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  describeBackendContract<Connection, SqlBackend>({ name: `sqlite in Node ${line}`, start: () => createHarness(node()) });
});

const slow = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000000000) select count(*) from n';

async function createHarness(node: string): Promise<BackendHarness<Connection, SqlBackend>> {
  const folder = createTempFolder();
  const file = join(folder.path, 'app.db');
  runSql(node, file, 'create table t (a)');
  const request = { sql: slow, params: [], timeoutMs: 60_000, keepPerCell: 100, maxRows: 10 };
  const noServer = { missing: 'a file has no server' };
  return {
    connection: ({ name = 'main' }) => connectionSchema.parse({ name, type: 'sqlite', file }),
    createBackend: (target, signal) => createBackend(target, signal),
    resolvePort,
    isStaleError,
    ping: (backend, signal) => backend.identify({ signal }),
    slow: (backend, signal) => backend.read(request, { columns: () => undefined, row: () => true }, { signal }),
    sessions: noServer,
    restart: noServer,
    passwords: { missing: 'a SQLite file has no password' },
    network: noServer,
    stop: async () => folder[Symbol.dispose](),
  };
}
