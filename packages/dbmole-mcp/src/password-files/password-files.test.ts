import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from '@dbmole/core';
import { failureOf } from '@dbmole/core/testing';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionSchema, resolvePort } from '../connection/schema.ts';
import { definition } from '../server.ts';
import { parseMyCnf } from './my-cnf.ts';
import { parsePgService } from './pg-service.ts';
import { findPassword, parsePgpass } from './pgpass.ts';

const key = { host: 'db.internal', port: 5432, database: 'shop', user: 'reader' };
const found = (text: string, more: Partial<typeof key> = {}) => findPassword(parsePgpass(text), { ...key, ...more });

describe('.pgpass', () => {
  it.each([
    ['db.internal:5432:shop:reader:pw', 'pw'],
    ['*:*:*:*:pw', 'pw'],
    ['db.internal:*:*:reader:pw', 'pw'],
    ['other:5432:shop:reader:pw', undefined],
    ['db.internal:5433:shop:reader:pw', undefined],
    ['db.internal:5432:other:reader:pw', undefined],
    ['db.internal:5432:shop:other:pw', undefined],
    ['DB.internal:5432:shop:reader:pw', undefined],
    ['other:*:*:*:no\n\n# db.internal:5432:shop:reader:no\ndb.internal:*:*:*:first\n*:*:*:*:second', 'first'],
    ['db.internal:5432:shop:reader:p\\:w\\\\:ignored', 'p:w\\'],
    ['db.internal:5432:shop:reader:p*w #x \r\n', 'p*w #x '],
    ['db.internal:5432:shop:reader', undefined],
    ['\\*:5432:shop:reader:pw', undefined],
    ['db.internal:5432:shop:reader:\n*:*:*:*:second', ''],
    [':5432:shop:reader:pw', undefined],
  ])('%j', (text, password) => {
    expect(found(text)).toBe(password);
  });

  it('escapes colons and backslashes in every field', () => {
    expect(found('\\:\\:1:5432:a\\\\b:x\\:y:pw', { host: '::1', database: 'a\\b', user: 'x:y' })).toBe('pw');
  });

  it('finds every password under every name, once they are escaped', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !/[\r\n\0]/.test(text) && text !== '*');
    const escaped = (text: string) => text.replace(/[\\:]/g, '\\$&');
    fc.assert(
      fc.property(word, word, word, word, (host, database, user, password) => {
        fc.pre(!host.startsWith('#') && !host.startsWith('/'));
        const line = `${[host, '*', database, user, password].map((one) => (one === '*' ? one : escaped(one))).join(':')}\n`;
        expect(found(line, { host, database, user })).toBe(password);
      }),
    );
  });

  it('calls the default socket of the machine localhost', () => {
    for (const host of ['/var/run/postgresql', '/tmp', 'localhost']) expect(found('localhost:*:*:*:pw', { host })).toBe('pw');
    expect(found('localhost:*:*:*:pw', { host: '/srv/socket' })).toBeUndefined();
    expect(found('/srv/socket:*:*:*:pw', { host: '/srv/socket' })).toBe('pw');
    expect(found('localhost:*:*:*:pw', { host: '127.0.0.1' })).toBeUndefined();
  });
});

describe('pg_service.conf', () => {
  it('is read as its own library reads it', () => {
    const text =
      '# c\npassword=none\n[a]\r\nhost=x\npassword= p"w#\' \npassword=second\n\n[b]\n user = me\n#password=no\n[a]\npassword=third\n';
    expect(parsePgService(text)).toEqual(
      new Map([
        [
          'a',
          new Map([
            ['host', 'x'],
            ['password', ' p"w#\''],
          ]),
        ],
        ['b', new Map([['user', 'me']])],
      ]),
    );
  });
});

describe('my.cnf', () => {
  it.each([
    ['password=pw', 'pw'],
    ['  password = pw  ', 'pw'],
    ['password="p#w"', 'p#w'],
    ["password='p\"w' # comment", 'p"w'],
    ['password=pw # comment', 'pw'],
    ['password=p\\sw\\\\\\x\\"', 'p w\\\\x"'],
    ['password="a\\"#b"', 'a"#b'],
    ['password=a=b', 'a=b'],
    ['password=first\npassword=last', 'last'],
    ['#password=no\n;password=no\n!include /etc/passwd', undefined],
    ['password', ''],
    ['password="', '"'],
  ])('%j', (line, password) => {
    expect(
      parseMyCnf(`password=outside\n[mysqld]\npassword=no\n[client]\n${line}\n[clientprod]\n`).get('client')?.get('password'),
    ).toBe(password);
  });

  it('has one group for all sections of a name', () => {
    expect(parseMyCnf('[client]\nuser=a\n[x]\nuser=b\n[client] # again\nssl_mode=DISABLED')).toEqual(
      new Map([
        [
          'client',
          new Map([
            ['user', 'a'],
            ['ssl-mode', 'DISABLED'],
          ]),
        ],
        ['x', new Map([['user', 'b']])],
      ]),
    );
  });
});

