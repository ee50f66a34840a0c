import { fileURLToPath } from 'node:url';
import { createTempFolder, describeTarball, readText } from '@dbmole/core/testing';
import { openNode, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { fingerprint, runSql } from './sqlite/sqlite-file.ts';

describe('as installed', () => {
  const postgres = useEngine('postgres18', { shared: true });
  const mysql = useEngine('mysql97', { shared: true });
  const files = createTempFolder();
  const file = files.at('app.db');
  beforeAll(async () => runSql(await openNode(24), file, 'create table t (i integer); insert into t values (9007199254740993)'));
  afterAll(() => files[Symbol.dispose]());
  const entry = (name: string, type: string, { host, port, user, password }: ReturnType<typeof postgres>) => ({
    name,
    type,
    host,
    port,
    user,
    password,
  });

  describeTarball({
    name: 'dbmole-mcp',
    tools: 14,
    library: { creates: 'createDbmole', connection: `{ name: 'shop', url: 'postgres://reader@db.example.com/shop' }` },
    folder: fileURLToPath(new URL('..', import.meta.url)),
    runtimes: { 20: () => openNode(20), 22: () => openNode(22), 24: () => openNode(24) },
    env: () => ({
      DBMOLE_CONNECTIONS: JSON.stringify([
        entry('pg', 'postgres', postgres()),
        entry('my', 'mysql', mysql()),
        { name: 'lite', type: 'sqlite', file },
      ]),
    }),
    saved: {
      ...{ app: 'dbmole', extension: 'sql', comment: '--', connection: 'pg' },
      before: { body: 'select 6 * 7 as answer', answer: 'answer\n42' },
      after: { body: 'select 6 * 8 as answer', answer: 'answer\n48' },
    },
    // The drivers are chunks of their own: that they load is part of what was packed.
    async check(server, line) {
      expect(readText(await server.callTool('test_connection', { name: 'pg' }))).toContain('PostgreSQL 18');
      expect(readText(await server.callTool('test_connection', { name: 'my' }))).toContain('MySQL 9.7');
      // So does the parser, which is a file beside its chunk.
      expect(readText(await server.callTool('query', { connection: 'pg', sql: 'select 6 * 7' }))).toContain('42');
      expect(readText(await server.callTool('query', { connection: 'pg', sql: 'drop table t' }))).toContain('E_NOT_A_READ');
      // And the program that opens SQLite files, where Node has SQLite.
      const before = fingerprint(files.path);
      const answer = readText(await server.callTool('query', { connection: 'lite', sql: 'select i from t' }));
      if (line === '20') expect(answer).toMatch(/E_NODE_VERSION[\s\S]*node@24/);
      else expect(answer).toMatch(/\ni\n9007199254740993$/);
      expect(fingerprint(files.path)).toEqual(before);
    },
  });
});
