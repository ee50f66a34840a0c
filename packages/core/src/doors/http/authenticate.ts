import { createHash, timingSafeEqual } from 'node:crypto';

/** The sender of a request, as far as limits and permissions depend on it. */
export interface Principal {
  /** Limits count, and views are kept, for each. */
  id: string;
  /** Undefined: everything. */
  scopes?: ReadonlySet<string>;
}

/** Why a request is not served. */
export interface Denial {
  status: 401 | 403;
  /** The value of `WWW-Authenticate`. */
  challenge: string;
  message: string;
}

/** Gets the header `Authorization`. Throws only what is not a fault of the caller. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal | Denial>;

const writeScope = 'mole:write';

export function isDenial(outcome: Principal | Denial): outcome is Denial {
  return 'status' in outcome;
}

/** A principal without scopes may write, as far as the server may. */
export function mayWrite({ scopes }: Principal): boolean {
  return scopes === undefined || scopes.has(writeScope);
}

interface TokenAuthOptions {
  /** The name of the program, shown as the realm. */
  realm: string;
  /** The valid token now; it may be replaced while the server runs. */
  readToken(): string;
  /** How a person finds the token: a sentence. */
  advice: string;
}

/** One token for all clients. */
export function createTokenAuth({ realm, readToken, advice }: TokenAuthOptions): Authenticate {
  return async (authorization) => {
    if (authorization === undefined) return deny(`Bearer realm="${realm}"`, `a token is required. ${advice}`);
    const given = readBearer(authorization);
    if (given !== undefined && isSame(given, readToken())) return { id: 'token' };
    const what = given === undefined ? describeMalformed(authorization) : 'the token is not valid';
    return deny(`Bearer realm="${realm}", error="invalid_token"`, `${what}. ${advice}`);
  };
}

/** The usual mistake is a reference to a variable that the client does not know, or that is not set for it. */
function describeMalformed(authorization: string): string {
  const [, text] = /^Bearer(.*)$/i.exec(authorization) ?? [];
  if (text === undefined || !/^ *$|[${}]/.test(text)) return 'the header Authorization is not of the form "Bearer TOKEN"';
  return 'the header Authorization holds no token: set the variable that the client takes it from, in the environment of the client';
}

/** Every request is accepted: the server listens on this machine only, and a person has chosen so. */
export const acceptAll: Authenticate = async () => ({ id: 'local' });

/** The token of `Bearer TOKEN`, in the characters that RFC 6750 allows. */
export function readBearer(authorization: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]{1,8192}) *$/i.exec(authorization)?.[1];
}

function deny(challenge: string, message: string): Denial {
  return { status: 401, challenge, message };
}

/** The time that this takes tells neither the length of the token nor how much of it is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
