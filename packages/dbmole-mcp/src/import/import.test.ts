import { readFileSync, writeFileSync } from 'node:fs';
import { createApp, runProgram } from '@dbmole/core';
import { createFakeTerminal, useTempFolder } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { definition } from '../server.ts';

const folder = useTempFolder();

const write = (name: string, text: string) => writeFileSync(folder.at(name), text, { mode: 0o600 });
const canary = 'canary-password';

async function run(
  source: string | undefined,
  options: { env?: Record<string, string>; answers?: string[]; yes?: boolean } = {},
) {
  const argv = ['connections', 'import', ...(source === undefined ? [] : [source]), ...(options.yes === false ? [] : ['--yes'])];
  const { env = {}, answers = [] } = options;
  const terminal = createFakeTerminal({ argv, env, folder: folder.path, answers });
  const code = await runProgram(definition, terminal);
  const out = `${terminal.printed}${terminal.complained}`;
  expect(out).not.toContain(canary);
  return { code, out };
}

const stored = (): unknown[] => JSON.parse(readFileSync(folder.at('.config', 'dbmole', 'connections.json'), 'utf8')).connections;
const postgres = { type: 'postgres', readonly: true } as const;

/** What the server would use, secrets and all. */
async function resolved(name: string, env: Record<string, string> = {}) {
  const app = createApp(definition, { env, cwd: folder.path, home: folder.path, log: () => undefined });
  try {
    return (await app.registry.resolve(name)).config;
  } finally {
    await app.dispose();
  }
}

