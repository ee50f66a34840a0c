import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { createAuthority, writeCertificate } from '@dbmole/engines';
import {
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { readServerStatus } from '../../doors/project/list-projects.ts';
import { findUnusedPort } from '../loopback.ts';
import { useTempFolder } from '../use-temp-folder.ts';
import { httpClientKinds, openHttpClient } from './http-clients.ts';
import { HttpProcess } from './http-process.ts';
import { startTestIssuer, type TestIssuer } from './test-issuer.ts';

export interface ServedProgram {
  /** The built program. */
  file: string;
  /** Tools that change something, of which a client that only reads sees none. */
  writing: readonly string[];
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const audience = 'https://mole.example.com/mcp';
const replicaToken = 'a-token-for-all-replicas';
const metadataPath = '/.well-known/oauth-protected-resource';
const resourceMetadata = `resource_metadata="https://mole.example.com${metadataPath}/mcp"`;

/** Who may use a server over HTTP, and how it is reached: the built program in a process of its own, and real clients. */
export function describeHttpAccess({ file, writing }: ServedProgram): void {
  const folder = useTempFolder();
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  function start(...args: string[]): HttpProcess {
    const server = new HttpProcess({ file, args, env: { REPLICA_TOKEN: replicaToken } });
    cleanups.push(() => server.stop());
    return server;
  }

  async function startIssuer(): Promise<TestIssuer> {
    const issuer = await startTestIssuer({ audience });
    cleanups.push(issuer.close);
    return issuer;
  }

  async function startWithOauth(issuer: TestIssuer): Promise<HttpProcess> {
    return await start('--auth', 'oauth', '--issuer', issuer.issuer, '--audience', audience).listening();
  }

  async function openClient(server: HttpProcess, token: string, headers: Record<string, string> = {}) {
    const client = await openHttpClient('current, newer era', { url: server.url, token, headers });
    cleanups.push(() => client.close());
    return client;
  }

  describe('serve --auth oauth', () => {
    it('shows no tool that writes to a token without the scope mole:write', async () => {
      const issuer = await startIssuer();
      const server = await startWithOauth(issuer);
      const whole = await (await openClient(server, await issuer.sign())).names();
      const reader = await openClient(server, await issuer.sign({ scope: 'openid mole:read' }));
      const readable = await reader.names();
      expect(whole).toEqual(expect.arrayContaining([...writing]));
      expect(readable).toContain('list_connections');
      expect(readable.filter((name) => writing.includes(name))).toEqual([]);
      for (const name of writing) await expect(reader.call(name)).rejects.toThrow(`no tool is called "${name}"`);
      expect((await reader.call('list_connections')).isError).toBe(false);
      // The same person with the other token, and a view of its own.
      const narrowed = await openClient(server, await issuer.sign(), { 'x-mole-readonly': '1' });
      expect(await narrowed.names()).toContain('add_connection');
      expect(await reader.names()).toEqual(readable);
    });

    it('gives a token without mole:write nothing back for a header', async () => {
      const issuer = await startIssuer();
      const server = await startWithOauth(issuer);
      const client = await openClient(server, await issuer.sign({ scope: 'mole:read' }), { 'x-mole-readonly': '0' });
      expect((await client.names()).filter((name) => writing.includes(name))).toEqual([]);
    });

    it('challenges a client without a valid token, and describes itself to it', async () => {
      const issuer = await startIssuer();
      const server = await startWithOauth(issuer);
      const missing = await ask(server.url, { method: 'POST' });
      expect(missing).toMatchObject({ status: 401, headers: { 'www-authenticate': `Bearer ${resourceMetadata}` } });
      const foreign = await ask(server.url, bearer(await issuer.sign({ aud: 'https://other.example.com' })));
      const invalid = expect.stringContaining('error="invalid_token", error_description="the token is for another audience"');
      expect(foreign).toMatchObject({ status: 401, headers: { 'www-authenticate': invalid } });
      const powerless = await ask(server.url, bearer(await issuer.sign({ scope: 'openid' })));
      const insufficient = `Bearer ${resourceMetadata}, error="insufficient_scope", scope="mole:read"`;
      expect(powerless).toMatchObject({ status: 403, headers: { 'www-authenticate': insufficient } });
      for (const path of [metadataPath, `${metadataPath}/mcp`]) {
        const { status, body } = await ask(new URL(path, server.url).href);
        expect({ status, ...JSON.parse(body) }).toMatchObject({
          status: 200,
          resource: audience,
          authorization_servers: [issuer.issuer],
        });
      }
    });

    it('is found by the discovery of a client', async () => {
      const issuer = await startIssuer();
      const port = await findUnusedPort();
      const url = `http://127.0.0.1:${port}/mcp`;
      await start('--port', `${port}`, '--auth', 'oauth', '--issuer', issuer.issuer, '--audience', url).listening();
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(await fetch(url, { method: 'POST' }));
      expect(resourceMetadataUrl?.href).toBe(`http://127.0.0.1:${port}${metadataPath}/mcp`);
      const metadata = await discoverOAuthProtectedResourceMetadata(url, { ...(resourceMetadataUrl && { resourceMetadataUrl }) });
      expect(metadata).toMatchObject({ resource: url, authorization_servers: [issuer.issuer] });
      expect(checkResourceAllowed({ requestedResource: new URL(url), configuredResource: new URL(metadata.resource) })).toBe(
        true,
      );
    });

    it('starts while the issuer is down, and asks clients to come back', async () => {
      const issuer = await startIssuer();
      issuer.turn('down');
      const server = await startWithOauth(issuer);
      const answer = await ask(server.url, bearer(await issuer.sign()));
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
      expect(server.stderr).toContain(`the keys of the issuer ${issuer.issuer} cannot be read`);
    });
  });

  describe('serve --metrics', () => {
    it('counts calls on a port of its own', async () => {
      const server = await start('--metrics', '0').listening();
      const client = await openClient(server, server.token);
      await client.call('list_connections');
      await client.call('test_connection', { connection: 'nothing' });
      const [, url = ''] = /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)\)/.exec(server.stdout) ?? [];
      const { status, body } = await ask(url);
      expect(status).toBe(200);
      expect(body).toContain('mole_calls_total{tool="list_connections",outcome="ok"} 1\n');
      expect(body).toContain('mole_calls_total{tool="test_connection",outcome="error"} 1\n');
      expect(body).toContain('mole_call_errors_total{tool="test_connection",code="E_UNKNOWN"} 1\n');
      expect(body).toContain('mole_calls_running 0\n');
      expect(await ask(new URL('/metrics', server.url).href)).toMatchObject({ status: 404 });
    });
  });

  describe('several replicas of serve', () => {
    it.each(httpClientKinds)('answer one client in turn: %s', async (kind) => {
      const token = JSON.stringify({ env: 'REPLICA_TOKEN' });
      const replicas = [start('--token', token), start('--token', token)];
      for (const replica of replicas) await replica.listening();
      const asked: string[] = [];
      const balance: typeof fetch = (_url, init) => {
        const { url } = replicas[asked.length % replicas.length] ?? expect.fail('there are replicas');
        asked.push(url);
        return fetch(url, init);
      };
      const client = await openHttpClient(kind, { url: replicas[0]?.url ?? '', token: replicaToken, fetch: balance });
      cleanups.push(() => client.close());
      const names = await client.names();
      for (let i = 0; i < 4; i += 1) {
        expect((await client.call('list_connections')).isError).toBe(false);
        expect(await client.names()).toEqual(names);
      }
      expect(new Set(asked).size).toBe(2);
    });
  });

  describe('the address of serve', () => {
    it('is served over TLS with the given certificate', async () => {
      const authority = await createAuthority();
      const { certificate, key } = await writeCertificate(folder.path, 'server', await authority.issueServer());
      const server = await start('--tls-cert', certificate, '--tls-key', key).listening();
      const health = new URL('/healthz', server.url).href;
      expect(health).toMatch(/^https:/);
      expect(await ask(health, { ca: authority.ca })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
      await expect(ask(health)).rejects.toMatchObject({ code: expect.stringMatching(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/) });
      await expect(ask(health.replace('https:', 'http:'))).rejects.toThrow();
      // `projects` and `--projects` ask it by the address of this machine, whatever the certificate.
      expect(await readServerStatus(server.url, server.token)).toMatchObject({ calls: 0 });
    });

    it('is refused in the network without TLS or a proxy', async () => {
      const server = start('--host', '0.0.0.0');
      expect((await server.exited).code).toBe(1);
      expect(server.stderr).toContain('E_UNPROTECTED: the server does not listen on 0.0.0.0 without TLS');
      expect(server.stdout).toBe('');
    });

    it('takes the host that a proxy forwards only behind a proxy', async () => {
      const proxied = await start('--behind-proxy', '--allow-host', 'mole.example.com').listening();
      const direct = await start().listening();
      const askFor = (server: HttpProcess, name: string) =>
        ask(new URL('/healthz', server.url).href, { headers: { 'x-forwarded-host': name } });
      expect(await askFor(proxied, 'mole.example.com')).toMatchObject({ status: 200 });
      expect(await askFor(proxied, 'evil.example.com')).toMatchObject({ status: 403 });
      expect(await askFor(direct, 'evil.example.com')).toMatchObject({ status: 200 });
    });
  });
}

interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
  /** The authority to trust. */
  ca?: string;
}

/** A POST without a body, as far as a client gets before its token is checked. */
function bearer(token: string): AskOptions {
  return { method: 'POST', headers: { authorization: `Bearer ${token}` } };
}

function ask(url: string, options: AskOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? requestTls : request;
    const asked = open(url, { agent: false, ...options }, async (response) => {
      const chunks: Buffer[] = await response.toArray();
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') });
    });
    asked.on('error', reject).end();
  });
}
