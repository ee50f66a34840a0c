import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Account, createAccount } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

describe.each(engines)('export_query on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;
  let folder: string;

  beforeAll(async () => {
    account = await createAccount(engine(), `export_${id}`);
    folder = await mkdtemp(join(tmpdir(), 'dbmole-export-'));
    tools = await openTools([{ ...account, name: 'main' }], { DBMOLE_EXPORT_DIR: folder });
  }, 60_000);
  afterAll(async () => {
    await tools.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    await rm(folder, { recursive: true });
    await mkdir(folder);
  });

  const isPostgres = () => account.type === 'postgres';
  const run = async (sql: string, file: string, more: Record<string, unknown> = {}) =>
    await tools.call('export_query', { sql, file, ...more });
  const series = (count: number) =>
    isPostgres()
      ? `select i as id, repeat('x', 80) as text from generate_series(1, ${count}) as i`
      : `with recursive digits(d) as (select 0 union all select d + 1 from digits where d < 9)
         select a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d + 1 as id, repeat('x', 80) as text
         from digits a, digits b, digits c, digits d, digits e, digits f limit ${count}`;

  it('writes CSV in which nothing is lost', async () => {
    const { text } = await run("select 1 as a, null as b, '' as c, 'x,y\n\"z\"' as a, 'NULL' as d, '=1+1 😀' as e", 'one.csv');
    expect(text).toBe(`Exported 1 row of 6 columns to ${join(folder, 'one.csv')}, 47 bytes.`);
    expect(await readFile(join(folder, 'one.csv'), 'utf8')).toBe('a,b,c,a,d,e\r\n1,,"","x,y\n""z""",NULL,=1+1 😀\r\n');
    expect(await readdir(folder)).toEqual(['one.csv']);
  });

  it('writes JSON Lines with exact numbers and every column', async () => {
    const big = isPostgres() ? 'cast(9007199254740993 as bigint)' : 'cast(9007199254740993 as signed)';
    const sql = `select 1 as a, ${big} as b, cast(1.10 as decimal(10, 2)) as c, null as d, 'x' as a, cast(2.5 as decimal(10, 1)) as e, '7' as f`;
    await run(sql, 'one.jsonl');
    const written = await readFile(join(folder, 'one.jsonl'), 'utf8');
    expect(written).toBe('{"a":1,"b":"9007199254740993","c":1.10,"d":null,"a_2":"x","e":2.5,"f":"7"}\n');
  });

  it('writes long cells whole', async () => {
    await run("select repeat('abc', 1000000) as a", 'long.csv');
    expect(await readFile(join(folder, 'long.csv'), 'utf8')).toBe(`a\r\n${'abc'.repeat(1_000_000)}\r\n`);
  });

  it('refuses a cell that it could not write whole', async () => {
    const { text } = await run("select 1 as n, repeat('x', 16000001) as a", 'cut.csv');
    expect(text).toMatch(/^E_EXPORT_CELL: row 1 has 16000001 (characters|bytes) in column "a"/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('writes the names of the columns when there are no rows', async () => {
    await run('select 1 as a where 1 = 0', 'empty.csv');
    expect(await readFile(join(folder, 'empty.csv'), 'utf8')).toBe('a\r\n');
  });

  it('never overwrites an existing file', async () => {
    await writeFile(join(folder, 'taken.csv'), 'mine');
    await symlink(join(folder, 'elsewhere.csv'), join(folder, 'link.csv'));
    for (const file of ['taken.csv', 'link.csv']) expect((await run('select 1', file)).text).toMatch(/^E_EXPORT_EXISTS/);
    expect(await readFile(join(folder, 'taken.csv'), 'utf8')).toBe('mine');
    expect((await readdir(folder)).sort()).toEqual(['link.csv', 'taken.csv']);
  });

  it('leaves nothing behind when the statement fails', async () => {
    expect((await run('select * from nowhere', 'a.csv')).text).toMatch(/^E_UNKNOWN_TABLE/);
    expect((await run('delete from nowhere', 'a.csv')).isError).toBe(true);
    const none = await run(isPostgres() ? 'do $$ begin end $$' : 'do 1', 'a.csv');
    expect(none.text).toMatch(/^E_NOT_A_READ.*; no file was left\./);
    expect(await readdir(folder)).toEqual([]);
  });

  it('writes 200,000 rows, reports progress, and holds none of them', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const reports: number[] = [];
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const onProgress = ({ progress }: { progress: number }) => reports.push(progress);
    const { text } = await tools.call('export_query', { sql: series(200_000), file: 'many.jsonl' }, { onProgress });
    clearInterval(watch);
    expect(text).toMatch(/^Exported 200000 rows of 2 columns/);
    const lines = (await readFile(join(folder, 'many.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(new Set(lines).size).toBe(200_000);
    expect(most - before).toBeLessThan(120_000_000);
    expect(reports).toEqual([...reports].sort((a, b) => a - b));
  });

  it('leaves nothing behind when it is cancelled', async () => {
    const stop = new AbortController();
    const call = tools
      .call('export_query', { sql: series(1_000_000), file: 'cancelled.csv' }, { signal: stop.signal })
      .catch(() => 'cancelled');
    await vi.waitFor(async () => expect(await readdir(folder)).toHaveLength(1), 5_000);
    expect(await readdir(folder)).not.toContain('cancelled.csv');
    stop.abort();
    expect(await call).toBe('cancelled');
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual([]), 5_000);
    expect((await tools.call('query', { sql: 'select 1 as a' })).text).toContain('a\n1');
  });
});

describe('where an export may go', () => {
  it('is nowhere unless the user names a folder', async () => {
    const tools = await openTools([]);
    const { text } = await tools.call('export_query', { sql: 'select 1', file: 'a.csv' });
    expect(text).toMatch(/^E_EXPORT_DIR.*\nNext: Ask the user to start this server with --export-dir/);
    await tools.close();
  });

  it.each(['/no/such/folder', '/etc/hostname'])('is no folder that is not there: %s', async (folder) => {
    const tools = await openTools([], { DBMOLE_EXPORT_DIR: folder });
    expect((await tools.call('export_query', { sql: 'select 1', file: 'a.csv' })).text).toMatch(/^E_EXPORT_DIR/);
    await tools.close();
  });
});
