import { type EngineAddress, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/engine.ts';
import { accept, premiseCode } from '../../src/guard/read-statement.ts';
import { createDatabase, direct, forever, withSession } from '../engines/postgres-fixture.ts';

const holding = "pg_catalog.txid_current_snapshot()::pg_catalog.text operator(pg_catalog.<>) ''";
const broken = "pg_catalog.txid_current_snapshot()::pg_catalog.text operator(pg_catalog.=) ''";

describe.each(['postgres14', 'postgres18'] as const)('the premise of a read, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let address: EngineAddress;
  const rows: unknown[] = [];

  beforeAll(async () => {
    address = await createDatabase(server(), 'proof_premise');
    await direct(
      address,
      'create schema early; create function early.divide(int, int) returns int language sql as $$ select 0 $$',
    );
    await direct(address, 'create operator early./ (leftarg = int, rightarg = int, function = early.divide)');
    await direct(address, 'alter database proof_premise set search_path = early, pg_catalog, public');
  });

  const read = async (session: Session, sql: string, premise: string) => {
    rows.length = 0;
    const sink = { columns: () => undefined, row: (cells: unknown) => rows.push(cells) > 0 };
    const request = { statement: accept(sql, premise), params: [], timeoutMs: 5_000, keepPerCell: 100, maxRows: 10 };
    return await session.read(request, sink, forever).then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it('lets the statement run while it holds', async () => {
    await withSession(address, async (session) => {
      expect(await read(session, 'select 1', holding)).toBeUndefined();
      expect(rows).toEqual([['1']]);
      expect(await read(session, 'select 2', '')).toBeUndefined();
      expect(rows).toEqual([['2']]);
    });
  });

  it.each([broken, 'false', 'null::boolean'])('stops it before anything has run: %s', async (premise) => {
    await direct(address, 'drop sequence if exists ran; create sequence ran');
    await withSession(address, async (session) => {
      expect(await read(session, 'select pg_sleep(20)', premise)).toMatchObject({ code: premiseCode });
      expect(rows).toEqual([]);
      // Nothing of it is left.
      expect(await read(session, 'select 3', holding)).toBeUndefined();
    });
  });

  it('is not mistaken for an error of the statement or of the settings', async () => {
    await withSession(address, async (session) => {
      expect(await read(session, 'select 1 operator(pg_catalog./) 0', holding)).toMatchObject({
        code: 'E_ENGINE',
        engineCode: '22012',
      });
      expect(await read(session, 'select 1 operator(pg_catalog./) 0', '')).toMatchObject({ engineCode: '22012' });
      expect(await read(session, 'select 1', 'no_such_function()')).toMatchObject({ engineCode: '42883' });
    });
  });
});
