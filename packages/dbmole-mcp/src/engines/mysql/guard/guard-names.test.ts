import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { createGuard } from './guard.ts';
import { refusalOf, type Server, serve } from './testing/fake-server.ts';

describe('names that are not what they look like', () => {
  it.each([
    ["SELECT ENCRYPT('x')", 'ENCRYPT'],
    ["SELECT `encrypt`('x')", '`encrypt`'],
    ["SELECT 1 FROM t WHERE md5('x')", 'MD5'],
  ])('refuses a native function of a name that other servers have: %s', async (sql, called) => {
    await createGuard().check(sql, serve({}).run);
    expect(await refusalOf(sql, { added: [called] })).toMatchObject({ code: 'E_NOT_A_READ' });
  });

  it('knows the functions that MySQL has moved to a component', async () => {
    const sql = 'SELECT MD5(a), `sha1`(a) FROM v';
    const tables = { 'db.v': { view: 'select md5(`db`.`t`.`a` AS `a`) AS `a` from `db`.`t`' } };
    const added = ['MD5', '`md5`', '`sha1`'];
    const ofComponent: Server = {
      tables,
      added: [...added, 'md5', 'ENCRYPT'],
      libraries: { md5: null, sha1: null, encrypt: null },
    };
    await createGuard().check(sql, serve(ofComponent).run);
    expect(await refusalOf('SELECT ENCRYPT(1)', ofComponent)).toMatchObject({ position: 8 });
    expect(await refusalOf(sql, { ...ofComponent, libraries: { md5: null, sha1: 'probe.so' } })).toMatchObject({ position: 16 });
    expect(await refusalOf(sql, { ...ofComponent, native: 'hidden' })).toMatchObject({ position: 8 });
    expect(await refusalOf(sql, { tables, added })).toMatchObject({ position: 8 });
  });

  it('says which right shows a function that a view calls', async () => {
    const server = { tables: { 'db.v': { view: 'select `f`(1) AS `a`' } } };
    expect((await refusalOf('SELECT * FROM v', server)).hint).toContain('SHOW_ROUTINE');
    expect((await refusalOf('SELECT * FROM v', { ...server, version: '10.11.2-MariaDB' })).hint).toContain('mysql.proc');
    expect((await refusalOf('SELECT f(1)', server)).hint).toContain('Check the name');
  });

  it('takes words of the grammar of MariaDB for that', async () => {
    const server = { version: '10.11.2-MariaDB', added: ['POINT'] };
    await createGuard().check('SELECT POINT(1, 2)', serve(server).run);
    expect(await refusalOf('SELECT POINT(1, 2)', { ...server, version: '8.0.31' })).toMatchObject({ position: 8 });
    expect(await refusalOf('SELECT `point`(1)', { ...server, added: ['`point`'] })).toMatchObject({ position: 8 });
  });

  describe('because a native function goes before them', () => {
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
        'db.p': {
          type: 'PACKAGE BODY',
          mode: 'ORACLE',
          text: 'CREATE PACKAGE BODY "p" AS FUNCTION f RETURN INT AS BEGIN RETURN 1; END; FUNCTION h RETURN INT AS BEGIN RETURN f(); END; END',
        },
      },
    };

    it.each(['SELECT f(1)', 'SELECT `f` (1)', 'SELECT g()', 'SELECT * FROM v', 'SELECT p.h()'])('refuses %s', async (sql) => {
      const maria = { ...server, version: '10.11.2-MariaDB' };
      await createGuard().check(sql, serve(maria).run);
      const failure = await refusalOf(sql, { ...maria, added: ['`f`'] });
      expect(failure.message).toContain('f() is a native function that was added to the server');
    });

    it('lets pass what the database stands before', async () => {
      await createGuard().check('SELECT db.f(1)', serve({ ...server, added: ['`f`'] }).run);
    });

    it('asks once in a while', async () => {
      const { run, asked } = serve(server);
      const guard = createGuard();
      for (let n = 0; n < 3; n += 1) await guard.check('SELECT f(1), f(2)', run);
      expect(asked.filter((sql) => sql.includes('no_such_column'))).toHaveLength(1);
    });

    it('knows what MySQL only shows in views with totals', async () => {
      await createGuard().check('SELECT * FROM total', serve(server).run);
      expect(await refusalOf('SELECT * FROM total', { ...server, added: ['`rollup_sum_switcher`'] })).toMatchObject({
        position: 15,
      });
      expect(await refusalOf('SELECT rollup_group_item(1)', server)).toMatchObject({ position: 8 });
    });
  });

  it('looks at a function of the database although the package has one of its name', async () => {
    const body = 'FUNCTION h RETURN INT AS BEGIN RETURN f(); END; FUNCTION f RETURN INT AS BEGIN RETURN 1; END; END';
    const p = { type: 'PACKAGE BODY', mode: 'ORACLE', text: `CREATE PACKAGE BODY "p" AS ${body}` };
    const f = { text: 'CREATE FUNCTION `f`() RETURNS int RETURN 1' };
    const version = '10.11.2-MariaDB';
    for (const routines of [{ 'db.p': p }, { 'db.p': p, 'db.f': f }]) {
      await createGuard().check('SELECT p.h()', serve({ version, routines }).run);
    }
    const acting = { text: "CREATE FUNCTION `f`() RETURNS int RETURN GET_LOCK('x', 1)" };
    const { message } = await refusalOf('SELECT p.h()', { version, routines: { 'db.p': p, 'db.f': acting } });
    expect(message).toContain('package body db.p over function db.f is no read');
  });

  it('tells names with points from points between names', async () => {
    const { run } = serve({});
    const answer: typeof run = async (sql) => {
      if (sql.startsWith('SHOW CREATE')) return [['', '', 'CREATE FUNCTION `c`() RETURNS int RETURN 1']];
      const isAsked = sql.includes('.ROUTINES') && sql.includes(Buffer.from('a.b').toString('hex'));
      return isAsked ? [['a.b', 'c', 'FUNCTION', 'SQL', '', '', 'root@%', 'utf8mb4']] : run(sql);
    };
    await createGuard().check('SELECT `a.b`.c()', answer);
    await expect(createGuard().check('SELECT `a.b`.c(), a.b.c()', answer)).rejects.toMatchObject({ position: 23 });
  });

  it('takes a word with a blank for a plain name where the server does', async () => {
    const sql = 'SELECT RANK () OVER (ORDER BY a) FROM t';
    await createGuard().check(sql, serve({}).run);
    expect(await refusalOf(sql, { version: '10.11.2-MariaDB' })).toMatchObject({ position: 8 });
    await createGuard().check(sql, serve({ version: '10.11.2-MariaDB', mode: 'IGNORE_SPACE' }).run);
    await createGuard().check(sql.replace(' (', '('), serve({ version: '10.11.2-MariaDB' }).run);
    expect(await refusalOf("SELECT median ('x')", {})).toMatchObject({ position: 8 });
  });

  it('takes words of one grammar for names in the other', async () => {
    const tables: Server['tables'] = { 'db.elseif': { view: "select get_lock('x',0) AS `a`" } };
    await createGuard().check('SELECT * FROM elseif', serve({ tables }).run);
    expect(await refusalOf('SELECT * FROM elseif', { tables, mode: 'ORACLE' })).toMatchObject({ position: 15 });
    expect(await refusalOf('SELECT elseif(1)', { mode: 'ORACLE' })).toMatchObject({ position: 8 });
  });

  it('looks for names as MySQL does: without characters beyond the basic plane', async () => {
    const tables: Server['tables'] = { 'db.v?': { view: "select get_lock('x',0) AS `a`" } };
    const { run, asked } = serve({ tables });
    await createGuard().check('SELECT * FROM `v🦔`, w🦔 JOIN 1🦔.`x`', run);
    const hex = (name: string) => Buffer.from(name).toString('hex');
    for (const name of ['v?', 'w?', '1?']) expect(asked.join()).toContain(`x'${hex(name)}'`);
  });

  it('knows which words in front of a bracket call nothing', async () => {
    const { run } = serve({});
    await createGuard().check('WITH sleep (a) AS (SELECT 1), get_lock (b) AS (SELECT 2) SELECT * FROM sleep, get_lock', run);
    await createGuard().check('SELECT * FROM (SELECT 1) AS sleep (a), (SELECT 2) benchmark (b)', run);
    await createGuard().check('SELECT SQL_NO_CACHE (a), (SELECT SQL_BUFFER_RESULT (b)) FROM t', run);
    expect(await refusalOf('SELECT 1, SQL_NO_CACHE (a) FROM t', {})).toMatchObject({ position: 11 });
    expect(await refusalOf('SELECT 1 AS a, sleep (1) FROM t', {})).toMatchObject({ position: 16 });
  });

  it('passes on that it could not ask', async () => {
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
    expect((await refusalOf(`SELECT 1 FROM ${name}`, server)).message).toMatch(/resets its counters/);
    expect(await refusalOf('SELECT 1 FROM innodb_cmp_reset', { database: 'information_schema' })).toMatchObject({
      position: 15,
    });
    await createGuard().check('SELECT 1 FROM information_schema.innodb_cmp, innodb_cmp_reset', serve(server).run);
  });
});
