import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLazyStream, listenOnLoopback } from '@dbmole/core/testing';
import { type Authority, createAuthority, type EngineTls } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeNode, startNode } from './fake-node.ts';
import { get, never, openCluster } from './open-cluster.ts';

let authority: Authority;
let certificate: EngineTls;
let node: FakeNode;
let bare: FakeNode;
let plain: FakeNode;

beforeAll(async () => {
  authority = await createAuthority();
  certificate = await authority.issueServer(['es.internal', '127.0.0.1']);
  node = await startNode({ tls: certificate });
  bare = await startNode({ tls: certificate, showsAuthority: false });
  plain = await startNode();
});
afterAll(async () => {
  await Promise.all([node, bare, plain].map((one) => one.close()));
});

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256;

/** The status, or the code of what went wrong. */
async function reach(fields: object, { to = node, host = '127.0.0.1', tunnel = false } = {}): Promise<unknown> {
  const dial = () => createLazyStream(to.host, to.port);
  const backend = await openCluster({ scheme: 'https', host, port: to.port, ...fields }, tunnel ? { dial } : {});
  try {
    return (await backend.send(get('/'), { signal: never })).status;
  } catch (error) {
    expect(error).toMatchObject({ name: 'Failure', hint: expect.any(String) });
    return Reflect.get(error as object, 'code');
  } finally {
    await backend.dispose();
  }
}

describe('a certificate', () => {
  it('checks the certificate by default', async () => {
    expect(await reach({})).toBe('E_TLS_UNTRUSTED');
    expect(await reach({ verifyTls: true })).toBe('E_TLS_UNTRUSTED');
    expect(await reach({ verifyTls: false })).toBe(200);
  });

  it('accepts a known authority, as text or file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'esmole-tls-'));
    const file = join(folder, 'ca.crt');
    await writeFile(file, authority.ca);
    expect(await reach({ ca: authority.ca })).toBe(200);
    expect(await reach({ ca: file })).toBe(200);
    await rm(folder, { recursive: true });
    expect(await reach({ ca: file })).toBe('E_TLS_FILE');
    expect(await reach({ ca: '-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----' })).toBe('E_TLS_FILE');
    expect(await reach({ ca: (await createAuthority()).ca })).toBe('E_TLS_UNTRUSTED');
  });

  it('checks the configured host name, also through a tunnel', async () => {
    const { ca } = authority;
    expect(await reach({ ca }, { tunnel: true, host: 'es.internal' })).toBe(200);
    expect(await reach({ ca }, { tunnel: true, host: '127.0.0.1' })).toBe(200);
    expect(await reach({ ca }, { tunnel: true, host: 'other.internal' })).toBe('E_TLS_NAME');
    expect(await reach({ ca }, { host: 'localhost' })).toBe('E_TLS_NAME');
    expect(await reach({ ca, verifyTls: false }, { tunnel: true, host: 'other.internal' })).toBe(200);
  });
});

describe('a fingerprint', () => {
  it('accepts the fingerprint of the authority, with colons or without', async () => {
    const caFingerprint = fingerprintOf(authority.ca);
    expect(await reach({ caFingerprint })).toBe(200);
    expect(await reach({ caFingerprint: caFingerprint.replaceAll(':', '').toLowerCase() })).toBe(200);
    expect(await reach({ caFingerprint }, { tunnel: true, host: 'es.internal' })).toBe(200);
  });

  it('accepts the fingerprint of the certificate itself', async () => {
    expect(await reach({ caFingerprint: fingerprintOf(certificate.certificate) })).toBe(200);
    expect(await reach({ caFingerprint: fingerprintOf(certificate.certificate) }, { to: bare })).toBe(200);
  });

  it('checks the host name in addition to a fingerprint', async () => {
    const caFingerprint = fingerprintOf(authority.ca);
    expect(await reach({ caFingerprint }, { tunnel: true, host: 'other.internal' })).toBe('E_TLS_NAME');
    expect(await reach({ caFingerprint, verifyTls: false }, { tunnel: true, host: 'other.internal' })).toBe(200);
  });

  it('rejects another fingerprint, even with verifyTls off', async () => {
    const caFingerprint = fingerprintOf((await createAuthority()).ca);
    expect(await reach({ caFingerprint })).toBe('E_TLS_FINGERPRINT');
    expect(await reach({ caFingerprint, verifyTls: false })).toBe('E_TLS_FINGERPRINT');
    expect(await reach({ caFingerprint, ca: authority.ca })).toBe('E_TLS_FINGERPRINT');
    // The node does not show who signed its certificate.
    expect(await reach({ caFingerprint: fingerprintOf(authority.ca) }, { to: bare })).toBe('E_TLS_FINGERPRINT');
  });

  it('rejects a pinned certificate that is sent along but has signed nothing', async () => {
    const impostor = await createAuthority();
    const forged = await impostor.issueServer(['127.0.0.1']);
    // Both authorities have the same name, so the chain looks right to who does not check the signatures.
    const liar = await startNode({ tls: { ...forged, ca: authority.ca } });
    const caFingerprint = fingerprintOf(authority.ca);
    expect(await reach({ caFingerprint }, { to: liar })).toMatch(/^E_TLS_(UNTRUSTED|FINGERPRINT)$/);
    expect(await reach({ caFingerprint, verifyTls: false }, { to: liar })).toMatch(/^E_TLS_(UNTRUSTED|FINGERPRINT)$/);
    expect(liar.seen).toEqual([]);
    await liar.close();
  });
});

describe('an interceptor that lets the first connection pass', () => {
  it.each([true, false])('detects an interceptor on the second connection, with verifyTls %s', async (verifyTls) => {
    const impostor = await createAuthority();
    const liar = await startNode({ tls: await impostor.issueServer(['127.0.0.1']) });
    const ways = [node, liar, liar, liar];
    const dial = () => {
      const { host, port } = ways.shift() ?? liar;
      return createLazyStream(host, port);
    };
    const fields = { scheme: 'https', host: '127.0.0.1', caFingerprint: fingerprintOf(authority.ca), verifyTls };
    const backend = await openCluster(fields, { dial });
    await expect(backend.send(get('/'), { signal: never })).rejects.toMatchObject({ code: 'E_TLS_UNTRUSTED' });
    expect(liar.seen).toEqual([]);
    await backend.dispose();
    await liar.close();
  });
});

describe('the wrong scheme', () => {
  const failure = async (fields: object, port: number) => {
    const backend = await openCluster({ host: '127.0.0.1', port, ...fields });
    const failed = await backend.probe(never).catch((error: unknown) => error);
    await backend.dispose();
    return failed;
  };

  it('reports TLS against plain HTTP', async () => {
    expect(await failure({ scheme: 'https' }, plain.port)).toMatchObject({
      code: 'E_TLS',
      hint: expect.stringContaining('`scheme` to http.'),
    });
  });

  it('reports plain HTTP against TLS', async () => {
    expect(await failure({ scheme: 'http' }, node.port)).toMatchObject({
      code: 'E_TLS',
      hint: expect.stringContaining('`scheme` to https.'),
    });
  });

  it('reports a server that speaks neither', async () => {
    const server = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('SSH-2.0-OpenSSH_9.2p1\r\n'),
    );
    const port = await listenOnLoopback(server);
    expect(await failure({ scheme: 'http' }, port)).toMatchObject({ code: 'E_NOT_HTTP' });
    expect(await failure({ scheme: 'https' }, port)).toMatchObject({ code: 'E_TLS' });
    await new Promise((resolve) => server.close(resolve));
  });
});
