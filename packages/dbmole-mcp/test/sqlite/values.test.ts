import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { nodeLines, runSql, useSqlite } from './sqlite-file.ts';

describe.each(nodeLines)('values of SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  let tools: OpenTools;
  let file: string;
  const query = async (sql: string, more: object = {}) => (await tools.call('query', { sql, ...more })).text;
  const rows = async (sql: string, more: object = {}) => (await query(sql, more)).split('\n').slice(1);

  beforeAll(async () => {
    tools = await openTools([{ name: 'main', type: 'sqlite', file: './app.db' }]);
    file = join(tools.folder, 'app.db');
    runSql(
      node(),
      file,
      "create table t (i integer, r real, s text, b blob, a); insert into t values (9223372036854775807, 0.1, 'x', x'00ff', null)",
    );
  });
  afterAll(() => tools.close());

  it('are shown exactly, to the last digit', async () => {
    expect(await rows('select * from t')).toEqual(['i,r,s,b,a', '9223372036854775807,0.1,x,0x00ff,NULL']);
    expect(await rows("select -9223372036854775808, 0.1 + 0.2, 1e21, 1e15, -0.0, 5e-324, 1.0, 9e999, '', 'NULL', x''")).toEqual([
      expect.any(String),
      '-9223372036854775808,0.30000000000000004,1.0e+21,1000000000000000.0,0.0,5.0e-324,1.0,Inf,"","NULL",0x',
    ]);
  });

  it('are printed as SQLite prints them, wherever its own text is exact', async () => {
    const numbers = '0.5 1.0 100.0 -2.5 0.001 0.0001 0.00001 1.5e-4 123456.789 1e14 1e17 1e20 1e100 -1.5e-10 12345678.9'.split(
      ' ',
    );
    const found = await rows(numbers.map((number) => `select ${number}, cast(${number} as text)`).join(' union all '));
    for (const row of found.slice(1)) {
      const [shown, printed] = row.split(',');
      expect(shown).toBe(printed);
    }
    expect(found).toHaveLength(numbers.length + 1);
  });

  it('are bound with their types', async () => {
    const types = 'select typeof(?1) a, typeof(?2) b, typeof(?3) c, typeof(?4) d, typeof(?5) e, typeof(?6) f';
    expect(await rows(types, { params: [5, 5.5, 'x', null, true, [1, 2]] })).toEqual([
      'a,b,c,d,e,f',
      'integer,real,text,null,integer,text',
    ]);
    expect(await rows('select :a || :b || ?, :a', { params: ['x', 'y', 'z'] })).toEqual([':a || :b || ?,:a', 'xyz,x']);
    expect(await rows('select ?2 || ?1', { params: ['x', 'y'] })).toEqual(['?2 || ?1', 'yx']);
    expect(await rows('select value from json_each(?)', { params: [[1, 'b']] })).toEqual(['value', '1', 'b']);
    expect(await query('select ?, ?', { params: [1] })).toContain(
      'E_PARAMS: the statement has 2 placeholders, and 1 param was given',
    );
    expect(await query("select '?', ':a', \"?\", /* ? */ 1 -- ?", { params: [1] })).toContain('0 placeholders');
  });

  it('with NUL are whole where Node reads them whole', async () => {
    const [, shown] = await rows("select 'a' || char(0) || 'b' as s, hex('a' || char(0) || 'b') as h");
    // Node 22 ends a text at the NUL, which hex() shows.
    expect(shown).toBe(line === 22 ? 'a,610062' : 'a⟦U+0000⟧b,610062');
  });

  it('are cut when they are long, and can be read on', async () => {
    const long = await query("select printf('%.*c', 100000, 'x') as s");
    expect(long).toMatch(/100,?000/);
    expect(long.length).toBeLessThan(60_000);
    const blob = await query('select randomblob(50000) as b');
    expect(blob).toMatch(/50,?000 bytes/);
  });
});
