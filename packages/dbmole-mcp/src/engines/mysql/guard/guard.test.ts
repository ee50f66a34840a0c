import { readHint } from '@dbmole/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGuard } from './guard.ts';
import { createRefusal, type Server, serve } from './testing/fake-server.ts';

describe('the guard', () => {
  it('returns the sql_mode as its premise', async () => {
    const { run } = serve({ mode: 'ANSI_QUOTES,ANSI' });
    expect(await createGuard().check('SELECT "a"', run)).toMatchObject({ sql: 'SELECT "a"', premise: 'ANSI_QUOTES,ANSI' });
  });

  it('refuses an invalid sql_mode', async () => {
    expect(await createRefusal('SELECT 1', { mode: "x', GLOBAL y = 1" })).toMatchObject({ code: 'E_NOT_A_READ' });
  });

  it('refuses the text before it asks for more than the mode', async () => {
    const { run, asked } = serve({});
    await expect(createGuard().check('DELETE FROM t', run)).rejects.toMatchObject({ code: 'E_NOT_A_READ', position: 1 });
    await expect(createGuard().check('SELECT \u0000', run)).rejects.toMatchObject({ kind: 'input' });
    expect(asked).toHaveLength(1);
  });

  const far: Server = {
    tables: {
      'db.t': {},
      'db.plain': { view: 'select `db`.`t`.`a` AS `a` from `db`.`t`' },
      'db.v1': { view: 'select `db2`.`v2`.`a` AS `a` from (`db`.`t` join `db2`.`v2`)' },
      'db2.v2': { view: 'select `db2`.`f1`() AS `a`' },
      'db.locking': { view: "select get_lock('x',0) AS `a`" },
      'db.share': { view: 'select `db`.`t`.`a` AS `a` from `db`.`t` lock in share mode' },
      'db.loop': { view: 'select 1 from `db`.`loop`' },
    },
    routines: {
      'db2.f1': { text: 'CREATE FUNCTION `f1`() RETURNS int RETURN f2(1)' },
      'db2.f2': { text: 'CREATE FUNCTION `f2`(a int) RETURNS int RETURN native_one(a)' },
      'db.fine': { text: 'CREATE FUNCTION `fine`(a int) RETURNS int RETURN (SELECT a FROM plain)' },
      'db.setting': { text: 'CREATE FUNCTION `setting`() RETURNS int BEGIN SET GLOBAL a = 1; RETURN 1; END' },
      'db.other': { text: 'function other() {}', language: 'EXTERNAL' },
      'db.hidden': { text: null },
      'sys.system': { text: null, definer: 'mysql.sys@localhost' },
      'db.pretended': { text: null, definer: 'mysql.sys@localhost' },
    },
  };

  it.each([
    'SELECT * FROM t, plain',
    'SELECT fine(1) FROM plain',
    'SELECT sys.system(1)',
    'SELECT * FROM loop',
    'SELECT MD5(1)',
    'SELECT 1 FROM nowhere',
  ])('accepts a statement that leads only to reads: %s', async (sql) => {
    await createGuard().check(sql, serve(far).run);
  });

  it.each([
    [
      'SELECT  * FROM v1',
      16,
      'view db.v1 over view db2.v2 over function db2.f1 over function db2.f2 is not a read: native_one()',
    ],
    ['SELECT db2.f1()', 12, 'function db2.f1 over function db2.f2 is not a read: native_one()'],
    ['SELECT 1 FROM t, `locking`', 18, 'view db.locking is not a read: get_lock()'],
    ['SELECT (SELECT 1 FROM share)', 23, 'view db.share is not a read: LOCK IN SHARE MODE'],
    ['SELECT setting()', 8, 'function db.setting is not a read: it has SET GLOBAL'],
    ['SELECT other()', 8, 'function db.other cannot be checked: it is not in SQL'],
    ['SELECT pretended()', 8, 'function db.pretended cannot be checked: the account may not see its body'],
    ['SELECT hidden()', 8, 'function db.hidden cannot be checked: the account may not see its body'],
    ['SELECT native_one(1)', 8, 'native_one() is neither'],
    ['SHOW TABLES WHERE native_one(1)', 19, 'native_one() is neither'],
    ['EXPLAIN SELECT * FROM v1', 23, 'view db.v1'],
  ])('names the path on which %s is not a read', async (sql, position, message) => {
    const failure = await createRefusal(sql, far);
    expect(failure).toMatchObject({ code: 'E_NOT_A_READ', position });
    expect(failure.message).toContain(message);
  });

  it('looks up names in the database of the statement', async () => {
    expect(await createRefusal('SELECT * FROM v2', { ...far, database: 'db2' })).toMatchObject({ position: 15 });
    await createGuard().check('SELECT * FROM v2', serve(far).run);
    await createGuard().check('SELECT 1 FROM locking', serve({ ...far, database: null }).run);
    expect(await createRefusal('EXPLAIN FOR SCHEMA db2 SELECT * FROM v2', far)).toMatchObject({ position: 38 });
  });

  describe('and views whose definition is hidden', () => {
    const hidden = (native: Server['native'], definer = 'root@%'): Server => ({
      tables: { 'db.v': { view: '', definer }, 'sys.v': { view: '', definer } },
      ...(native === undefined ? {} : { native }),
    });

    it('lets them pass, unless it knows of native functions', async () => {
      for (const native of [[], 'hidden'] as const) await createGuard().check('SELECT * FROM v', serve(hidden(native)).run);
      expect(readHint(await createRefusal('SELECT * FROM v', hidden(['sys_exec'])))).toContain('SHOW VIEW');
      const own = hidden(['sys_exec'], 'mariadb.sys@localhost');
      await createGuard().check('SELECT * FROM sys.v', serve(own).run);
      expect(await createRefusal('SELECT * FROM v', own)).toMatchObject({ code: 'E_NOT_A_READ' });
    });
  });

  describe('and names in views that the account may not see', () => {
    const views: Server['tables'] = { 'db.v': { view: 'select `x`.`a` AS `a` from `hidden`.`x` join (select 1 from `q`) `y`' } };

    it('lets them pass, unless it knows of native functions', async () => {
      for (const native of [[], 'hidden'] as const) {
        await createGuard().check('SELECT * FROM v', serve({ tables: views, native }).run);
      }
      const failure = await createRefusal('SELECT * FROM v', { tables: views, native: ['sys_exec'] });
      expect(failure.message).toContain('the account may not see hidden.x');
      const seen: Server = { tables: { ...views, 'hidden.x': {} }, native: ['sys_exec'] };
      await createGuard().check('SELECT * FROM v, nowhere.x', serve(seen).run);
    });
  });

  describe('and tables of CONNECT', () => {
    const connect = (options: string): Server => ({ tables: { 'db.c': { engine: 'CONNECT', options } } });

    it.each(['', '`table_type`=CSV `file_name`="/type/x.csv"', '`TABLE_TYPE`=MYSQL `TABNAME`=t', "`option_list`='Type=DBF'"])(
      'reads files and tables: %s',
      async (options) => {
        await createGuard().check('SELECT * FROM c', serve(connect(options)).run);
        await createGuard().check('SELECT * FROM c', serve({ ...connect(options), version: '10.11.2-MariaDB' }).run);
      },
    );

    it.each([
      "`table_type`=MYSQL `option_list`='Execsrc=1'",
      "`table_type`=ODBC `srcdef`='select 1'",
      "`table_type`=JSON `http`='http://x'",
      '`table_type`=OEM',
      '`table_type`=PIVOT',
      "`option_list`='a=1,Type = xcol'",
      "`table_type`=CSV `option_list`='type=TBL'",
      '`TABNAME`=t',
      `\`file_name\`='${'x'.repeat(2_000)}'`,
    ])('refuses a table that can do more than read: %s', async (options) => {
      expect(await createRefusal('SELECT * FROM c', connect(options))).toMatchObject({ code: 'E_NOT_A_READ', position: 15 });
    });
  });
});

