import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { shopSql } from './shop-sqlite.ts';
import { fingerprint, nodeLines, runSql, useSqlite } from './sqlite-file.ts';

/** Counts for minutes, inside of SQLite. */
const slow = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000000000) select count(*) from n';

/** Holds a lock on the file, and says so, until its input ends. */
const holder = `process.removeAllListeners('warning');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const db = new DatabaseSync(process.argv[1]);
db.exec('begin exclusive; insert into audits values (1)');
console.log('locked');
process.stdin.resume().on('end', () => { db.exec('rollback'); db.close(); });`;

describe.each(nodeLines)('a SQLite file in Node %s', (line) => {
  const node = useSqlite(line);
  const folder = createTempFolder();
  const at = (name: string) => join(folder.path, name);
  let tools: OpenTools;
  const query = async (connection: string, sql: string, more: object = {}) =>
    (await tools.call('query', { connection, sql, ...more })).text;

  beforeAll(async () => {
    runSql(node(), at('app.db'), shopSql);
    const names = ['app', 'wal', 'left', 'locked', 'replaced', 'missing', 'broken', 'short', 'text', 'empty'];
    tools = await openTools(names.map((name) => ({ name, type: 'sqlite', file: at(`${name}.db`) })));
  });
  afterAll(async () => {
    await tools?.close();
    folder[Symbol.dispose]();
  });

  it('stops a statement inside of SQLite, and stays usable', async () => {
    const started = performance.now();
    expect(await query('app', slow, { timeout_ms: 300 })).toContain('E_TIMEOUT');
    // Generous for a busy machine: it would count for minutes.
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(await query('app', 'select 1')).toContain('1 row.');
  });

  it('gives up a read when the caller has enough rows, without reading them all', async () => {
    const sql = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n';
    expect(await query('app', sql, { limit: 5 })).toContain('\n5');
  });

  it('is read by several calls beside each other', async () => {
    const texts = await Promise.all(Array.from({ length: 8 }, (_, i) => query('app', `select ${i} + count(*) as n from orders`)));
    expect(texts.map((text) => text.split('\n').at(-1))).toEqual(Array.from({ length: 8 }, (_, i) => String(200 + i)));
  });

  it('in WAL mode is read without leaving files beside it', async () => {
    runSql(node(), at('wal.db'), `pragma journal_mode = wal; ${shopSql}`);
    const before = fingerprint(folder.path);
    expect(await query('wal', ['select count(*) from orders', 'pragma journal_mode'] as unknown as string)).toMatch(
      /200[\s\S]*wal/,
    );
    expect(fingerprint(folder.path)).toEqual(before);
  });

  it('in WAL mode shows what a program has written that has it open', async () => {
    const writer = spawn(node(), ['-e', holder.replace('begin exclusive; ', ''), at('wal.db')]);
    await once(writer.stdout, 'data');
    await vi.waitFor(async () => expect(await query('wal', 'select count(*) from audits')).toMatch(/\n1$/), 20_000);
    writer.stdin.end();
    await once(writer, 'close');
  });

  it('in WAL mode that a program left while it wrote is read without a change, or refused', async () => {
    const crash =
      "const db = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(process.argv[1]); db.exec(process.argv[2]);";
    const sql = 'pragma journal_mode = wal; create table t (a); insert into t values (1)';
    spawnSync(node(), ['-e', `${crash} process.kill(process.pid, 'SIGKILL')`, at('left.db'), sql]);
    const before = fingerprint(folder.path);
    expect(await query('left', 'select a from t')).toMatch(/\n1$/);
    expect(fingerprint(folder.path)).toEqual(before);
    // To read the rest of the file, SQLite would have to create this one again.
    rmSync(at('left.db-shm'));
    expect(await query('left', 'select a from t')).toMatch(/^E_FILE: .*-wal has changes/);
    expect(existsSync(at('left.db-shm'))).toBe(false);
  });

  it('that is locked says so, and by which program', async () => {
    runSql(node(), at('locked.db'), shopSql);
    const writer = spawn(node(), ['-e', holder, at('locked.db')]);
    await once(writer.stdout, 'data');
    const change = { connection: 'locked', sql: 'delete from audits where order_id = 1', timeout_ms: 3_000 };
    const isLocked = expect.stringMatching(/^E_DATABASE_LOCKED \(5\): SQLite says “database is locked”/);
    await vi.waitFor(
      async () => expect(await query('locked', 'select * from orders', { timeout_ms: 3_000 })).toEqual(isLocked),
      20_000,
    );
    const changed = (await tools.call('execute', change)).text;
    expect(changed).toEqual(isLocked);
    if (process.platform === 'linux') expect(changed).toContain(`process ${writer.pid}`);
    writer.stdin.end();
    await once(writer, 'close');
    expect(await query('locked', 'select count(*) from orders')).toContain('200');
  });

  it('that is replaced is read by the next call', async () => {
    runSql(node(), at('replaced.db'), 'create table t (a); insert into t values (1)');
    expect(await query('replaced', 'select a from t')).toMatch(/\n1$/);
    runSql(node(), at('next.db'), 'create table t (a); insert into t values (2)');
    renameSync(at('next.db'), at('replaced.db'));
    expect(await query('replaced', 'select a from t')).toMatch(/\n2$/);
  });

  it('that is missing, damaged, truncated, encrypted or no database is refused with what it is', async () => {
    expect(await query('missing', 'select 1')).toContain(`E_FILE: there is no file ${at('missing.db')}`);
    expect(existsSync(at('missing.db'))).toBe(false);
    writeFileSync(
      at('text.db'),
      'this is a text that is longer than the header of a database, which has one hundred bytes at its beginning',
    );
    expect(await query('text', 'select 1')).toContain('E_NOT_A_DATABASE');
    copyFileSync(at('app.db'), at('short.db'));
    truncateSync(at('short.db'), 5_000);
    expect(await query('short', 'select * from orders')).toContain('E_CORRUPT');
    copyFileSync(at('app.db'), at('broken.db'));
    const damage = `const fs = require('node:fs'); const f = fs.openSync(process.argv[1], 'r+');
for (let page = 1; page < fs.fstatSync(f).size / 4096; page++) fs.writeSync(f, Buffer.alloc(200, 0xff), 0, 200, page * 4096);`;
    execFileSync(node(), ['-e', damage, at('broken.db')]);
    expect(await query('broken', 'select * from orders')).toContain('E_CORRUPT');
    writeFileSync(at('empty.db'), '');
    expect(await query('empty', 'select 1')).toContain('1 row.');
  });

  it('in a folder that cannot be written to is read', async () => {
    const closed = createTempFolder();
    const file = join(closed.path, 'app.db');
    runSql(node(), file, `pragma journal_mode = wal; ${shopSql}`);
    chmodSync(file, 0o444);
    chmodSync(closed.path, 0o555);
    const own = await openTools([{ name: 'main', type: 'sqlite', file }]);
    expect((await own.call('query', { sql: 'select count(*) from orders' })).text).toContain('200');
    expect(readdirSync(closed.path)).toEqual(['app.db']);
    await own.close();
    chmodSync(closed.path, 0o755);
    closed[Symbol.dispose]();
  });

  it('that was being written when the call was stopped is rolled back', async () => {
    const sql = `insert into audits ${slow.replace('select count(*) from n', 'select i from n')}`;
    await query('app', 'select 1');
    const text = (await tools.call('execute', { connection: 'app', sql, timeout_ms: 2_000 })).text;
    expect(text).toMatch(/E_TIMEOUT[\s\S]*rolled back/);
    expect(await query('app', 'select count(*) from audits')).toMatch(/\n0$/);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('app.db'))).toEqual(['app.db']);
  });
});
