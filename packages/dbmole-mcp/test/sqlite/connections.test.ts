import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp, runProgram } from '@dbmole/core';
import { connectTestClient, createFakeTerminal, createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionSchema } from '../../src/connection/schema.ts';
import { findNode } from '../../src/engines/sqlite/wire/find-node.ts';
import { definition } from '../../src/server.ts';
import { shopSql } from './shop-sqlite.ts';
import { runSql, useSqlite } from './sqlite-file.ts';

const issuesOf = (fields: object) =>
  connectionSchema
    .safeParse({ name: 'app', ...fields })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a connection to a SQLite file', () => {
  it('is written by its file or its URL', () => {
    for (const fields of [
      { file: './app.db' },
      { type: 'sqlite', file: './app.db' },
      { url: 'sqlite:./app.db' },
      { url: 'file:./app.db' },
    ])
      expect(connectionSchema.parse({ name: 'app', ...fields })).toMatchObject({
        type: 'sqlite',
        file: './app.db',
        readonly: false,
      });
    expect(connectionSchema.parse({ name: 'app', url: 'sqlite:////data/my%20app.db?mode=ro' })).toMatchObject({
      file: '/data/my app.db',
    });
    expect(issuesOf({ url: 'sqlite:///app.db' })).toEqual([expect.stringContaining('write sqlite:./app.db for a relative path')]);
    expect(issuesOf({ url: 'sqlite::memory:' })).toEqual([expect.stringContaining('it names no file')]);
  });

  it('refuses what SQLite has not, and limits that would not be enforced', () => {
    for (const field of ['host', 'user', 'database', 'schema', 'tls', 'ssh', 'password', 'trust'])
      expect([field, issuesOf({ file: 'a.db', [field]: 'x' })?.length]).toEqual([field, 1]);
    expect(issuesOf({ file: 'a.db', maxCost: 5 })).toEqual([expect.stringContaining('SQLite estimates no costs')]);
    expect(issuesOf({ file: 'a.db', warn: true })).toEqual([expect.stringContaining('it needs a limit')]);
    const policy = {
      tables: ['a'],
      schemas: ['main'],
      columns: { 't.a': 'mask' },
      pii: 'common',
      maxScanRows: 5,
      maxBytes: 5,
      warn: true,
    };
    expect(issuesOf({ file: 'a.db', ...policy })).toBeUndefined();
    expect(issuesOf({ type: 'postgres', file: 'a.db', host: 'h', user: 'u' })).toEqual([
      expect.stringContaining('opens no file'),
    ]);
  });

  it('names the Node that it needs', () => {
    expect(findNode({}, '24.1.0')).toBe(process.execPath);
    expect(findNode({}, '22.16.0')).toBe(process.execPath);
    expect(findNode({ DBMOLE_NODE: '/opt/node' }, '20.19.0')).toBe('/opt/node');
    for (const version of ['20.20.2', '22.15.1'])
      expect(() => findNode({}, version)).toThrow(`SQLite needs Node 22.16 or later, and this server runs on Node ${version}`);
  });
});

describe('a SQLite file of a project', () => {
  const node = useSqlite(24);
  const home = createTempFolder();
  const work = join(home.path, 'work');
  const at = (name: string) => join(work, name);
  const env = { DBMOLE_STORE: join(home.path, 'store.json') };

  beforeAll(() => {
    mkdirSync(work);
    runSql(node(), at('app.db'), shopSql);
    writeFileSync(at('text.db'), 'a text that is no database, however long it is, as its first bytes show');
    symlinkSync('/etc/passwd', at('link.db'));
    writeFileSync(join(home.path, 'other.db'), '');
  });
  afterAll(() => home[Symbol.dispose]());

  it('is the only kind of file that a tool can add', async () => {
    const app = createApp(definition, { env, cwd: work, home: home.path, log: () => undefined });
    const client = await connectTestClient(app.toolServer);
    const add = async (file: string) => (await client.call('add_connection', { name: 'added', file })).text;
    for (const file of ['/etc/passwd', '../other.db', 'link.db'])
      expect([file, await add(file)]).toEqual([file, expect.stringContaining('E_PERSON_ONLY')]);
    expect(await add('text.db')).toContain('E_NOT_A_DATABASE');
    expect(await add('gone.db')).toContain('there is no file');
    expect(await add('app.db')).toContain('Added added');
    const read = async () => (await client.call('query', { connection: 'added', sql: 'select count(*) from orders' })).text;
    expect(await read()).toContain('200');
    // What the tool checked is not what is there now.
    renameSync(at('app.db'), join(home.path, 'moved.db'));
    for (const link of [symlinkSync, linkSync]) {
      link(join(home.path, 'moved.db'), at('app.db'));
      expect(await read()).toMatch(/^E_FILE: \S+app\.db is a link or has another name/);
      rmSync(at('app.db'));
    }
    renameSync(join(home.path, 'moved.db'), at('app.db'));
    expect(await read()).toContain('200');
    await client.call('remove_connection', { name: 'added' });
    await client.close();
    await app.dispose();
  });

  it('is added, read and imported at the command line', async () => {
    const run = async (...argv: string[]) => {
      const terminal = createFakeTerminal({ folder: work, argv, env });
      await runProgram(definition, terminal);
      return `${terminal.printed}${terminal.complained}`;
    };
    expect(await run('connections', 'add', 'app', './app.db')).toMatch(
      /app answers: SQLite 3\.[\d.]+, file \S+app\.db[\s\S]*Added app, read-only/,
    );
    expect(await run('query', 'app', 'select count(*) as n from orders')).toContain('200');
    expect(await run('tables', 'app')).toContain('customers');
    expect(await run('doctor')).toMatch(/ok {2}app .*SQLite 3/);
    writeFileSync(at('.env'), 'DATABASE_URL="file:./app.db"\n');
    expect(await run('connections', 'import')).toContain('already configured: app');
  });
});