describe('columns of MariaDB that call something', () => {
  const version = '10.11.2-MariaDB';
  const ofTable = (table: { computed?: string[]; defaults?: string[] }): Server => ({
    version,
    tables: { 'db.t': table, 'db.v': { view: 'select default(`db`.`t`.`a`) AS `a` from `db`.`t`' } },
  });

  it.each(['concat(`a`,uuid())', "date_format(`a`,'%f(')", 'trim(leading \'x\' from "a")', "_latin1'it's f'"])(
    'lets pass what the server has: %s',
    async (expression) => {
      const server = ofTable({ computed: [expression], defaults: [expression] });
      const { run, asked } = serve(server);
      const guard = createGuard();
      await guard.check('SELECT * FROM t', run);
      await guard.check('SELECT * FROM t', run);
      expect(asked).toHaveLength(3);
      await guard.check('SELECT DEFAULT(a) FROM t', run);
      expect(asked).toHaveLength(5);
    },
  );

  it.each(["f('x' AS `'x'`)", 'concat(\'\\\\\',f("a"))', "_latin1'it's',f(`a`),'x'", "_latin1'' /* ',f(1)"])(
    'refuses another: %s',
    async (expression) => {
      const server = ofTable({ computed: [expression] });
      const guard = createGuard();
      const { run } = serve(server);
      for (let n = 0; n < 2; n += 1) {
        await expect(guard.check('SELECT * FROM t', run)).rejects.toMatchObject({ position: 15 });
      }
      expect((await createRefusal('SELECT * FROM v', server)).message).toContain(
        'view db.v over table db.t is not a read: f() is',
      );
      expect((await createRefusal('SELECT DEFAULT(a) FROM t', ofTable({ defaults: [expression] }))).position).toBe(24);
    },
  );

  it('refuses a default that takes a number of a sequence, which ends the server where a stored function evaluates it', async () => {
    const server = ofTable({ defaults: ['nextval(`db`.`s`)'] });
    await createGuard().check('SELECT * FROM t', serve(server).run);
    expect((await createRefusal('SELECT DEFAULT(a) FROM t', server)).message).toBe(
      'table db.t is not a read: nextval() advances a sequence',
    );
  });

  it('checks defaults where a statement, view or function evaluates one', async () => {
    const server = ofTable({ defaults: ['f(1)'] });
    const guard = createGuard();
    const { run } = serve(server);
    await guard.check('SELECT * FROM t', run);
    for (const sql of ['SELECT DEFAULT (a) FROM t', 'SELECT * FROM v', 'SELECT t.a FROM t, v']) {
      await expect(guard.check(sql, run)).rejects.toMatchObject({ code: 'E_NOT_A_READ' });
    }
    await guard.check('SELECT * FROM t', run);
    await createGuard().check('SELECT * FROM v', serve({ ...server, version: '8.0.31' }).run);
  });
});