describe('connections import', () => {
  it('connections import of .pgpass refers to it', async () => {
    write(
      '.pgpass',
      `db.internal:6000:shop:reader:${canary}\n10.1.2.3:*:*:me:${canary}\n*:*:*:me:${canary}\n/tmp:*:*:me:${canary}\n`,
    );
    const { out } = await run('pgpass');
    expect(out).toMatch(/shop\s+postgres\s+db.internal\s+6000\s+reader\s+shop\s+read from \S+\.pgpass\n/);
    expect(out).toContain('2 of 4 lines name no host or no user');
    const password = { from: 'pgpass' };
    expect(stored()).toEqual([
      { name: 'shop', ...postgres, host: 'db.internal', port: 6000, database: 'shop', user: 'reader', password },
      { name: '10-1-2-3', ...postgres, host: '10.1.2.3', user: 'me', password },
    ]);
    expect(await resolved('shop')).toMatchObject({ password: canary, readonly: true });
    expect((await run('.pgpass')).out).toContain('are already configured');
  });

  it('connections import of pg_service.conf has a connection for each service, with the TLS that is configured there', async () => {
    write(
      '.pg_service.conf',
      `[prod]\nhost=db.internal\nuser=reader\ndbname=shop\npassword=${canary}\nsslmode=verify-full\nsslrootcert=/ca.pem\n` +
        '[loose]\nport=6000\nuser=me\nsslmode=prefer\n[bare]\nhost=h\nuser=you\n[many]\nhost=a,b\nuser=me\n[odd]\nuser=me\nsslmode=maybe\n[${A}]\nuser=me\n',
    );
    write('.pgpass', `localhost:6000:me:me:${canary}\n`);
    const { out } = await run('pg_service.conf');
    for (const left of ['many names several hosts', 'odd has a TLS mode', '${A} has a ${ in its name'])
      expect(out).toContain(left);
    expect(stored()).toEqual([
      {
        name: 'prod',
        ...postgres,
        host: 'db.internal',
        database: 'shop',
        user: 'reader',
        tls: { mode: 'verify-full', ca: '/ca.pem' },
        password: { from: 'pg_service.conf', name: 'prod' },
      },
      { name: 'loose', ...postgres, host: 'localhost', port: 6000, user: 'me', tls: 'auto', password: { from: 'pgpass' } },
      { name: 'bare', ...postgres, host: 'h', user: 'you' },
    ]);
    expect([(await resolved('prod')).password, (await resolved('loose')).password]).toEqual([canary, canary]);
  });

  it('connections import of .my.cnf has one for the clients, and one for each suffix', async () => {
    write(
      '.my.cnf',
      `[client]\nuser=me\npassword="${canary}"\n[mysqldump]\nquick\n[client_prod]\nhost=h\nport=4000\n[clientown]\nhost=o\npassword=${canary}2\n`,
    );
    await run('my.cnf');
    const mysql = { type: 'mysql', user: 'me', readonly: true };
    expect(stored()).toEqual([
      { name: 'localhost', ...mysql, host: 'localhost', password: { from: 'my.cnf' } },
      { name: 'prod', ...mysql, host: 'h', port: 4000, password: { from: 'my.cnf' } },
      { name: 'own', ...mysql, host: 'o', password: { from: 'my.cnf', name: 'clientown' } },
    ]);
    expect([(await resolved('prod')).password, (await resolved('own')).password]).toEqual([canary, `${canary}2`]);
  });

  it('connections import of the environment keeps the variable', async () => {
    const env = {
      SHOP_DATABASE_URL: `postgres://reader:${canary}@db.internal/shop?sslmode=require`,
      MYSQL_URL: 'mysql://me@localhost/app',
      REDIS_URL: `redis://x:${canary}@h`,
      DATABASE_URL: `sqlite:${canary}`,
      POSTGRES_URL: `postgres://me:${canary}@h:port/x`,
      PRISMA_DATABASE_URL: `postgres://me:${canary}@p/p?schema=public&connection_limit=5`,
      PARTS_DATABASE_URL: `postgres://me:${canary}@parts/p?schema=parts&sslpassword=x`,
    };
    const { out } = await run('environment', { env });
    expect(out).toContain('read from the variable SHOP_DATABASE_URL');
    expect(out).toContain('skipped: the environment: POSTGRES_URL: expected the form');
    expect(out).toContain('skipped: the environment: PARTS_DATABASE_URL: parameters that are unknown here');
    expect(out).toContain('parts was not added: its password will be copied from PARTS_DATABASE_URL');
    expect(stored()).toEqual([
      { name: 'shop', url: '${SHOP_DATABASE_URL}', readonly: true },
      { name: 'app', url: '${MYSQL_URL}', readonly: true },
      { name: 'prisma', url: '${PRISMA_DATABASE_URL}', readonly: true },
    ]);
    expect(await resolved('shop', env)).toMatchObject({ host: 'db.internal', user: 'reader', password: canary, tls: 'require' });
    const { PARTS_DATABASE_URL: _, ...others } = env;
    expect((await run('environment', { env: others })).out).toContain('All 3');
  });

  it('connections import of .env asks before it copies a password, and refers to what is in the environment too', async () => {
    const shared = `postgres://me:${canary}@both/both`;
    const foreign = `postgresql://reader:${encodeURIComponent(canary)}@db/shop?schema=parts&sslmode=require`;
    write(
      '.env',
      `# mine\nexport DATABASE_URL="${foreign}"\nOTHER_DATABASE_URL=${shared}\nPG_URL=mysql://me@open/x\nDB_URL='postgres://\${HOME}:x@evil/x'\n`,
    );
    const env = { OTHER_DATABASE_URL: shared };
    const first = await run('.env', { env });
    expect(first.out).toMatch(/shop\s.*will be copied from \S+\.env/);
    expect(first.out).toContain('shop was not added');
    expect(first.out).toContain('DB_URL: it refers to other variables');
    expect(stored()).toEqual([
      { name: 'other', url: '${OTHER_DATABASE_URL}', readonly: true },
      { name: 'x', type: 'mysql', host: 'open', user: 'me', database: 'x', readonly: true },
    ]);
    await run('.env', { env, yes: false, answers: ['shop', 'y'] });
    expect(stored()[2]).toEqual({
      ...postgres,
      ...{ name: 'shop', host: 'db', user: 'reader', database: 'shop', schema: 'parts', tls: 'require', password: canary },
    });
  });

  it('connections import of everything prefers what stays where it is, and finds no place twice', async () => {
    write('.pgpass', `db:5432:shop:reader:${canary}\n`);
    write('.env', `DATABASE_URL=postgres://reader:${canary}@db/shop\n`);
    const terminal = createFakeTerminal({ argv: ['connections', 'import', '-y'], folder: folder.path });
    expect(await runProgram(definition, terminal)).toBe(0);
    expect(stored()).toEqual([expect.objectContaining({ name: 'shop', password: { from: 'pgpass' } })]);
  });

  it('keeps the services when .pgpass cannot be used, and says so once', async () => {
    write('.pg_service.conf', `[zabbix]\nhost=db\nuser=me\npassword=${canary}\n[nopw]\nhost=/run/postgresql\nuser=me\n`);
    writeFileSync(folder.at('.pgpass'), `db:*:*:me:${canary}`, { mode: 0o644 });
    const { out } = await run(undefined);
    expect(out.match(/is open to other users/g)).toHaveLength(1);
    expect(stored()).toEqual([
      { name: 'zabbix', ...postgres, host: 'db', user: 'me', password: { from: 'pg_service.conf', name: 'zabbix' } },
      { name: 'nopw', ...postgres, host: '/run/postgresql', user: 'me' },
    ]);
  });

  it('imports DATABASE_URL although it is used where nothing is configured', async () => {
    const { out } = await run('environment', { env: { DATABASE_URL: `postgres://me:${canary}@db/shop` } });
    expect(out).not.toContain('already configured');
    expect(stored()).toEqual([{ name: 'shop', url: '${DATABASE_URL}', readonly: true }]);
  });

  it('connections import of .env takes what frameworks spread over several variables', async () => {
    const laravel = `DB_CONNECTION=pgsql\nDB_HOST=db\nDB_PORT=6000\nDB_DATABASE=shop\nDB_USERNAME=me\nDB_PASSWORD=${canary}\n`;
    write('.env', `${laravel}PGHOST=other\nPGUSER=you\nMAIL_HOST=x\n`);
    const first = await run('.env');
    expect(first.out).toMatch(/^shop .* will be copied from \S+\.env$/m);
    expect(stored()).toEqual([{ name: 'other', ...postgres, host: 'other', user: 'you' }]);
    await run('.env', { env: { DB_PASSWORD: canary } });
    const password = { env: 'DB_PASSWORD' };
    expect(stored()[1]).toEqual({ name: 'shop', ...postgres, host: 'db', port: 6000, user: 'me', database: 'shop', password });
  });

  it.each(['DB_CONNECTION=sqlite\nDB_HOST=h\nDB_USER=me', 'DB_HOST=h\nDB_USER=me', 'DB_ENGINE=mysql\nDB_HOST=${X}\nDB_USER=me'])(
    'of .env finds no connection in %j',
    async (text) => {
      write('.env', text);
      expect((await run('.env')).out).toContain('Nothing was found');
    },
  );

  it('takes the path of any .env file', async () => {
    write('other.env', 'DATABASE_URL=postgres://me@db/shop\n');
    await run('./other.env');
    expect(stored()).toEqual([{ name: 'shop', ...postgres, host: 'db', user: 'me', database: 'shop' }]);
  });

  it('takes no .pgpass that others may read', async () => {
    writeFileSync(folder.at('.pgpass'), `db:*:*:me:${canary}`, { mode: 0o644 });
    const { out, code } = await run('.pgpass');
    expect(out).toContain('is open to other users');
    expect(out).toContain('chmod 600');
    expect(code).toBe(0);
  });
});
