import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { Failure, toFailure } from '../../failure.ts';
import { systemCode } from '../../files/system-code.ts';
import { isLocalHost } from '../../local-host.ts';
import type { Log } from '../../log.ts';
import { isFields } from '../../registry/tree.ts';

/** Milliseconds. */
export interface IssuerKeyTimes {
  /** Keys of this age are read again. */
  maxAge: number;
  /** While the issuer is down, older keys are used up to this age. */
  maxStaleAge: number;
  /** The shortest time between two reads, whatever the tokens need. */
  pause: number;
  /** The limit of one read of the metadata and the keys. */
  timeout: number;
}

const defaultTimes: IssuerKeyTimes = { maxAge: 600_000, maxStaleAge: 3_600_000, pause: 10_000, timeout: 5_000 };
/** Both are a few kilobytes in practice. */
const maxBytes = 512 * 1024;

interface Keys {
  find: JWTVerifyGetKey;
  readAt: number;
}

/**
 * The public keys of one issuer, found through its metadata (RFC 8414, OpenID Connect Discovery). A token with an unknown key causes
 * one read, and a flood of them one for each pause.
 */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #log: Log;
  readonly #times: IssuerKeyTimes;
  #keys: Keys | undefined;
  #reading: Promise<Keys> | undefined;
  #lastTry: { at: number; failure?: Failure } | undefined;

  constructor(issuer: string, log: Log, times: Partial<IssuerKeyTimes> = {}) {
    this.#issuer = issuer;
    this.#log = log;
    this.#times = { ...defaultTimes, ...times };
  }

  /** The key for a token's header, as `jwtVerify` wants it. Throws a Failure when the issuer cannot be reached. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.#current();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.#newerThan(known);
      if (newer === undefined) throw error;
      return await newer.find(header, token);
    }
  };

  /** Reads the keys now, if they are not there. Throws a Failure that says what is wrong with the issuer. */
  async load(): Promise<void> {
    await this.#current();
  }

  async #current(): Promise<Keys> {
    const keys = this.#keys;
    const age = keys === undefined ? Number.POSITIVE_INFINITY : performance.now() - keys.readAt;
    if (keys !== undefined && age < this.#times.maxAge) return keys;
    try {
      return await this.#readOrRefuse();
    } catch (error) {
      if (keys !== undefined && age < this.#times.maxStaleAge) return keys;
      throw error;
    }
  }

  async #newerThan(known: Keys): Promise<Keys | undefined> {
    if (this.#keys !== undefined && this.#keys !== known) return this.#keys;
    return await this.#readOrRefuse().catch(() => undefined);
  }

  /** Joins a read that is under way; refuses another one right after the last. */
  #readOrRefuse(): Promise<Keys> {
    if (this.#reading !== undefined) return this.#reading;
    const { at = Number.NEGATIVE_INFINITY, failure } = this.#lastTry ?? {};
    if (performance.now() - at < this.#times.pause) {
      return Promise.reject(failure ?? new Failure('limit', 'the keys of the issuer were read a moment ago'));
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<Keys> {
    try {
      const find = await readKeys(this.#issuer, this.#times.timeout);
      this.#keys = { find, readAt: performance.now() };
      this.#lastTry = { at: performance.now() };
      return this.#keys;
    } catch (error) {
      const failure = error instanceof Failure ? error : unreachable(this.#issuer, describeProblem(error));
      this.#lastTry = { at: performance.now(), failure };
      this.#log('warn', failure.message);
      throw failure;
    }
  }
}

async function readKeys(issuer: string, timeoutMs: number): Promise<JWTVerifyGetKey> {
  const signal = AbortSignal.timeout(timeoutMs);
  const address = await findKeyAddress(issuer, signal);
  const keys = await readJson(address, signal);
  if (!isFields(keys) || !Array.isArray(keys.keys)) throw unreachable(issuer, `${address} does not hold a set of keys`);
  // The shape is checked by jose, which throws for any other.
  return createLocalJWKSet(keys as unknown as Parameters<typeof createLocalJWKSet>[0]);
}

/** The first metadata document that names this issuer decides. */
async function findKeyAddress(issuer: string, signal: AbortSignal): Promise<string> {
  const problems: string[] = [];
  for (const url of listMetadataUrls(issuer)) {
    const document = await readJson(url, signal).catch((error: unknown) => {
      if (!(error instanceof BadAnswer)) throw error;
      problems.push(error.message);
    });
    if (!isFields(document)) continue;
    if (document.issuer === issuer) return checkKeyAddress(document.jwks_uri, issuer);
    problems.push(`${url} is the metadata of the issuer ${JSON.stringify(document.issuer)}`);
  }
  throw unreachable(issuer, problems.join('; '));
}

function listMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    ...(path === '' ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

/** Anyone on the way could replace keys that come over plain HTTP. */
function checkKeyAddress(address: unknown, issuer: string): string {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && isProtected(url)) return url.href;
  throw unreachable(issuer, `its metadata has no jwks_uri with https, but ${JSON.stringify(address)}`);
}

/** HTTPS, or a server on this machine. */
export function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLocalHost(hostname.replace(/^\[|\]$/g, '')));
}

/** The server answered, but not with the document. */
class BadAnswer extends Error {}

async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new BadAnswer(`${url} answers ${response.status}`);
  }
  const text = await readText(response, url);
  try {
    return JSON.parse(text);
  } catch {
    throw new BadAnswer(`${url} is not JSON`);
  }
}

async function readText({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new BadAnswer(`${url} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch` says what happened only in the cause of its error. */
function describeProblem(error: unknown): string {
  const { message } = toFailure(error);
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === undefined) return message;
  return `${message} (${systemCode(cause) ?? toFailure(cause).message})`;
}

function unreachable(issuer: string, why: string): Failure {
  return new Failure('connection', `the keys of the issuer ${issuer} cannot be read: ${why}`, {
    code: 'E_ISSUER',
    hint: 'Check --issuer: it must be exactly the "issuer" of the metadata, which the server must be able to reach.',
  });
}
