import { Failure } from '@dbmole/core';
import { readHint } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { createGuard } from './guard.ts';
import { createRefusal, type Server, serve } from './testing/fake-server.ts';

describe('names with several meanings', () => {
  it.each([
    ["SELECT DES_ENCRYPT('x')", 'DES_ENCRYPT'],
    ["SELECT `des_encrypt`('x')", '`des_encrypt`'],
    ["SELECT 1 FROM t WHERE md5('x')", 'MD5'],
  ])('refuses a native function of a name that other servers have: %s', async (sql, called) => {
    await createGuard().check(sql, serve({}).run);
    expect(await createRefusal(sql, { added: [called] })).toMatchObject({ code: 'E_NOT_A_READ' });
  });

  it('accepts functions that MySQL moved to a component', async () => {
    const sql = 'SELECT MD5(a), `sha1`(a) FROM v';
    const tables = { 'db.v': { view: 'select md5(`db`.`t`.`a` AS `a`) AS `a` from `db`.`t`' } };
    const added = ['MD5', '`md5`', '`sha1`'];
    const ofComponent: Server = {
      tables,
      added: [...added, 'md5', 'DES_ENCRYPT'],
      libraries: { md5: null, sha1: null, des_encrypt: null },
    };
    await createGuard().check(sql, serve(ofComponent).run);
    expect(await createRefusal('SELECT DES_ENCRYPT(1)', ofComponent)).toMatchObject({ position: 8 });
    expect(await createRefusal(sql, { ...ofComponent, libraries: { md5: null, sha1: 'probe.so' } })).toMatchObject({
      position: 16,
    });
    expect(await createRefusal(sql, { ...ofComponent, native: 'hidden' })).toMatchObject({ position: 8 });
    expect(await createRefusal(sql, { tables, added })).toMatchObject({ position: 8 });
  });

  it('names the right that shows a function of a view', async () => {
    const server = { tables: { 'db.v': { view: 'select `f`(1) AS `a`' } } };
    expect(readHint(await createRefusal('SELECT * FROM v', server))).toContain('SHOW_ROUTINE');
    expect(readHint(await createRefusal('SELECT * FROM v', { ...server, version: '10.11.2-MariaDB' }))).toContain('mysql.proc');
    expect(readHint(await createRefusal('SELECT f(1)', server))).toContain('Check the name');
    const foreign = await createRefusal("SELECT to_char(1, 'YYYY')", { ...server, added: ['TO_CHAR'] });
    expect(readHint(foreign)).toBe("Here that is DATE_FORMAT(x, '%Y-%m-%d').");
    expect(foreign?.nearest).not.toContain('TO_CHAR');
  });

  it("treats words of MariaDB's grammar as grammar", async () => {
    const server = { version: '10.11.2-MariaDB', added: ['POINT'] };
    await createGuard().check('SELECT POINT(1, 2)', serve(server).run);
    expect(await createRefusal('SELECT POINT(1, 2)', { ...server, version: '8.0.31' })).toMatchObject({ position: 8 });
    expect(await createRefusal('SELECT `point`(1)', { ...server, added: ['`point`'] })).toMatchObject({ position: 8 });
  });

  describe('because a native function takes precedence', () => {
    const server: Server = {
      tables: {
        'db.v': { view: 'select f(1) AS `a`' },
        'db.total': {
          view: 'select rollup_group_item(`db`.`t`.`a`,0) AS `a`,rollup_sum_switcher(count(0)) AS `b` from `db`.`t`',
        },
      },
      routines: {
        'db.f': { text: 'CREATE FUNCTION `f`(a int) RETURNS int RETURN 1' },
        'db.g': { text: 'CREATE FUNCTION `g`() RETURNS int RETURN f(1)' },
      },
    };

    it.each(['SELECT f(1)', 'SELECT `f` (1)', 'SELECT g()', 'SELECT * FROM v'])('refuses the read %s', async (sql) => {
      const maria = { ...server, version: '10.11.2-MariaDB' };
      await createGuard().check(sql, serve(maria).run);
      const failure = await createRefusal(sql, { ...maria, added: ['`f`'] });
      expect(failure.message).toContain('f() is a function loaded into the server');
    });

    it('accepts a stored function with its database', async () => {
      await createGuard().check('SELECT db.f(1)', serve({ ...server, added: ['`f`'] }).run);
    });

    it('asks for native functions only once in a while', async () => {
      const { run, asked } = serve(server);
      const guard = createGuard();
      for (let n = 0; n < 3; n += 1) await guard.check('SELECT f(1), f(2)', run);
      expect(asked.filter((sql) => sql.includes('no_such_column'))).toHaveLength(1);
    });

    it('accepts names that MySQL only shows in views with totals', async () => {
      await createGuard().check('SELECT * FROM total', serve(server).run);
      expect(await createRefusal('SELECT * FROM total', { ...server, added: ['`rollup_sum_switcher`'] })).toMatchObject({
        position: 15,
      });
      expect(await createRefusal('SELECT rollup_group_item(1)', server)).toMatchObject({ position: 8 });
    });
  });

  it.each(['PACKAGE', 'PACKAGE BODY'])('refuses a function of a %s', async (type) => {
    const routines = { 'db.p': { type, text: 'CREATE PACKAGE BODY p FUNCTION h() RETURNS INT RETURN 1; END' } };
    for (const sql of ['SELECT p.h()', 'SELECT db.p.h()']) {
      const { message } = await createRefusal(sql, { version: '11.4.2-MariaDB', routines });
      expect(message).toBe(`${type.toLowerCase()} db.p cannot be checked: packages are not supported`);
    }
  });

  it('distinguishes names with dots from dots between names', async () => {
    const { run } = serve({});
    const answer: typeof run = async (sql) => {
      if (sql.startsWith('SHOW CREATE')) return [['', '', 'CREATE FUNCTION `c`() RETURNS int RETURN 1']];
      const isAsked = sql.includes('.ROUTINES') && sql.includes(Buffer.from('a.b').toString('hex'));
      return isAsked ? [['a.b', 'c', 'FUNCTION', 'SQL', '', '', 'root@%', 'utf8mb4']] : run(sql);
    };
    await createGuard().check('SELECT `a.b`.c()', answer);
    await expect(createGuard().check('SELECT `a.b`.c(), a.b.c()', answer)).rejects.toMatchObject({ position: 23 });
  });

  it('treats a word with a blank as an ordinary name where the server does', async () => {
    const sql = 'SELECT RANK () OVER (ORDER BY a) FROM t';
    await createGuard().check(sql, serve({}).run);
    expect(await createRefusal(sql, { version: '10.11.2-MariaDB' })).toMatchObject({ position: 8 });
    await createGuard().check(sql, serve({ version: '10.11.2-MariaDB', mode: 'IGNORE_SPACE' }).run);
    await createGuard().check(sql.replace(' (', '('), serve({ version: '10.11.2-MariaDB' }).run);
    expect(await createRefusal("SELECT median ('x')", {})).toMatchObject({ position: 8 });
  });

  it('refuses every read on a server with sql_mode ORACLE', async () => {
    const { message, code } = await createRefusal('SELECT 1', { mode: 'PIPES_AS_CONCAT,ORACLE' });
    expect([code, message]).toEqual(['E_NOT_A_READ', 'sql_mode ORACLE is refused: its grammar cannot be checked']);
  });

  it('looks up names as MySQL does, without characters beyond the basic plane', async () => {
    const tables: Server['tables'] = { 'db.v?': { view: "select get_lock('x',0) AS `a`" } };
    const { run, asked } = serve({ tables });
    await createGuard().check('SELECT * FROM `v🦔`, w🦔 JOIN 1🦔.`x`', run);
    const hex = (name: string) => Buffer.from(name).toString('hex');
    for (const name of ['v?', 'w?', '1?']) expect(asked.join()).toContain(`x'${hex(name)}'`);
  });

  it('accepts words before a parenthesis that call nothing', async () => {
    const { run } = serve({});
    await createGuard().check('WITH sleep (a) AS (SELECT 1), get_lock (b) AS (SELECT 2) SELECT * FROM sleep, get_lock', run);
    await createGuard().check('SELECT * FROM (SELECT 1) AS sleep (a), (SELECT 2) benchmark (b)', run);
    await createGuard().check('SELECT SQL_NO_CACHE (a), (SELECT SQL_BUFFER_RESULT (b)) FROM t', run);
    expect(await createRefusal('SELECT 1, SQL_NO_CACHE (a) FROM t', {})).toMatchObject({ position: 11 });
    expect(await createRefusal('SELECT 1 AS a, sleep (1) FROM t', {})).toMatchObject({ position: 16 });
  });

  it('passes on an error of its own question', async () => {
    const { run } = serve({});
    const lost: CatalogQuestion = async (sql) => {
      if (sql.includes('no_such_column')) throw new Failure('connection', 'lost');
      return await run(sql);
    };
    await expect(createGuard().check('SELECT MD5(1)', lost)).rejects.toMatchObject({ kind: 'connection' });
  });

  it.each([
    'information_schema.INNODB_CMP_RESET',
    'information_schema.innodb_buffer_pool_stats',
    'INFORMATION_SCHEMA.innodb_cmpmem_reset',
    'v',
  ])('refuses to read %s', async (name) => {
    const server = { tables: { 'db.v': { view: 'select 1 from `information_schema`.`INNODB_CMP_PER_INDEX_RESET`' } } };
    expect((await createRefusal(`SELECT 1 FROM ${name}`, server)).message).toMatch(/resets its counters/);
    expect(await createRefusal('SELECT 1 FROM innodb_cmp_reset', { database: 'information_schema' })).toMatchObject({
      position: 15,
    });
    await createGuard().check('SELECT 1 FROM information_schema.innodb_cmp, innodb_cmp_reset', serve(server).run);
  });

  it('compares the names of system schemas and their tables as servers do', async () => {
    for (const table of [
      'information_schema.İnnodb_cmp_reset',
      'information_ſchema.INNODB_CMP_RESET',
      'ınformation_schema.`innodb_cmp_reſet`',
    ])
      expect(await createRefusal(`SELECT * FROM ${table}`, {}), table).toMatchObject({ code: 'E_NOT_A_READ', position: 15 });
    const scoped = createGuard({ scope: [{ tables: ['!db.secret'] }] });
    for (const table of ['information_ſchema.tables', 'performance_ſchema.threads', 'Information_Schema.tables'])
      await expect(scoped.check(`SELECT * FROM ${table}`, serve({}).run), table).rejects.toMatchObject({
        code: 'E_OUT_OF_SCOPE',
      });
  });
});
