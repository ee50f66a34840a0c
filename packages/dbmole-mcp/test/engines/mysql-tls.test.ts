import { connect, createServer } from 'node:net';
import { createLazyStream } from '@dbmole/core/testing';
import {
  type Authority,
  createAuthority,
  type EngineTls,
  type RunningEngine,
  type ServerId,
  startEngine,
  useEngine,
} from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../src/connection/schema.ts';
import { engine } from '../../src/engines/mysql/engine.ts';
import { failureOf, mysqlEngines, never, read, readValue, targetOf } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

type Tls = NonNullable<Connection['tls']>;

let authority: Authority;
let certificate: EngineTls;

beforeAll(async () => {
  authority = await createAuthority();
  certificate = await authority.issueServer(['db.internal', '127.0.0.1']);
});

function useTlsEngine(id: ServerId): () => RunningEngine {
  let running: RunningEngine | undefined;
  beforeAll(async () => {
    running = await startEngine(id, { tls: certificate });
  }, 600_000);
  afterAll(async () => running?.stop());
  return () => {
    if (running === undefined) throw new Error('it does not run');
    return running;
  };
}

describe.each(mysqlEngines)('TLS with %s', (id) => {
  const server = useTlsEngine(id);
  const openSession = useSessions(server);
  const cipher = async (tls: Tls, target = {}) => {
    const session = await openSession({ config: { tls }, target });
    const { rows } = await read(session, "SHOW STATUS LIKE 'Ssl_cipher'");
    return rows[0]?.[1];
  };
  const failure = (tls: Tls, target = {}) =>
    failureOf(engine.openSession(targetOf(server(), { config: { tls }, target }), never));

  it('is off where it is disabled', async () => {
    expect(await cipher('disable')).toBe('');
    expect(await cipher('auto')).toBe('');
  });

  it('checks the authority and the name', async () => {
    const { ca } = authority;
    // The address, which is in the certificate, and the name.
    expect(await cipher({ mode: 'verify-full', ca })).toMatch(/./);
    expect(await cipher({ ca })).toMatch(/./);
    expect(await cipher({ mode: 'verify-full', ca }, { serverName: 'db.internal' })).toMatch(/./);
    expect(await cipher({ mode: 'verify-full', ca, serverName: 'db.internal' })).toMatch(/./);
    expect(await failure({ mode: 'verify-full', ca, serverName: 'other.internal' })).toMatchObject({
      kind: 'connection',
      code: 'E_TLS_NAME',
    });
    expect(await failure({ mode: 'verify-full', ca }, { serverName: 'localhost' })).toMatchObject({ code: 'E_TLS_NAME' });
    expect(await failure({ mode: 'verify-full', ca }, { serverName: '127.0.0.2' })).toMatchObject({ code: 'E_TLS_NAME' });
    expect(await failure('verify-full')).toMatchObject({ code: 'E_TLS_UNTRUSTED' });
    expect(await failure('verify-ca')).toMatchObject({ code: 'E_TLS_UNTRUSTED' });
  });

  it('skips checks that are switched off', async () => {
    const { ca } = authority;
    expect(await cipher({ mode: 'verify-ca', ca, serverName: 'other.internal' })).toMatch(/./);
    expect(await cipher('require')).toMatch(/./);
    const other = await createAuthority();
    expect(await failure({ mode: 'verify-ca', ca: other.ca })).toMatchObject({ code: 'E_TLS_UNTRUSTED' });
  });

  it('works through a tunnel, cancelling included', async () => {
    const dial = () => createLazyStream(server().host, server().port);
    const tls: Tls = { mode: 'verify-full', ca: authority.ca, serverName: 'db.internal' };
    const session = await openSession({ config: { tls }, target: { dial } });
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(new Error('stop')), 100);
    await expect(read(session, 'SELECT SLEEP(20)', { signal: aborter.signal })).rejects.toThrow('stop');
    expect(session.alive).toBe(true);
    const long = await readValue(session, "SELECT REPEAT('x', 5000000)", { keepPerCell: 3 });
    expect(long).toEqual({ text: 'xxx', length: 5_000_000, unit: 'bytes' });
    expect(await failure({ ...tls, serverName: 'other.internal' }, { dial })).toMatchObject({ code: 'E_TLS_NAME' });
  });

  it('names TLS when the server requires it', async () => {
    const session = await openSession({ config: { tls: 'require' } });
    const { runDirect } = await import('../direct.ts');
    await runDirect(server(), ['SET GLOBAL require_secure_transport=1']).catch(() => undefined);
    const failed = await failureOf(engine.openSession(targetOf(server(), { config: { tls: 'disable' } }), never));
    // MariaDB does not tell it from a wrong password.
    const expected = id.startsWith('mysql')
      ? { code: 'E_TLS_REQUIRED' }
      : { code: 'E_AUTH', hint: expect.stringContaining('`tls`') };
    expect(failed).toMatchObject(expected);
    expect(session.alive).toBe(true);
  });
});