describe('texts that run differently from what is shown', () => {
  const view = (charset: string, view: string, hex = ''): Server => ({ tables: { 'db.v': { view, charset, hex, shown: view } } });

  it.each([
    ['utf8mb4', "select '表?' AS `a`", ''],
    ['gbk', "select 'x\\\\' AS `a`", ''],
    ['gbk', "select '中\\\\'", '2773656C65637420D6D05C5C27'],
    ['latin1', "select 'é?'", ''],
  ])('accepts a text that %s cannot disguise: %s', async (...[charset, text, hex]) => {
    await createGuard().check('SELECT * FROM v', serve(view(charset, text, hex)).run);
  });

  it.each(["select _latin1'譢\\\\' AS `a`", "select group_concat(`a` separator '表')", 'select * from json_table(`表`)', ''])(
    'refuses one in gbk with texts of other character sets: %s',
    async (shown) => {
      const tables = { 'db.v': { view: "select '表'", charset: 'gbk', hex: '2773656C65637420B1ED27', shown } };
      expect((await createRefusal('SELECT * FROM v', { tables })).message).toContain('created in the character set gbk');
    },
  );

  it.each([
    ['swe7', 'select 1', ''],
    ['gbk', "select '縗'", '2773656C65637420BF5C27'],
    ['sjis', "select '?'", '2773656C656374203F27'],
    ['cp932', "select '偆'", '2773656C65637420FA7827'],
    ['big5', "select '功'", ''],
  ])('refuses a view in %s: %s', async (...[charset, text, hex]) => {
    const { message, position } = await createRefusal('SELECT * FROM v', view(charset, text, hex));
    expect([message, position]).toEqual([expect.stringContaining(`created in the character set ${charset}`), 15]);
  });

  const stored = (charset: string, value: string): Server => ({
    routines: { 'db.f': { text: `CREATE FUNCTION \`f\`() RETURNS int RETURN ${value}`, charset } },
  });

  it.each([
    ['swe7', '1'],
    ['armscii8', '1'],
    ['sjis', "'\\\\'"],
    ['ujis', "'\\\\'"],
    ['gbk', "'?'"],
    ['euckr', "'?'"],
  ])('refuses a function in %s: %s', async (charset, value) => {
    expect((await createRefusal('SELECT f()', stored(charset, value))).message).toMatch(/function db.f cannot be checked: .*/);
  });

  it.each([
    ['sjis', "'表'"],
    ['gbk', "'\\\\'"],
    ['latin1', "'?\\\\'"],
    ['utf8mb4', "'?'"],
  ])('accepts a function in %s: %s', async (charset, value) => {
    await createGuard().check('SELECT f()', serve(stored(charset, value)).run);
  });

  it('refuses halves of characters on MySQL only', async () => {
    await createGuard().check('SELECT f()', serve({ ...stored('gbk', "'?'"), version: '10.11.2-MariaDB' }).run);
  });
});