describe('a reference to one of them', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'password-files-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const write = (name: string, text: string, mode = 0o600) => {
    writeFileSync(join(home, name), text);
    chmodSync(join(home, name), mode);
  };
  const base = { name: 'main', type: 'postgres', host: 'db.internal', user: 'reader' };

  function open(connection: object, env: Record<string, string> = {}) {
    mkdirSync(join(home, 'store'), { recursive: true });
    const storePath = join(home, 'store', 'connections.json');
    writeFileSync(storePath, JSON.stringify({ version: 1, connections: [{ ...base, ...connection }] }), { mode: 0o600 });
    const { secretSources = {}, routeFields = [] } = definition.connections;
    return createRegistry({
      ...{ storePath, env, schema: connectionSchema, logPrefix: 'test', envVar: 'NONE', cwd: home, home },
      ...{ secretSources, routeFields, resolvePort, log: () => undefined },
    });
  }
  const readPassword = async (connection: object, env: Record<string, string> = {}) =>
    (await open(connection, env).resolve()).config.password;
  const pgpass = { password: { from: 'pgpass' } };

  it('is resolved with the real host, its port, and the database that is used', async () => {
    write('.pgpass', 'localhost:*:*:*:local\ndb.internal:5432:reader:reader:own\ndb.internal:6000:shop:reader:other\n');
    expect(await readPassword(pgpass)).toBe('own');
    expect(await readPassword({ ...pgpass, ssh: 'bastion', port: 6000, database: 'shop' })).toBe('other');
    expect(
      await readPassword({
        name: 'main',
        type: undefined,
        host: undefined,
        user: undefined,
        url: 'postgres://reader@db.internal:6000/shop',
        ...pgpass,
      }),
    ).toBe('other');
    write('elsewhere', '*:*:*:*:from-elsewhere');
    expect(await readPassword(pgpass, { PGPASSFILE: join(home, 'elsewhere') })).toBe('from-elsewhere');
  });

  it.each([0o640, 0o604, 0o610])('is not followed into a .pgpass that others may read (%o)', async (mode) => {
    write('.pgpass', '*:*:*:*:pw', mode);
    const failure = await failureOf(readPassword(pgpass));
    expect(failure).toMatchObject({ kind: 'secret', code: 'E_SECRET_FILE', hint: `Run \`chmod 600 ${join(home, '.pgpass')}\`.` });
    expect(failure.message).toContain('is open to other users');
  });

  it('finds the services and groups that it names', async () => {
    write('.pg_service.conf', '[prod]\nhost=x\npassword=of-the-service\n[bare]\nhost=x\n', 0o644);
    expect(await readPassword({ password: { from: 'pg_service.conf', name: 'prod' } })).toBe('of-the-service');
    write('services', '[prod]\npassword=of-another-file\n');
    expect(
      await readPassword({ password: { from: 'pg_service.conf', name: 'prod' } }, { PGSERVICEFILE: join(home, 'services') }),
    ).toBe('of-another-file');
    write('.my.cnf', '[client]\npassword=of-the-client\n[clientprod]\npassword="of prod"\n');
    expect(await readPassword({ type: 'mysql', password: { from: 'my.cnf' } })).toBe('of-the-client');
    expect(await readPassword({ type: 'mysql', password: { from: 'my.cnf', name: 'clientprod' } })).toBe('of prod');
    write('.my.cnf', '[client]\npassword=x\n', 0o666);
    expect(await failureOf(readPassword({ type: 'mysql', password: { from: 'my.cnf' } }))).toMatchObject({
      code: 'E_SECRET_FILE',
    });
  });

  it.each([
    [{ from: 'pgpass' }, {}, 'no entry for this connection'],
    [{ from: 'pgpass' }, { type: 'mysql' }, 'only has passwords for postgres, and this connection has type mysql'],
    [{ from: 'my.cnf' }, {}, 'only has passwords for mysql'],
    [{ from: 'pg_service.conf' }, {}, '"name" must say which service'],
    [{ from: 'pg_service.conf', name: 'none' }, {}, 'has no service of this name'],
    [{ from: 'pg_service.conf', name: 'bare' }, {}, 'no entry for this connection'],
    [{ from: 'my.cnf' }, { type: 'mysql' }, '.my.cnf does not exist'],
  ])('says why there is no password (%j, %j)', async (password, more, message) => {
    write('.pgpass', 'other:*:*:*:pw');
    write('.pg_service.conf', '[bare]\nhost=x\n');
    const failure = await failureOf(readPassword({ password, ...more }));
    expect(failure).toMatchObject({ kind: 'secret' });
    expect(failure.message).toContain(message);
    expect(failure.message).toContain('the field password of connection "main"');
    expect(failure.hint).toBeTruthy();
  });

  it('is written by a person: without one nothing is looked up, and no tool may write one', async () => {
    write('.pgpass', '*:*:*:*:canary');
    expect(await readPassword({})).toBeUndefined();
    expect(await failureOf(open({}).add({ ...base, name: 'x', host: 'evil.example', ...pgpass }))).toMatchObject({
      code: 'E_SECRET_REFERENCE',
    });
    expect(await failureOf(open(pgpass).update('main', { host: 'evil.example' }))).toMatchObject({ code: 'E_SECRET_REDIRECT' });
    expect(await failureOf(open(pgpass).update('main', { url: 'postgres://reader@evil.example' }))).toMatchObject({
      code: 'E_SECRET_REDIRECT',
    });
  });
});
