import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@dbmole/core';
import { createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackend, type SqlBackend } from '../../src/backend/backend.ts';
import { connectionSchema, type FileConnection } from '../../src/connection/schema.ts';
import { fillCase, type GuardCase, readCases } from '../guard/case-file.ts';
import { createSite, type GuardSite } from './guard-fixture.ts';
import { fingerprint, nodeLines, runSqlAll, useSqlite } from './sqlite-file.ts';

const attacks = readCases('sqlite-attacks');
const reads = readCases('sqlite-reads');

describe.each(nodeLines)('the guard of SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  const folder = createTempFolder();
  let site: GuardSite;
  let backend: SqlBackend;

  beforeAll(async () => {
    site = createSite(node(), folder.path);
    const config = connectionSchema.parse({ name: 'main', file: site.file }) as FileConnection;
    backend = await createBackend({ config, file: site.file }, AbortSignal.timeout(60_000));
  });
  afterAll(async () => {
    await backend?.dispose();
    folder[Symbol.dispose]();
  });

  async function run({ sql }: GuardCase): Promise<Failure | undefined> {
    const sink = { columns: () => undefined, row: () => true };
    const request = { sql: fillCase(sql, { OUT: site.out }), params: [], timeoutMs: 20_000, keepPerCell: 1_000, maxRows: 1_000 };
    try {
      await backend.read(request, sink, { signal: AbortSignal.timeout(20_000) });
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  it('refuses every attack of the file, or it is harmless', async () => {
    const wrong: string[] = [];
    for (const one of attacks) {
      const before = fingerprint(site.folder);
      const failure = await run(one);
      expect([one.id, fingerprint(site.folder)]).toEqual([one.id, before]);
      if (one.verdict === 'refuse' && !isRefusal(failure, one)) wrong.push(`${one.id}: ${failure?.message ?? 'ran'}`);
    }
    expect(wrong).toEqual([]);
    expect(attacks.length).toBeGreaterThanOrEqual(120);
  });

  it('runs every read of the file, which changes nothing', async () => {
    const before = fingerprint(site.folder);
    const wrong: string[] = [];
    for (const one of reads) {
      const failure = await run(one);
      if (failure !== undefined) wrong.push(`${one.id}: ${failure.message}: ${one.sql}`);
    }
    expect(wrong).toEqual([]);
    expect(fingerprint(site.folder)).toEqual(before);
    expect(reads.length).toBeGreaterThanOrEqual(80);
  });

  it('is tried with attacks that would work without it', () => {
    const control = createTempFolder();
    const jobs = attacks
      .filter(({ notes }) => notes.control === 'yes')
      .map(({ id, sql }) => {
        const own = join(control.path, id);
        cpSync(site.folder, own, { recursive: true });
        return { id, own, file: join(own, 'app.db'), sql: fillCase(sql, { OUT: join(own, 'out') }) };
      });
    const before = jobs.map(({ own }) => fingerprint(own));
    runSqlAll(node(), jobs);
    const harmless = jobs.filter(({ own }, i) => JSON.stringify(fingerprint(own)) === JSON.stringify(before[i]));
    expect(harmless.map(({ id }) => id)).toEqual([]);
    control[Symbol.dispose]();
  });
});

function isRefusal(failure: Failure | undefined, { notes }: GuardCase): boolean {
  return failure?.kind === 'refused' || (notes.input === 'yes' && failure?.kind === 'input');
}
