import { SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { createSigningKey, type IssuerOptions, startTestIssuer, type TestIssuer } from '../../testing/http/test-issuer.ts';
import { findUnusedPort } from '../../testing/loopback.ts';
import type { IssuerKeyTimes } from './issuer-keys.ts';
import { createOauth, type OauthOptions } from './oauth.ts';

const audience = 'https://mole.example.com/mcp';
const metadataUrl = 'https://mole.example.com/.well-known/oauth-protected-resource/mcp';
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** An issuer that ends with the test. */
async function startIssuer(options: Partial<IssuerOptions> = {}): Promise<TestIssuer> {
  const issuer = await startTestIssuer({ audience, ...options });
  cleanups.push(issuer.close);
  return issuer;
}

function countKeyReads({ asked }: TestIssuer): number {
  return asked.filter((url) => url === '/keys').length;
}

function open({ issuer }: Pick<TestIssuer, 'issuer'>, times: Partial<IssuerKeyTimes> = {}, more: Partial<OauthOptions> = {}) {
  const logged: string[] = [];
  const oauth = createOauth({ issuer, audience, log: (_level, message) => logged.push(message), times, ...more });
  return { ...oauth, logged, verify: (token: string) => oauth.authenticate(`Bearer ${token}`) };
}

const unavailable = {
  status: 503,
  message: 'the keys of the token issuer cannot be read now',
  headers: { 'retry-after': '10' },
};
const invalid = (message: string) => ({ status: 401, message, challenge: expect.stringContaining('error="invalid_token"') });

const minutes = (count: number) => Math.floor(Date.now() / 1_000) + count * 60;

describe('OAuth access tokens', () => {
  it('accepts a token of the issuer, and reads its keys once', async () => {
    const issuer = await startIssuer();
    const { verify } = open(issuer);
    const token = await issuer.sign();
    for (let i = 0; i < 3; i += 1) {
      expect(await verify(token)).toEqual({ id: 'oauth:ann', scopes: new Set(['mole:read', 'mole:write']) });
    }
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
  });

  it.each(['RS256', 'PS256', 'ES256', 'ES512', 'EdDSA', 'Ed25519'])('accepts tokens that are signed with %s', async (alg) => {
    const issuer = await startIssuer();
    await issuer.rotate('other', alg);
    expect(await open(issuer).verify(await issuer.sign())).toMatchObject({ id: 'oauth:ann' });
  });

  it.each([
    ['/.well-known/oauth-authorization-server/tenant'],
    ['/.well-known/openid-configuration/tenant'],
    ['/tenant/.well-known/openid-configuration'],
  ])('finds the metadata of an issuer with a path at %s', async (metadataPath) => {
    const issuer = await startIssuer({ path: '/tenant', metadataPath });
    expect(await open(issuer).verify(await issuer.sign())).toMatchObject({ id: 'oauth:ann' });
  });

  it.each([
    ['a scope with spaces', { scope: 'openid mole:read' }, ['openid', 'mole:read']],
    ['a list in scp', { scope: undefined, scp: ['mole:read', 'x'] }, ['mole:read', 'x']],
    ['a text in scp', { scope: undefined, scp: 'mole:write mole:read' }, ['mole:write', 'mole:read']],
  ])('reads scopes from %s', async (_title, claims, scopes) => {
    const issuer = await startIssuer();
    expect(await open(issuer).verify(await issuer.sign(claims))).toEqual({ id: 'oauth:ann', scopes: new Set(scopes) });
  });

  it.each([
    ['client_id', { sub: undefined, client_id: 'batch' }, 'oauth:batch'],
    ['azp', { sub: undefined, azp: 'batch' }, 'oauth:batch'],
    ['nothing', { sub: undefined }, 'oauth:unnamed'],
  ])('names a principal without a subject after %s', async (_title, claims, id) => {
    const issuer = await startIssuer();
    expect(await open(issuer).verify(await issuer.sign(claims))).toMatchObject({ id });
  });

  it.each([
    ['for another audience', { aud: 'https://other.example.com/mcp' }, 'the token is for another audience'],
    ['without an audience', { aud: undefined }, 'the token is for another audience'],
    ['of another issuer', { iss: 'https://other.example.com' }, 'the token is of another issuer'],
    ['that has expired', { exp: minutes(-2) }, 'the token has expired'],
    ['without an expiry', { exp: undefined }, 'the token has no time of expiry'],
    ['that is not valid yet', { nbf: minutes(2) }, 'the token is not valid yet'],
    ['that is bound to a key', { cnf: { jkt: 'x' } }, 'the token is bound to a key of its client'],
  ])('rejects a token %s', async (_title, claims, message) => {
    const issuer = await startIssuer();
    expect(await open(issuer).verify(await issuer.sign(claims))).toEqual(invalid(message));
  });

  it('accepts one of several audiences, and clocks that differ by some seconds', async () => {
    const issuer = await startIssuer();
    const claims = { aud: ['https://other.example.com', audience], exp: minutes(0) - 5, nbf: minutes(0) + 5 };
    expect(await open(issuer).verify(await issuer.sign(claims))).toMatchObject({ id: 'oauth:ann' });
  });

  it.each(['at+jwt', 'application/at+jwt', 'JWT'])('accepts the type %s', async (typ) => {
    const issuer = await startIssuer();
    expect(await open(issuer).verify(await issuer.sign({}, { typ }))).toMatchObject({ id: 'oauth:ann' });
  });

  it('rejects a token of another type', async () => {
    const issuer = await startIssuer();
    const token = await issuer.sign({}, { typ: 'logout+jwt' });
    expect(await open(issuer).verify(token)).toEqual(invalid('the token is not an access token'));
  });

  it('answers 403 to a token without one of our scopes', async () => {
    const issuer = await startIssuer();
    expect(await open(issuer).verify(await issuer.sign({ scope: 'openid' }))).toEqual({
      status: 403,
      message: 'the token has neither the scope mole:read nor mole:write',
      challenge: `Bearer resource_metadata="${metadataUrl}", error="insufficient_scope", scope="mole:read"`,
    });
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'Bearer é'])(
    'asks for a token on %j',
    async (authorization) => {
      const issuer = await startIssuer();
      expect(await open(issuer).authenticate(authorization)).toEqual({
        status: 401,
        message: 'a bearer token is required',
        challenge: `Bearer resource_metadata="${metadataUrl}"`,
      });
      expect(issuer.asked).toEqual([]);
    },
  );
});

describe('forged OAuth tokens', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claimsOf = (token: string) => token.split('.')[1] ?? '';

  it('rejects a token without a signature', async () => {
    const issuer = await startIssuer();
    const payload = claimsOf(await issuer.sign());
    for (const alg of ['none', 'None', 'NONE']) {
      const answer = await open(issuer).verify(`${encode({ alg, kid: 'first' })}.${payload}.`);
      expect(answer).toEqual(invalid('the algorithm of the token is not accepted'));
    }
  });

  it('rejects a token that is signed with the public key as a shared secret', async () => {
    const issuer = await startIssuer();
    const jwks = await (await fetch(`${issuer.issuer}/keys`)).text();
    for (const secret of [jwks, JSON.stringify(JSON.parse(jwks).keys[0]), JSON.parse(jwks).keys[0].n]) {
      const token = await new SignJWT({ iss: issuer.issuer, aud: audience, exp: minutes(5), scope: 'mole:write' })
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .sign(Buffer.from(secret));
      expect(await open(issuer).verify(token)).toEqual(invalid('the algorithm of the token is not accepted'));
    }
  });

  it('rejects a key that the token brings along', async () => {
    const issuer = await startIssuer();
    const mine = await createSigningKey('first');
    const forged = (header: object) =>
      new SignJWT({ iss: issuer.issuer, aud: audience, exp: minutes(5), scope: 'mole:write' })
        .setProtectedHeader({ alg: 'RS256', kid: 'first', ...header })
        .sign(mine.privateKey);
    for (const header of [{}, { jwk: mine.jwk }, { jku: `${issuer.issuer}/mine` }, { x5u: `${issuer.issuer}/mine` }]) {
      expect(await open(issuer).verify(await forged(header))).toEqual(invalid('the signature of the token is wrong'));
    }
    expect(issuer.asked).not.toContain('/mine');
  });

  it('rejects a token whose claims were changed, and what is no token', async () => {
    const issuer = await startIssuer();
    const [header, , signature] = (await issuer.sign({ scope: 'mole:read' })).split('.');
    const payload = encode({ iss: issuer.issuer, aud: audience, exp: minutes(5), scope: 'mole:write' });
    const { verify } = open(issuer);
    expect(await verify(`${header}.${payload}.${signature}`)).toEqual(invalid('the signature of the token is wrong'));
    for (const token of [
      'x',
      'a.b.c',
      '..',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      'a'.repeat(8_000),
      'a'.repeat(9_000),
    ]) {
      expect(await verify(token)).toMatchObject({ status: 401 });
    }
  });

  it('rejects a token with a critical header that is not understood', async () => {
    const issuer = await startIssuer();
    const payload = claimsOf(await issuer.sign());
    const header = encode({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 });
    expect(await open(issuer).verify(`${header}.${payload}.AAAA`)).toMatchObject({ status: 401 });
  });
});

