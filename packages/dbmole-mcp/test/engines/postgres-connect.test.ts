import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority, type EngineAddress, type RunningEngine, startEngine, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../src/connection/schema.ts';
import type { Session, SessionTarget } from '../../src/engine.ts';
import { engine } from '../../src/engines/postgres/engine.ts';
import {
  countRunning,
  dialDirectly,
  direct,
  forever,
  read,
  targetOf,
  until,
  value,
  withServer,
  withSession,
} from './postgres-fixture.ts';

const open = (target: SessionTarget) => engine.openSession(target, forever);

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(`TLS of ${id}`, () => {
    let authority: Authority;
    let other: Authority;
    let server: RunningEngine;

    beforeAll(async () => {
      [authority, other] = await Promise.all([createAuthority(), createAuthority()]);
      server = await startEngine(id, { tls: await authority.issueServer(['db.example.org']) });
    });
    afterAll(() => server?.stop());

    const using = <T>(tls: NonNullable<Connection['tls']>, use: (session: Session) => Promise<T>) =>
      withSession(server, use, { tls });
    const isEncrypted = (session: Session) => value(session, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');

    it('is encrypted and unverified with `require`, plain with `disable` and, on this machine, with `auto`', async () => {
      expect(await using('require', isEncrypted)).toBe('t');
      expect(await using('disable', isEncrypted)).toBe('f');
      expect(await using('auto', isEncrypted)).toBe('f');
    });

    it('is refused when the authority is not trusted', async () => {
      for (const mode of ['verify-ca', 'verify-full'] as const) {
        const failure = { kind: 'connection', code: 'E_TLS_UNTRUSTED' };
        await expect(open(targetOf(server, { tls: mode }))).rejects.toMatchObject(failure);
        const another = { mode, ca: other.ca, serverName: 'db.example.org' };
        await expect(open(targetOf(server, { tls: another }))).rejects.toMatchObject({ kind: 'connection' });
      }
    });

    it('is refused when the certificate has another name, but only by `verify-full`', async () => {
      const { ca } = authority;
      const failure = { kind: 'connection', code: 'E_TLS_NAME' };
      for (const tls of [{ ca }, { ca, mode: 'verify-full' }, { ca, serverName: 'db.example.com' }] as const)
        await expect(open(targetOf(server, { tls }))).rejects.toMatchObject(failure);
      expect(await using({ ca, mode: 'verify-ca' }, isEncrypted)).toBe('t');
      expect(await using({ ca, serverName: 'db.example.org' }, isEncrypted)).toBe('t');
    });

    it('verifies the configured host, wherever the connection leads', async () => {
      const target = targetOf(server, { tls: { ca: authority.ca }, host: 'db.example.org' });
      const session = await open({ ...target, connectHost: server.host, serverName: 'db.example.org' });
      expect(await isEncrypted(session)).toBe('t');
      await session.close();
    });

    it('goes through a stream that is not a socket to connect', async () => {
      const dial = () => dialDirectly(server);
      const target = {
        ...targetOf(server, { tls: { ca: authority.ca } }),
        connectHost: 'inside',
        serverName: 'db.example.org',
        dial,
      };
      const session = await open(target);
      expect(await isEncrypted(session)).toBe('t');
      await expect(read(session, 'select pg_sleep(60)', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
        kind: 'timeout',
      });
      expect(await value(session, 'select 1')).toBe('1');
      await session.close();
    });

    it('stops statements and cuts cells as it does without', async () => {
      await using({ ca: authority.ca, mode: 'verify-ca' }, async (session) => {
        const running = read(session, 'select pg_sleep(60) /* over TLS */', { signal: AbortSignal.timeout(300) });
        await expect(running).rejects.toMatchObject({ kind: 'timeout' });
        expect(await countRunning(server, 'over TLS')).toBe(0);
        const cut = { text: 'x'.repeat(1000), length: 20_000_000, unit: 'bytes' };
        expect(await value(session, "select repeat('x', 20000000)")).toEqual(cut);
      });
    });

    it('presents a client certificate', async () => {
      const { certificate: cert, key } = await authority.issueClient('postgres');
      await using({ mode: 'require', cert, key }, async (session) => {
        const subject = 'select client_dn from pg_stat_ssl where pid = pg_backend_pid()';
        expect(await value(session, subject)).toBe('/CN=postgres');
      });
    });
  });

  describe(`the kinds of login of ${id}`, () => {
    let directory: string;
    let server: RunningEngine;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'dbmole-hba-'));
      // The server runs as another user.
      await chmod(directory, 0o755);
      const file = join(directory, 'hba.conf');
      const kinds = ['md5', 'password', 'trust', 'reject'].map((kind) => `host all with_${kind} all ${kind}\n`).join('');
      await writeFile(file, `${kinds}host all all all scram-sha-256\n`);
      server = await startEngine(id, { settings: { hba_file: file } });
      await direct(server, "alter role postgres set password_encryption = 'md5'");
      await direct(server, "create role with_md5 login password 'pä\\ss'''");
      await direct(server, 'alter role postgres reset password_encryption');
      for (const kind of ['password', 'trust', 'reject', 'scram'])
        await direct(server, `create role with_${kind} login password 'pä\\ss'''`);
    });
    afterAll(async () => {
      await server?.stop();
      await rm(directory, { recursive: true });
    });

    const as = (kind: string, password = "pä\\ss'") => targetOf(server, { user: `with_${kind}`, password });

    it.each(['md5', 'password', 'scram', 'trust'])('logs in with %s authentication', async (kind) => {
      const session = await open(as(kind));
      expect(await value(session, 'select current_user')).toBe(`with_${kind}`);
      await session.close();
      if (kind === 'trust') return;
      await expect(open(as(kind, 'wrong'))).rejects.toMatchObject({ kind: 'auth', engineCode: '28P01' });
    });

    it('trusts without a password', async () => {
      const { password: _, ...config } = as('trust').config;
      const session = await open({ ...as('trust'), config });
      await session.close();
    });

    it('is refused with a hint at TLS', async () => {
      const failure = { kind: 'auth', engineCode: '28000', hint: expect.stringContaining('TLS') };
      await expect(open(as('reject'))).rejects.toMatchObject(failure);
    });
  });

  describe(`logging in to ${id}`, () => {
    const server = useEngine(id, { shared: true });

    it('reports a failed login clearly', async () => {
      const { password: _, ...none } = targetOf(server()).config;
      const missing = { kind: 'auth', message: expect.stringContaining('asks for a password') };
      await expect(open({ ...targetOf(server()), config: none })).rejects.toMatchObject(missing);
      await expect(open(targetOf(server(), { password: '' }))).rejects.toMatchObject(missing);
      await expect(open(targetOf(server(), { password: 'wrong' }))).rejects.toMatchObject({ kind: 'auth', engineCode: '28P01' });
      await expect(open(targetOf(server(), { user: 'unknown' }))).rejects.toMatchObject({ kind: 'auth', engineCode: '28P01' });
      const nowhere = { ...targetOf(server()), database: 'nowhere' };
      await expect(open(nowhere)).rejects.toMatchObject({ kind: 'unknown', code: 'E_UNKNOWN_DATABASE' });
      const untold = { ...targetOf(server(), { database: 'configured' }), database: undefined };
      await expect(open(untold)).rejects.toThrow('"configured"');
      await expect(open(targetOf(server(), { tls: 'require' }))).rejects.toMatchObject({
        code: 'E_TLS_REFUSED',
        hint: expect.stringContaining('"disable"'),
      });
    });

    it('takes nothing from the environment', async () => {
      const environment = {
        PGOPTIONS: '-c work_mem=1234kB',
        PGAPPNAME: 'other',
        PGSSLMODE: 'require',
        PGSSLNEGOTIATION: 'direct',
      };
      const before = { ...process.env };
      Object.assign(process.env, environment, { PGPASSWORD: 'other', PGUSER: 'other', PGDATABASE: 'other' });
      try {
        await withSession(server(), async (session) => {
          const sql = "select current_user, current_setting('work_mem') = '1234kB', current_setting('application_name')";
          expect((await read(session, sql)).rows).toEqual([['postgres', 'f', 'dbmole-mcp']]);
        });
      } finally {
        process.env = before;
      }
    });

    it('says so when there are too many connections', async () => {
      await direct(server(), 'drop role if exists lonely');
      await direct(server(), "create role lonely login password 'x' connection limit 1");
      const lonely = { ...server(), user: 'lonely', password: 'x' };
      await withSession(lonely, async () => {
        await expect(open(targetOf(lonely))).rejects.toMatchObject({ kind: 'connection', code: 'E_TOO_MANY_CONNECTIONS' });
      });
      await until(async () => {
        const rows = await direct(server(), "select 1 from pg_stat_activity where usename = 'lonely'");
        return rows.length === 0;
      });
      await direct(server(), 'drop role lonely');
    });
  });
}

