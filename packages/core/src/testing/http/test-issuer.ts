import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listenOnLoopback } from '../loopback.ts';

interface SigningKey {
  kid: string;
  alg: string;
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  /** The public key. */
  jwk: object;
}

export interface IssuerOptions {
  /** The audience of the tokens. */
  audience: string;
  path?: string;
  /** Where the metadata is; the first place that a client looks by default. */
  metadataPath?: string;
  /** Other members of the metadata. */
  metadata?: Record<string, unknown>;
}

/** What a token may claim, also with a type that the claim must not have; undefined leaves a claim out. */
type Claims = Record<string, unknown>;

export interface TestIssuer {
  issuer: string;
  /** The paths of all requests so far. */
  asked: readonly string[];
  /** `down` closes connections, `hangs` never answers. */
  turn(to: 'up' | 'down' | 'hangs'): void;
  /** Replaces its key. */
  rotate(kid: string, alg?: string): Promise<void>;
  /** A token with both scopes that is valid for five minutes, unless the claims say otherwise. */
  sign(claims?: Claims, header?: object): Promise<string>;
  close(): void;
}

let firstKey: Promise<SigningKey> | undefined;

export async function createSigningKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A real issuer: metadata and keys over HTTP, and tokens that are signed with its key. */
export async function startTestIssuer({ audience, path = '', metadataPath, metadata = {} }: IssuerOptions): Promise<TestIssuer> {
  firstKey ??= createSigningKey('first');
  let key = await firstKey;
  const asked: string[] = [];
  let mode: 'up' | 'down' | 'hangs' = 'up';
  const answers: Record<string, () => unknown> = {
    [metadataPath ?? `/.well-known/oauth-authorization-server${path}`]: () => ({
      issuer,
      jwks_uri: `${origin}/keys`,
      ...metadata,
    }),
    '/keys': () => ({ keys: [key.jwk] }),
  };
  const server = createServer(({ url = '', socket }: IncomingMessage, response: ServerResponse) => {
    asked.push(url);
    if (mode === 'down') socket.destroy();
    if (mode !== 'up') return;
    const answer = answers[url]?.();
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(answer));
  });
  const origin = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const issuer = `${origin}${path}`;

  return {
    issuer,
    asked,
    turn(to) {
      mode = to;
    },
    async rotate(kid, alg) {
      key = await createSigningKey(kid, alg);
    },
    sign(claims = {}, header = {}) {
      const exp = Math.floor(Date.now() / 1_000) + 300;
      return new SignJWT({ iss: issuer, aud: audience, sub: 'ann', exp, scope: 'mole:read mole:write', ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
