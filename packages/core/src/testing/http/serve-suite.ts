import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSilentServer } from '../loopback.ts';
import type { BuiltServer } from '../suites/life-suite.ts';
import { httpClientKinds, openHttpClient } from './http-clients.ts';
import { HttpProcess } from './http-process.ts';
import { callMessage, modernCall, post } from './raw-http.ts';

const inspector = fileURLToPath(new URL('../../../../../node_modules/.bin/mcp-inspector', import.meta.url));

/** The command `serve`, whatever it serves. */
export function describeServe({ name, file, envVar, connection }: BuiltServer): void {
  describe(`${name} serve`, () => {
    const servers: HttpProcess[] = [];
    let silent: Awaited<ReturnType<typeof openSilentServer>>;
    let env: Record<string, string>;
    beforeAll(async () => {
      silent = await openSilentServer();
      const place = { host: '127.0.0.1', port: silent.port };
      const list = ['north', 'south'].map((one) => ({ ...connection, ...place, name: one }));
      env = { [envVar]: JSON.stringify(list) };
    });
    afterAll(() => silent.close());
    afterEach(async () => {
      for (const server of servers.splice(0)) await server.stop();
    });

    function spawn(args: readonly string[] = [], more: Record<string, string> = {}, cwd?: string): HttpProcess {
      const server = new HttpProcess({ file, args, env: { ...env, ...more }, ...(cwd !== undefined && { cwd }) });
      servers.push(server);
      return server;
    }

    const start = (args: readonly string[] = [], more: Record<string, string> = {}) => spawn(args, more).listening();
    const port = ({ url }: HttpProcess) => Number(new URL(url).port);
    const listConnections = callMessage(1, 'list_connections');

    async function list(server: HttpProcess, headers: Record<string, string> = {}): Promise<string> {
      const { body } = await post(port(server), listConnections, {
        headers: { authorization: `Bearer ${server.token}`, ...headers },
      });
      return body;
    }

    async function fails(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
      const { exited, ...server } = spawn(args, more);
      expect((await exited).code).not.toBe(0);
      expect(server.stdout).toBe('');
      return servers.at(-1)?.stderr ?? '';
    }

    it('prints one line with its URL, its project and where the token is', async () => {
      const server = await start();
      const path = join(server.home, '.config', name.replace('-mcp', ''), 'state', 'serve-token');
      expect(server.stdout).toBe(`${name}: ${server.url} (project ${server.home}, token in ${path})\n`);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
      expect(server.token).toMatch(/^[\w-]{43}$/);
      expect(server.stderr).toBe('');
    });

    it.each(httpClientKinds)('serves a client with the token, and none without it: %s', async (kind) => {
      const server = await start();
      const client = await openHttpClient(kind, server);
      expect((await client.call('list_connections')).text).toContain('north');
      await client.close();
      await expect(openHttpClient(kind, { url: server.url })).rejects.toThrow();
      await expect(openHttpClient(kind, { url: server.url, token: `${server.token}x` })).rejects.toThrow();
    });

    it('serves the newer era to a client that asks which there are', async () => {
      const server = await start();
      const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const requestInit = { headers: { authorization: `Bearer ${server.token}` } };
      await client.connect(new ModernTransport(new URL(server.url), { requestInit }));
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      expect(JSON.stringify(await client.callTool({ name: 'list_connections', arguments: {} }))).toContain('north');
      await client.close();
    });

    it.each(['legacy', 'modern'])('serves the Inspector (%s), and tells it what is missing', async (era) => {
      const server = await start();
      const words = ['--cli', '--server-url', server.url, '--transport', 'http', '--protocol-era', era, '--method', 'tools/list'];
      const inspect = (...more: string[]) =>
        promisify(execFile)(process.execPath, [inspector, ...words, ...more], { timeout: 60_000 });
      const { stdout } = await inspect('--strict', '--header', `Authorization: Bearer ${server.token}`);
      expect(stdout).toContain('"list_connections"');
      await expect(inspect()).rejects.toMatchObject({ code: expect.any(Number) });
    });

    it('replaces the token while it runs', async () => {
      const server = await start();
      const again = spawn(['--new-token'], { HOME: server.home, XDG_CONFIG_HOME: join(server.home, '.config') });
      expect((await again.exited).code).toBe(0);
      const old = server.token;
      server.token = again.stdout.trim();
      expect(server.token).not.toBe(old);
      await expect.poll(() => list(server), { timeout: 5_000 }).toContain('north');
      expect((await post(port(server), listConnections, { headers: { authorization: `Bearer ${old}` } })).status).toBe(401);
      const shown = spawn(['--print-token'], { HOME: server.home, XDG_CONFIG_HOME: join(server.home, '.config') });
      expect((await shown.exited).code).toBe(0);
      expect(shown.stdout.trim()).toBe(server.token);
    });

    it('takes the token from where a reference says', async () => {
      const secret = 'token-of-the-test-0123456789';
      for (const reference of ['{"env": "SERVE_TOKEN"}', '$' + '{SERVE_TOKEN}', '{"command": ["printenv", "SERVE_TOKEN"]}']) {
        const server = await start(['--token', reference], { SERVE_TOKEN: secret });
        server.token = secret;
        expect(await list(server)).toContain('north');
        expect(server.stdout).toContain('token of --token');
      }
      expect(await fails(['--token', secret])).toMatch(/must not be written on the command line/);
      expect(await fails(['--token', '{"env": "NOT_SET"}'])).toMatch(/--token refers to the environment variable NOT_SET/);
      expect(await fails(['--token', '{"env": "SERVE_TOKEN"}'], { SERVE_TOKEN: 'short' })).toMatch(
        /is shorter than 16 characters/,
      );
    });

    it('says what to do where no token can be stored', async () => {
      const env = { XDG_CONFIG_HOME: '/dev/null/x' };
      expect(await fails([], env)).toMatch(/E_STORE_WRITE: .* cannot be written \(ENOTDIR\)[\s\S]*serve --token REF/);
      const server = spawn(['--token', '{"env": "SERVE_TOKEN"}'], { ...env, SERVE_TOKEN: 'a-token-of-my-own' });
      await server.listening();
      expect(server.stderr).toContain('state cannot be written (ENOTDIR), so the port of this project is not remembered');
    });

    it('warns of a configuration that cannot be read', async () => {
      const server = await start(['--config', '/nowhere.json']);
      await vi.waitFor(() => expect(server.stderr).toMatch(/warn \/nowhere\.json does not exist\n.*warn Correct the path/), {
        timeout: 20_000,
      });
    });

    it('needs no token when a person says so, and warns', async () => {
      const server = await start(['--no-token']);
      expect(await list(server)).toContain('north');
      expect(server.stderr).toMatch(/warn without a token, every program/);
    });

    it.each([
      [['--host', '0.0.0.0'], /--tls-cert/],
      [['--host', 'example.com'], /IP address/],
      [['--no-token', '--host', '0.0.0.0', '--behind-proxy'], /--no-token/],
      [['--no-token', '--token', '{"env": "X"}'], /exclude each other/],
      [['--auth', 'basic'], /expected oauth/],
      [['--auth', 'oauth'], /--issuer and --audience/],
      [['--issuer', 'https://login.example.com'], /--auth oauth/],
      [['--port', '65536'], /0 to 65535/],
      [['--max-body', '1g'], /--max-body/],
      [['--max-calls', '0'], /--max-calls/],
      [['--idle-timeout', 'soon'], /--idle-timeout/],
      [['--tls-cert', 'x'], /--tls-key/],
      [['--projects'], /serve does not take --projects/],
      [['--idle', '5m'], /serve does not take --idle/],
    ] as const)('does not start with %j', async (args, message) => {
      expect(await fails([...args])).toMatch(message);
    });

    it('heeds the options of the server', async () => {
      const server = await start(['--readonly', '--tools', 'list_connections']);
      const client = await openHttpClient('current, newer era', server);
      expect(await client.names()).toEqual(['list_connections']);
      expect((await client.call('list_connections')).text).toMatch(/^north,.*true/m);
      await client.close();
    });

    it('narrows what a client sees, and never widens it', async () => {
      const server = await start();
      expect(await list(server)).toMatch(/north[\s\S]*south/);
      expect(await list(server, { 'x-mole-connections': 'south' })).not.toContain('north');
      expect(await list(server, { 'x-mole-connections': 'noth' })).toContain('and no connection has such a name');
      const names = async (headers: Record<string, string>) => {
        const client = await openHttpClient('current, newer era', { ...server, headers });
        const found = await client.names();
        await client.close();
        return found;
      };
      const all = await names({});
      expect(await names({ 'x-mole-readonly': '0' })).toEqual(all);
      expect(all).toContain('add_connection');
      expect(await names({ 'x-mole-connections': 'south' })).not.toContain('add_connection');
      const closed = await start(['--readonly']);
      expect(await list(closed, { 'x-mole-readonly': '0' })).toMatch(/north,[^\\]*true/);
    });

    it('marks the connection for headers in the newer era only, and lets clients keep the list', async () => {
      const server = await start();
      const headers = { authorization: `Bearer ${server.token}` };
      const { message, headers: modern } = modernCall(1, 'x');
      const { name: _name, arguments: _arguments, ...params } = message.params;
      const { 'mcp-name': _header, ...listHeaders } = { ...modern, 'mcp-method': 'tools/list' };
      const listed = await post(
        port(server),
        { ...message, method: 'tools/list', params },
        { headers: { ...headers, ...listHeaders } },
      );
      expect(listed.body).toContain('"x-mcp-header":"Connection"');
      expect(JSON.parse(listed.body)).toMatchObject({ result: { ttlMs: 3_600_000, cacheScope: 'private' } });
      const older = await post(port(server), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers });
      expect(older.body).not.toContain('x-mcp-header');
      expect(older.headers).not.toHaveProperty('mcp-session-id');
    });

    it('logs an uncaught error and goes on', async () => {
      const folder = spawn(['--print-token']);
      await folder.exited;
      const module = join(folder.home, 'uncaught.mjs');
      writeFileSync(
        module,
        `process.on('SIGUSR2', () => { Promise.reject(new Error('escaped')); setTimeout(() => { throw new Error('thrown'); }); });`,
      );
      const server = await start([], { NODE_OPTIONS: `--import=${module}` });
      server.child.kill('SIGUSR2');
      await expect.poll(() => server.stderr, { timeout: 5_000 }).toMatch(/unhandled rejection[\s\S]*uncaught exception/);
      expect(await list(server)).toContain('north');
    });

    it('ends when its event loop is blocked, after a signal and not before', async () => {
      const module = new URL('../block-main-thread.mjs', import.meta.url);
      const server = await start([], { NODE_OPTIONS: `--import=${module}`, BLOCK_MS: '60000' });
      await list(server);
      // The watchdog starts with the first call.
      await delay(1_000);
      server.child.stdin.end();
      server.child.kill('SIGUSR2');
      await expect.poll(() => server.stderr).toContain('blocked');
      await delay(3_000);
      expect(server.child.exitCode ?? server.child.signalCode).toBe(null);
      server.child.kill('SIGTERM');
      expect(await server.exited).toMatchObject({ code: null, signal: 'SIGKILL' });
    });

    it('takes the token file from other users', async () => {
      const first = spawn(['--print-token']);
      await first.exited;
      const path = join(first.home, '.config', name.replace('-mcp', ''), 'state', 'serve-token');
      chmodSync(path, 0o644);
      const second = spawn(['--print-token'], { HOME: first.home, XDG_CONFIG_HOME: join(first.home, '.config') });
      await second.exited;
      expect(second.stdout).toBe(first.stdout);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    it('makes a new token when another user could have written the file, and takes it from no such file', async () => {
      const server = await start();
      const path = join(server.home, '.config', name.replace('-mcp', ''), 'state', 'serve-token');
      const planted = 'A'.repeat(server.token.length);
      writeFileSync(path, `${planted}\n`);
      chmodSync(path, 0o666);
      const headers = { authorization: `Bearer ${planted}` };
      const readStatus = async () => (await fetch(new URL('/status', server.url), { headers })).status;
      await expect.poll(readStatus, { timeout: 5_000 }).toBe(500);
      const shown = spawn(['--print-token'], { HOME: server.home, XDG_CONFIG_HOME: join(server.home, '.config') });
      await shown.exited;
      expect(shown.stdout.trim()).not.toBe(planted);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    it('makes a new token when the file holds none, and keeps it for its owner', async () => {
      const first = await start();
      const path = join(first.home, '.config', name.replace('-mcp', ''), 'state', 'serve-token');
      writeFileSync(path, 'not a token\n');
      chmodSync(path, 0o644);
      const second = spawn([], { HOME: first.home, XDG_CONFIG_HOME: join(first.home, '.config') }, first.home);
      expect((await second.exited).code).not.toBe(0);
      expect(second.stderr).toContain(first.url);
      const shown = spawn(['--print-token'], { HOME: first.home, XDG_CONFIG_HOME: join(first.home, '.config') });
      await shown.exited;
      expect(readFileSync(path, 'utf8').trim()).toBe(shown.stdout.trim());
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });
  });
}