describe('what is not PostgreSQL', () => {
  const plain = (address: EngineAddress) => targetOf(address, { tls: 'disable' });

  it.each([
    ['speaks first, like SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['speaks first, like MySQL', 'J\0\0\0\n8.0.31\0'],
    ['speaks HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['has a short length', 'R\0\0\0\x01'],
  ])('%s', async (_, greeting) => {
    await withServer(
      (socket) => socket.write(greeting),
      async (address) => {
        await expect(open(plain(address))).rejects.toMatchObject({ kind: 'connection', code: 'E_PROTOCOL' });
        await expect(open(targetOf(address, { tls: 'require' }))).rejects.toMatchObject({ code: 'E_PROTOCOL' });
      },
    );
  });

  it('closes at once', async () => {
    await withServer(
      (socket) => socket.end(),
      async (address) => {
        await expect(open(plain(address))).rejects.toMatchObject({ kind: 'connection' });
        await expect(open(targetOf(address, { tls: 'require' }))).rejects.toMatchObject({ kind: 'connection' });
      },
    );
  });

  it('rejects bytes injected after the answer to the request for TLS', async () => {
    await withServer(
      (socket) => socket.once('data', () => socket.write('SE\0\0\0\x10')),
      async (address) => {
        await expect(open(targetOf(address, { tls: 'require' }))).rejects.toMatchObject({ code: 'E_PROTOCOL' });
      },
    );
  });

  it('never answers: we give up after a while', async () => {
    await withServer(
      (socket) => socket.resume(),
      async (address) => {
        await expect(open(plain(address))).rejects.toMatchObject({ kind: 'connection', code: 'E_CONNECT_TIMEOUT' });
      },
    );
  });

  it.each(['disable', 'require'] as const)('never answers: the caller gives up, and the socket closes (%s)', async (tls) => {
    let closed = 0;
    await withServer(
      (socket) => socket.resume().once('close', () => closed++),
      async (address) => {
        const caller = new AbortController();
        const opening = engine.openSession(targetOf(address, { tls }), caller.signal);
        const reason = new Error('given up');
        setTimeout(() => caller.abort(reason), 50);
        await expect(opening).rejects.toBe(reason);
        await until(async () => closed === 1);
        await expect(engine.openSession(targetOf(address), AbortSignal.abort(reason))).rejects.toBe(reason);
      },
    );
  });

  it('asks for a login that we do not have', async () => {
    await withServer(
      (socket) => socket.once('data', () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 7]))),
      async (address) => {
        await expect(open(plain(address))).rejects.toMatchObject({ kind: 'auth', message: expect.stringContaining('GSSAPI') });
      },
    );
  });
});
