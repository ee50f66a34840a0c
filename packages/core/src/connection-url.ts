import * as z from 'zod';
import { rememberSecret } from './redact/redact.ts';

/** Why a URL, or another text that sets several fields, is not accepted. Its text is ours alone: every part of a URL may be secret. */
export class UrlError extends Error {
  readonly field: string = 'url';
}

/** Decoded, and empty where the URL says nothing. */
export interface UrlParts {
  /** In small letters, without the colon. */
  scheme: string;
  user: string;
  password: string;
  host: string;
  port: number | undefined;
  /** The path is not decoded, because `/` and an encoded one differ. */
  path: string;
  parameters: readonly (readonly [name: string, value: string])[];
}

/** Throws a UrlError that repeats nothing of the text. `form` shows an accepted one, without a password: what follows a colon there is removed. */
export function parseUrl(text: string, form: string): UrlParts {
  if (/[\s\p{Cc}]/u.test(text)) throw new UrlError('it contains a space or a control character; encode it, for example as %20');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw new UrlError(`expected the form ${form}`);
  refuseRawCharacters(text);
  const { protocol, username, password, hostname, port, pathname, searchParams } = open(text, form);
  if (port === '0') throw new UrlError('invalid port 0: expected 1 to 65535');
  return {
    scheme: protocol.slice(0, -1),
    user: decodeUrlPart(username),
    password: decodeUrlPart(password),
    host: decodeUrlPart(hostname.replace(/^\[(.*)\]$/, '$1')),
    port: port === '' ? undefined : Number(port),
    path: pathname,
    parameters: [...searchParams],
  };
}

/** In a password that was not encoded, they would end it: the rest of it would be taken for a host, and shown. */
function refuseRawCharacters(text: string): void {
  if (text.includes('#')) throw new UrlError('write a # in it as %23');
  const ats = text.split('@').length - 1;
  if (ats > 1) throw new UrlError('it has more than one @; write all but the one before the host as %40, also in a password');
  if (ats === 1 && !/:\/\/[^/?]*@/.test(text)) {
    throw new UrlError('it has a / or a ? before the @; write them as %2F and %3F in a user or password');
  }
}

function open(text: string, form: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new UrlError(`expected the form ${form}; encode special characters, for example / as %2F`);
  }
}

export function decodeUrlPart(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new UrlError('it has an invalid % escape; write a literal % as %25');
  }
  if (decoded.includes('\u0000')) throw new UrlError('it contains an encoded NUL character');
  return decoded;
}

type Fields = Record<string, unknown>;

/** The fields with what a URL says of them. Its password is known as a secret from now on. */
export function joinUrl(fields: Fields, url: unknown, parse: (text: string) => { password?: string }): Fields {
  if (typeof url !== 'string') throw new UrlError('expected a text; write a variable of the environment as ${NAME}');
  const parsed = parse(url);
  const { password, ...shown } = parsed;
  const isSecret = password !== undefined && !isPlaceholder(password) && !Object.values<unknown>(shown).includes(password);
  if (isSecret) rememberSecret(password);
  const other = findConflict(fields, parsed);
  if (other !== undefined) throw new UrlError(`the URL and "${other}" disagree; give only one`);
  return { ...fields, ...parsed };
}

/** Values in both must agree; otherwise the key that differs. */
export function findConflict(fields: Fields, found: object): string | undefined {
  return Object.entries(found).find(([key, value]) => fields[key] !== undefined && fields[key] !== value)?.[0];
}

/** Checks the text before variables are expanded. A value that is not secret must not be removed from texts as if it were. */
function isPlaceholder(text: string): boolean {
  return /^\$\{[^}]*\}$/.test(text);
}

/** Inside of a schema, where what is not accepted is an issue of its field. */
export function orIssue<T>(context: z.RefinementCtx, join: () => T): T {
  try {
    return join();
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    context.addIssue({ code: 'custom', path: [error.field], message: error.message });
    return z.NEVER;
  }
}
