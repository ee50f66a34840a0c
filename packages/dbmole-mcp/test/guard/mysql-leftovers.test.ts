import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlBackend } from '../../src/backend/backend.ts';
import type { Cell } from '../../src/engine.ts';
import { guardEngines, never, openGuarded, readGuarded, useGuardServer } from './mysql-guarded.ts';
import { useSite } from './mysql-site.ts';

const site = useSite();

describe.each(guardEngines)('a setting of a stored function on %s', (id) => {
  const server = useGuardServer(id, site);
  let backend: SqlBackend;
  beforeAll(async () => {
    backend = await openGuarded(server().engine, 'superuser');
  });
  afterAll(() => backend.dispose());

  const readZone = async () => (await readGuarded(backend, 'SELECT @@session.time_zone')).rows;

  it('does not change the time zone of later calls', async () => {
    const before = await readZone();
    await readGuarded(backend, 'SELECT f_zone(), MAX(timestamp) FROM mysql.tables_priv');
    expect(await readZone()).toEqual(before);
  });

  it('does not limit the rows of the next statement in a list', async () => {
    const [, { rows }] = await readBoth(backend, 'SELECT f_limits(), f_mode(), f_charset()', 'SELECT id FROM t');
    expect(rows).toHaveLength(4);
  });

  it('does not change the time zone of the next statement in a list', async () => {
    const before = await readZone();
    const [, { rows }] = await readBoth(backend, 'SELECT f_zone()', 'SELECT @@session.time_zone');
    expect(rows).toEqual(before);
  });
});

async function readBoth(backend: SqlBackend, first: string, second: string) {
  const openRead = (sql: string) => {
    const rows: (readonly Cell[])[] = [];
    const sink = { columns: () => undefined, row: (cells: readonly Cell[]) => rows.push(cells) < 1_000 };
    return { sink, rows, request: { sql, params: [], timeoutMs: 2_000, keepPerCell: 1_000, maxRows: 1_000 } };
  };
  const reads = [openRead(first), openRead(second)] as const;
  expect(await backend.readAll(() => reads, { signal: never })).toMatchObject([{}, {}]);
  return reads;
}