describe.each(['mysql80', 'mysql97'] as const)('a password that %s needs in full', (id) => {
  const server = useTlsEngine(id);
  const openSession = useSessions(server);
  const dial = () => createLazyStream(server().host, server().port);
  const plugins = id === 'mysql80' ? ['caching_sha2_password', 'sha256_password'] : ['caching_sha2_password'];

  describe.each(plugins)('by %s', (plugin) => {
    const account = { user: `whole_${plugin}`, password: 'pw-sent-whole' };
    const openAs = (tls: Tls, target = {}) =>
      openSession({ config: { ...account, tls }, target: { database: undefined, ...target } });
    beforeEach(async () => {
      const { runDirect } = await import('../direct.ts');
      const { user, password } = account;
      // The last one makes the server forget the password that it has seen.
      await runDirect(server(), [
        `CREATE USER IF NOT EXISTS ${user}@'%' IDENTIFIED WITH ${plugin} BY '${password}'`,
        'FLUSH PRIVILEGES',
      ]);
    });

    it('is not sent without TLS to a host after the end of a tunnel', async () => {
      const behind = { dial, connectHost: 'db.internal' };
      const failed = await failureOf(openAs('auto', behind));
      expect(failed).toMatchObject({
        kind: 'connection',
        code: 'E_TLS_REQUIRED',
        message: expect.stringContaining('without TLS'),
        hint: expect.stringContaining('"require"'),
      });
      expect(await failureOf(openAs('disable', behind))).toMatchObject({ code: 'E_TLS_REQUIRED' });
    });

    it('is sent over TLS and on this machine', async () => {
      expect(await readValue(await openAs('require', { dial }), 'SELECT 1')).toBe('1');
      const { runDirect } = await import('../direct.ts');
      await runDirect(server(), ['FLUSH PRIVILEGES']);
      expect(await readValue(await openAs('auto'), 'SELECT 1')).toBe('1');
      await runDirect(server(), ['FLUSH PRIVILEGES']);
      // The end of the tunnel is the SSH server itself.
      expect(await readValue(await openAs('auto', { dial }), 'SELECT 1')).toBe('1');
    });
  });
});

describe('TLS with a server that does not support it', () => {
  const server = useEngine('mariadb1011', { shared: true });

  it('fails with a next step', async () => {
    const failed = await failureOf(engine.openSession(targetOf(server(), { config: { tls: 'require' } }), never));
    expect(failed).toMatchObject({ kind: 'connection', code: 'E_TLS_REFUSED', hint: expect.stringContaining('"disable"') });
  });
});

describe('a server that does not answer', () => {
  it('times out in every phase of connecting', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const target = targetOf({ host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd' });
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(new Error('stop')), 100);
    await expect(engine.openSession(target, aborter.signal)).rejects.toThrow('stop');
    const started = performance.now();
    await expect(engine.openSession(target, never)).rejects.toMatchObject({ kind: 'connection', code: 'E_CONNECT_TIMEOUT' });
    expect(performance.now() - started).toBeGreaterThan(9_000);
    // Both ends are gone.
    await new Promise<void>((resolve) => silent.close(() => resolve()));
    await expect(
      new Promise((resolve, reject) => connect(port, '127.0.0.1').on('connect', resolve).on('error', reject)),
    ).rejects.toThrow();
  }, 30_000);
});
