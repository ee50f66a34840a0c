import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Failure, failureWith, joinHints, toFailure } from '../../failure.ts';
import { changeFile } from '../../files/change-file.ts';
import { type FileImage, isWritableByOthers, readSmallFile, readStamp } from '../../files/read-file.ts';
import { rememberSecret } from '../../redact/redact.ts';

const tokenBytes = 32;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;
/** How long a replaced token may still be accepted, in milliseconds. */
const stampMs = 500;

export interface TokenFile {
  path: string;
  /** The token; made at the first call of `ensure`. */
  read(): string;
  /** Makes the token unless there is one. */
  ensure(): Promise<string>;
  /** Replaces it. Running servers accept only the new one from then on. */
  replace(): Promise<string>;
}

/** The token of this user's HTTP servers, in a file for its owner only. */
export function createTokenFile(stateFolder: string): TokenFile {
  const path = join(stateFolder, 'serve-token');
  let known: { token: string; stamp: string | undefined; checkedAt: number } | undefined;

  function remember(token: string): string {
    rememberSecret(token);
    known = { token, stamp: readStamp(path), checkedAt: performance.now() };
    return token;
  }

  async function write(keep: boolean): Promise<string> {
    let token = '';
    await changeFile({
      path,
      edit(image) {
        // A token that another user could have written is known to that user.
        const old = keep && image !== undefined && !isWritableByOthers(image) ? parseToken(image.bytes) : undefined;
        token = old ?? randomBytes(tokenBytes).toString('base64url');
        // What is written is for its owner only, also where a copy was for others too.
        return old === undefined || isForOthers(image?.mode) ? `${token}\n` : undefined;
      },
    });
    return remember(token);
  }

  return {
    path,
    read() {
      if (known !== undefined) {
        const now = performance.now();
        if (now - known.checkedAt < stampMs) return known.token;
        known.checkedAt = now;
        if (readStamp(path) === known.stamp) return known.token;
      }
      return remember(readToken(path));
    },
    ensure: () => write(true).catch(adviseReference),
    replace: () => write(false).catch(adviseReference),
  };
}

/** A container with a read-only file system has no place for a token. */
function adviseReference(error: unknown): never {
  const failure = toFailure(error);
  throw failureWith(failure, { hint: joinHints(failure.next, 'Or use a token of your own: `serve --token REF`.') });
}

function isForOthers(mode = 0): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function readToken(path: string): string {
  const image = readSmallFile(path, { kind: 'secret', maxBytes: 4_096 });
  const token = parseToken(image?.bytes);
  const problem = image === undefined ? 'does not exist' : describeProblem(image, token);
  if (token !== undefined && problem === undefined) return token;
  throw new Failure('secret', `${path} ${problem}`, {
    code: 'E_SECRET_FILE',
    hint: { run: 'serve --new-token', to: 'make a new token' },
  });
}

function describeProblem(image: FileImage, token: string | undefined): string | undefined {
  if (isWritableByOthers(image)) return 'could be written by other users';
  return token === undefined ? 'does not hold a token' : undefined;
}

function parseToken(bytes: Buffer | undefined): string | undefined {
  const text = bytes?.toString('utf8').trim();
  return text !== undefined && tokenPattern.test(text) ? text : undefined;
}