describe('the keys of an issuer', () => {
  it('reads rotated keys at the first token that needs them, and forgets the old ones', async () => {
    const issuer = await startIssuer();
    const { verify } = open(issuer, { pause: 0 });
    const old = await issuer.sign();
    expect(await verify(old)).toMatchObject({ id: 'oauth:ann' });
    await issuer.rotate('second');
    expect(await verify(await issuer.sign())).toMatchObject({ id: 'oauth:ann' });
    expect(await verify(old)).toEqual(invalid('the token is signed with an unknown key'));
  });

  it('reads the keys again after their maximum age', async () => {
    const issuer = await startIssuer();
    const { verify } = open(issuer, { pause: 0, maxAge: 0 });
    await verify(await issuer.sign());
    await verify(await issuer.sign());
    expect(countKeyReads(issuer)).toBe(2);
  });

  it('reads the keys once for a flood of unknown keys', async () => {
    const issuer = await startIssuer();
    const { verify } = open(issuer, { pause: 60_000 });
    await verify(await issuer.sign());
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => issuer.sign({}, { kid: `unknown-${i}` })));
    const answers = await Promise.all(tokens.map(verify));
    expect(answers).toEqual(tokens.map(() => invalid('the token is signed with an unknown key')));
    expect(countKeyReads(issuer)).toBe(1);
    expect(await verify(await issuer.sign())).toMatchObject({ id: 'oauth:ann' });
  });

  it('shares one read between calls that need it at once', async () => {
    const issuer = await startIssuer();
    const { verify } = open(issuer, { pause: 0 });
    const token = await issuer.sign();
    await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect(countKeyReads(issuer)).toBe(1);
  });

  it('fails while the issuer is down, asks it seldom, and recovers', async () => {
    const issuer = await startIssuer();
    issuer.turn('down');
    const { verify, logged } = open(issuer, { pause: 300 });
    const token = await issuer.sign();
    for (const answer of Array.from({ length: 10 }, () => verify(token))) await expect(answer).rejects.toMatchObject(unavailable);
    await expect(verify(token)).rejects.toMatchObject(unavailable);
    expect(issuer.asked).toHaveLength(1);
    expect(logged).toEqual([expect.stringContaining(`the keys of the issuer ${issuer.issuer} cannot be read`)]);
    issuer.turn('up');
    await expect.poll(() => verify(token).catch(() => 'down'), { timeout: 10_000 }).toMatchObject({ id: 'oauth:ann' });
  });

  it('goes on with the keys that it has while the issuer is down', async () => {
    const issuer = await startIssuer();
    const times = { pause: 0, maxAge: 0 };
    const patient = open(issuer, times);
    const strict = open(issuer, { ...times, maxStaleAge: 0 });
    const token = await issuer.sign();
    for (const { verify } of [patient, strict]) expect(await verify(token)).toMatchObject({ id: 'oauth:ann' });
    issuer.turn('down');
    expect(await patient.verify(token)).toMatchObject({ id: 'oauth:ann' });
    await expect(strict.verify(token)).rejects.toMatchObject(unavailable);
  });

  it('does not wait for an issuer that never answers', async () => {
    const issuer = await startIssuer();
    issuer.turn('hangs');
    await expect(open(issuer, { timeout: 100 }).verify(await issuer.sign())).rejects.toMatchObject(unavailable);
  });

  it('reports why the issuer cannot be reached', async () => {
    const { check } = open({ issuer: `http://127.0.0.1:${await findUnusedPort()}` });
    const message = expect.stringMatching(/cannot be read: fetch failed \(ECONNREFUSED\)$/);
    await expect(check()).rejects.toMatchObject({ message });
  });

  it.each([
    [
      'names another issuer',
      { issuer: 'https://other.example.com' },
      'is the metadata of the issuer "https://other.example.com"',
    ],
    ['has no keys', { jwks_uri: undefined }, 'no jwks_uri with https'],
    ['has keys over plain HTTP', { jwks_uri: 'http://keys.example.com/' }, 'no jwks_uri with https'],
    ['has keys in a file', { jwks_uri: 'file:///etc/passwd' }, 'no jwks_uri with https'],
  ])('reports metadata that %s', async (_title, metadata, message) => {
    const { check } = open(await startIssuer({ metadata }));
    await expect(check()).rejects.toMatchObject({ code: 'E_ISSUER', message: expect.stringContaining(message) });
  });

  it('reports an issuer without metadata, with all places that were asked', async () => {
    const issuer = await startIssuer({ path: '/a', metadataPath: '/elsewhere' });
    await expect(open(issuer).check()).rejects.toMatchObject({ message: expect.stringMatching(/(answers 404.*){3}/) });
    expect(issuer.asked).toEqual([
      '/.well-known/oauth-authorization-server/a',
      '/.well-known/openid-configuration/a',
      '/a/.well-known/openid-configuration',
    ]);
  });
});

