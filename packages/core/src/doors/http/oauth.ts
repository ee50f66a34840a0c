import { errors, type JWTPayload, jwtVerify } from 'jose';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { type Authenticate, type Denial, type Principal, readBearer } from './authenticate.ts';
import { IssuerKeys, type IssuerKeyTimes, isProtected } from './issuer-keys.ts';
import { HttpRefusal } from './refusal.ts';

const readScope = 'mole:read';
const writeScope = 'mole:write';

export interface OauthOptions {
  /** Exactly as the tokens and the issuer's metadata have it. */
  issuer: string;
  /** The URL of this server as clients know it; tokens must be made for it (RFC 8707). */
  audience: string;
  log: Log;
  times?: Partial<IssuerKeyTimes>;
}

export interface Oauth {
  /** Throws an HttpRefusal while the issuer's keys cannot be read. */
  authenticate: Authenticate;
  /** The protected-resource metadata of RFC 9728. */
  metadata(): object;
  /** The paths at which the metadata is served, without a token. */
  metadataPaths: readonly string[];
  /** Reads the issuer's keys. Throws a Failure that says what is wrong; the server can serve anyway, and tries again. */
  check(): Promise<void>;
}

/** Public keys only: with a shared secret, everyone who can verify a token can make one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
/** A token of another kind, such as one for a logout, is not for access (RFC 8725). */
const tokenTypes: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** The clocks of the issuer and of this machine may differ by so much. */
const clockToleranceSeconds = 30;
const retrySeconds = 10;
const wellKnown = '/.well-known/oauth-protected-resource';

/** Verifies the access tokens of one issuer. It never issues any. */
export function createOauth({ issuer, audience, log, times }: OauthOptions): Oauth {
  checkIssuer(issuer);
  const resource = parseAudience(audience);
  const keys = new IssuerKeys(issuer, log, times);
  const ownPath = `${wellKnown}${resource.pathname.replace(/\/$/, '')}`;
  const denials = createDenials(`${resource.origin}${ownPath}`);

  async function verify(token: string): Promise<Principal | Denial> {
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
    });
    if (!tokenTypes.includes(protectedHeader.typ?.toLowerCase())) return denials.invalid('the token is not an access token');
    // The client would have to prove that it has this key, and that is not checked here.
    if (payload.cnf !== undefined) return denials.invalid('the token is bound to a key of its client');
    const scopes = readScopes(payload);
    if (!scopes.has(readScope) && !scopes.has(writeScope)) return denials.insufficient();
    return { id: `oauth:${readSubject(payload)}`, scopes };
  }

  return {
    async authenticate(authorization) {
      const token = readBearer(authorization ?? '');
      if (token === undefined) return denials.missing();
      try {
        return await verify(token);
      } catch (error) {
        if (error instanceof errors.JOSEError) return denials.invalid(explain(error));
        if (error instanceof Failure) throw unavailable();
        throw error;
      }
    },
    metadata: () => ({
      resource: audience,
      authorization_servers: [issuer],
      scopes_supported: [readScope, writeScope],
      bearer_methods_supported: ['header'],
    }),
    metadataPaths: [...new Set([wellKnown, `${wellKnown}/mcp`, ownPath])],
    check: () => keys.load(),
  };
}

/** The log says why. */
function unavailable(): HttpRefusal {
  return new HttpRefusal(503, 'the keys of the token issuer cannot be read now', { retryAfter: retrySeconds });
}

function createDenials(metadataUrl: string) {
  const challenge = (...more: string[]) => ['Bearer resource_metadata="', metadataUrl, '"', ...more].join('');
  return {
    missing: (): Denial => ({ status: 401, message: 'a bearer token is required', challenge: challenge() }),
    invalid: (message: string): Denial => ({
      status: 401,
      message,
      challenge: challenge(`, error="invalid_token", error_description="${message}"`),
    }),
    insufficient: (): Denial => ({
      status: 403,
      message: `the token has neither the scope ${readScope} nor ${writeScope}`,
      challenge: challenge(`, error="insufficient_scope", scope="${readScope}"`),
    }),
  };
}

/** A list with spaces between its members (RFC 8693), or `scp`, which some issuers write instead. */
function readScopes({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const words = [scope, scp].flat().flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
  return new Set(words.filter((word) => word !== ''));
}

function readSubject({ sub, client_id: clientId, azp }: JWTPayload): string {
  return [sub, clientId, azp].find((value) => typeof value === 'string' && value !== '')?.toString() ?? 'unnamed';
}

const claimProblems: Readonly<Record<string, string>> = {
  aud: 'the token is for another audience',
  iss: 'the token is of another issuer',
  nbf: 'the token is not valid yet',
  exp: 'the token has no time of expiry',
};

/** In plain ASCII without quotes, as it becomes part of a header. */
function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimProblems[error.claim] ?? 'a claim of the token is invalid';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the algorithm of the token is not accepted';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the token is signed with an unknown key';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is wrong';
  return 'the token is not a valid JWT';
}

function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url !== undefined && isProtected(url) && url.search === '' && url.hash === '') return;
  throw new Failure('input', `invalid --issuer ${JSON.stringify(issuer.slice(0, 200))}: expected a URL with https`, {
    hint: 'Pass the issuer exactly as its tokens name it, such as https://login.example.com/.',
  });
}

function parseAudience(audience: string): URL {
  const url = URL.canParse(audience) ? new URL(audience) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hash === '' && url.search === '') return url;
  throw new Failure('input', `invalid --audience ${JSON.stringify(audience.slice(0, 200))}: expected the URL of this server`, {
    hint: 'Pass the URL that clients use, such as https://mole.example.com/mcp, and let the issuer make tokens for it.',
  });
}
