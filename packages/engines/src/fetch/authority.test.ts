import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineTls } from '../engine.ts';
import { type Authority, createAuthority } from './authority.ts';

let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority();
});

interface Attempt {
  readonly server: EngineTls;
  readonly ca?: string;
  readonly host: string;
  readonly client?: EngineTls;
}

/** A real handshake; answers what the server knows of the client. */
async function shakeHands(attempt: Attempt): Promise<{ authorised: boolean; peer: string | undefined }> {
  const { certificate: cert, key, ca } = attempt.server;
  const options: TlsOptions = { cert, key, ca, requestCert: true, rejectUnauthorized: false };
  let seen: TLSSocket | undefined;
  const server = createServer(options, (socket) => {
    seen = socket;
    socket.on('error', () => undefined).write('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  const socket = connect({
    host: '127.0.0.1',
    port,
    ...(attempt.host === '127.0.0.1' ? {} : { servername: attempt.host }),
    ...(attempt.ca && { ca: attempt.ca }),
    ...(attempt.client && { cert: attempt.client.certificate, key: attempt.client.key }),
  });
  try {
    await once(socket, 'data');
    const subject = seen?.getPeerCertificate()?.subject as { CN?: string } | undefined;
    return { authorised: seen?.authorized === true, peer: subject?.CN };
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('createAuthority', () => {
  it('issues a certificate that clients verify by address and by name', async () => {
    const server = await authority.issueServer();
    await shakeHands({ server, ca: authority.ca, host: '127.0.0.1' });
    await shakeHands({ server, ca: authority.ca, host: 'localhost' });
  });

  it('is refused by who does not know the authority, and for another host', async () => {
    const server = await authority.issueServer();
    await expect(shakeHands({ server, host: 'localhost' })).rejects.toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    const other = await createAuthority();
    await expect(shakeHands({ server, ca: other.ca, host: 'localhost' })).rejects.toThrow();
    const foreign = await authority.issueServer(['db.invalid']);
    const wrong = shakeHands({ server: foreign, ca: authority.ca, host: 'localhost' });
    await expect(wrong).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('issues client certificates that the server can tell apart', async () => {
    const server = await authority.issueServer();
    const attempt = { server, ca: authority.ca, host: 'localhost' };
    const client = await authority.issueClient('reader');
    expect(await shakeHands({ ...attempt, client })).toEqual({ authorised: true, peer: 'reader' });
    const stranger = await (await createAuthority()).issueClient('reader');
    expect((await shakeHands({ ...attempt, client: stranger })).authorised).toBe(false);
    expect((await shakeHands(attempt)).authorised).toBe(false);
  });
});