describe('the options of OAuth', () => {
  it('serves the metadata of the protected resource at its well-known paths', async () => {
    const { metadata, metadataPaths } = open({ issuer: 'https://login.example.com/' });
    expect(metadata()).toEqual({
      resource: audience,
      authorization_servers: ['https://login.example.com/'],
      scopes_supported: ['mole:read', 'mole:write'],
      bearer_methods_supported: ['header'],
    });
    expect(metadataPaths).toEqual(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']);
    const below = open({ issuer: 'https://login.example.com' }, {}, { audience: 'https://example.com/db/mcp/' });
    expect(below.metadataPaths).toContain('/.well-known/oauth-protected-resource/db/mcp');
  });

  it.each(['', 'login.example.com', 'http://login.example.com', 'ftp://x', 'https://x/?a=1', 'https://x/#a'])(
    'refuses the issuer %j',
    (issuer) => {
      expect(() => open({ issuer })).toThrow(
        expect.objectContaining({ kind: 'input', message: expect.stringContaining('--issuer') }),
      );
    },
  );

  it.each(['', 'mole', 'api://mole', 'https://x/mcp#a', 'https://x/mcp?a=1'])('refuses the audience %j', (audience) => {
    expect(() => open({ issuer: 'https://login.example.com' }, {}, { audience })).toThrow(
      expect.objectContaining({ kind: 'input', message: expect.stringContaining('--audience') }),
    );
  });
});
