import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAuthority, type RunningEngine, startEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDirect } from '../direct.ts';
import { mysqlEngines } from './mysql-rig.ts';

interface Seen {
  rows: number;
  last: unknown;
  alive: string;
  /** Megabytes. */
  grown: number;
}

const reader = join(import.meta.dirname, 'mysql-reader.ts');

async function readInChild({ host, port, user, password, database }: RunningEngine, tls: object, sql: string): Promise<Seen> {
  const address = JSON.stringify([{ host, port, user, password, database }, { config: tls }]);
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', reader, address, sql], { timeout: 110_000 });
  // Our own reader wrote it.
  return JSON.parse(stdout) as Seen;
}

describe.each(mysqlEngines)('memory with %s', (id) => {
  let server: RunningEngine;
  let overTls: object;

  beforeAll(async () => {
    const authority = await createAuthority();
    server = await startEngine(id, { tls: await authority.issueServer(), settings: { 'max-allowed-packet': '1G' } });
    overTls = { tls: { ca: authority.ca } };
    await runDirect(server, [
      'CREATE TABLE test.digits (d INT)',
      'INSERT INTO test.digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)',
    ]);
  }, 600_000);
  afterAll(async () => server.stop());

  it.each(['plain', 'TLS'])('does not grow with one huge cell: %s', async (way) => {
    const seen = await readInChild(server, way === 'TLS' ? overTls : {}, "SELECT REPEAT('x', 600000000), 'after'");
    expect(seen).toMatchObject({
      rows: 1,
      alive: 'alive',
      last: { text: 'x'.repeat(1_000), length: 600_000_000, unit: 'bytes' },
    });
    expect(seen.grown).toBeLessThan(90);
  });

  it('does not grow with the number of rows', async () => {
    const from = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `test.digits ${name}`).join(', ');
    const seen = await readInChild(server, {}, `SELECT CONCAT('row ', a.d), b.d, c.d FROM ${from}, test.digits g WHERE g.d < 2`);
    expect(seen).toMatchObject({ rows: 2_000_000, alive: 'alive' });
    expect(seen.grown).toBeLessThan(90);
  });
});