describe('the cache of the guard', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('asks once for a table and each time for a view', async () => {
    const tables: Record<string, { view?: string }> = { 'db.t': {}, 'db.v': { view: 'select 1' } };
    const { run, asked } = serve({ tables });
    const guard = createGuard();
    for (let n = 0; n < 3; n += 1) await guard.check('SELECT MD5(1) FROM t, information_schema.tables', run);
    expect(asked).toHaveLength(3);
    await guard.check('SELECT * FROM v', run);
    tables['db.v'] = { view: 'select sleep(1)' };
    await expect(guard.check('SELECT * FROM v', run)).rejects.toMatchObject({ code: 'E_NOT_A_READ' });
    tables['db.t'] = { view: 'select sleep(1)' };
    await guard.check('SELECT * FROM t', run);
    vi.advanceTimersByTime(11_000);
    await expect(guard.check('SELECT * FROM t', run)).rejects.toMatchObject({ code: 'E_NOT_A_READ' });
  });

  it('reads the columns of a table that was a view before', async () => {
    const tables: Record<string, { view?: string; computed?: string[] }> = { 'db.v': { view: 'select 1' } };
    const { run, asked } = serve({ tables, version: '10.11.2-MariaDB' });
    const guard = createGuard();
    for (let n = 0; n < 2; n += 1) await guard.check('SELECT * FROM v', run);
    expect(asked.filter((sql) => sql.includes('.COLUMNS'))).toHaveLength(1);
    tables['db.v'] = { computed: ['f(1)'] };
    await guard.check('SELECT * FROM v', run);
    vi.advanceTimersByTime(11_000);
    await expect(guard.check('SELECT * FROM v', run)).rejects.toMatchObject({ code: 'E_NOT_A_READ' });
  });

  it('forgets on request, and forgets the mode after a while', async () => {
    const server = { mode: '', tables: { 'db.t': {} } };
    const { run, asked } = serve(server);
    const guard = createGuard();
    await guard.check('SELECT 1 FROM t', run);
    server.mode = 'ANSI_QUOTES';
    expect(await guard.check('SELECT 1 FROM t', run)).toMatchObject({ premise: '' });
    guard.forget();
    expect(await guard.check('SELECT 1 FROM t', run)).toMatchObject({ premise: 'ANSI_QUOTES' });
    server.mode = '';
    vi.advanceTimersByTime(61_000);
    expect(await guard.check('SELECT 1', run)).toMatchObject({ premise: '' });
    expect(asked).toHaveLength(5);
  });
});
