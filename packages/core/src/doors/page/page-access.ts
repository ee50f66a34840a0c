import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { changeFile } from '../../files/change-file.ts';
import { isWritableByOthers, readSmallFile } from '../../files/read-file.ts';
import { isFields, parseJson } from '../../registry/tree.ts';

/** A code is used within seconds, unless the person copies the link to another machine. */
const codeMs = 5 * 60_000;
/** A working day. */
const sessionMs = 12 * 3_600_000;
/** Older ones make room. */
const maxCodes = 20;
const maxSessions = 100;

/** Who may use the page of a project. Secrets are kept as digests: what is in the file opens nothing. */
interface Pass {
  digest: string;
  root: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface Passes {
  codes: readonly Pass[];
  sessions: readonly Pass[];
}

/**
 * The codes and sessions of the pages of one user, in a file for its owner only. Who can write this file is the user, which is why
 * `open` needs no token; and a session goes on when the server is started again.
 */
export class PageAccess {
  readonly #path: string;
  readonly #root: string;
  readonly #now: () => number;

  constructor({ stateFolder, root, now = Date.now }: { stateFolder: string; root: string; now?: () => number }) {
    this.#path = join(stateFolder, 'page.json');
    this.#root = root;
    this.#now = now;
  }

  /** Returns a code for one use, to be redeemed within five minutes. */
  async createCode(): Promise<string> {
    const code = createSecret();
    const pass = this.#pass(code, codeMs);
    await this.#change(({ codes, sessions }) => ({ codes: [...codes, pass].slice(-maxCodes), sessions }));
    return code;
  }

  /** Returns the two secrets of a new session, with a dot between them; undefined for a code that was used, has expired or never was. */
  async redeem(code: string): Promise<string | undefined> {
    const used = digest(code);
    const session = `${createSecret()}.${createSecret()}`;
    const pass = this.#pass(session, sessionMs);
    let isValid = false;
    await this.#change(({ codes, sessions }) => {
      isValid = codes.some((one) => one.digest === used && one.root === this.#root);
      const rest = codes.filter((one) => one.digest !== used);
      return { codes: rest, sessions: isValid ? [...sessions, pass].slice(-maxSessions) : sessions };
    });
    return isValid ? session : undefined;
  }

  isSession(secret: string): boolean {
    const wanted = digest(secret);
    return this.#read().sessions.some((one) => one.digest === wanted && one.root === this.#root);
  }

  async end(secret: string): Promise<void> {
    const ended = digest(secret);
    await this.#change(({ codes, sessions }) => ({ codes, sessions: sessions.filter((one) => one.digest !== ended) }));
  }

  #pass(secret: string, ms: number): Pass {
    return { digest: digest(secret), root: this.#root, expiresAt: this.#now() + ms };
  }

  #read(): Passes {
    const image = readSmallFile(this.#path);
    // What another user could have written may be that user's session.
    return image === undefined || isWritableByOthers(image) ? { codes: [], sessions: [] } : this.#parse(image.bytes);
  }

  async #change(edit: (passes: Passes) => Passes): Promise<void> {
    await changeFile({
      path: this.#path,
      edit: (image) => {
        const passes = image === undefined || isWritableByOthers(image) ? { codes: [], sessions: [] } : this.#parse(image.bytes);
        return `${JSON.stringify(edit(passes))}\n`;
      },
    });
  }

  #parse(bytes: Buffer): Passes {
    const value = parseJson(bytes.toString('utf8'));
    const { codes, sessions } = isFields(value) ? value : {};
    return { codes: this.#keepValid(codes), sessions: this.#keepValid(sessions) };
  }

  #keepValid(list: unknown): readonly Pass[] {
    const now = this.#now();
    return Array.isArray(list) ? list.filter(isPass).filter(({ expiresAt }) => expiresAt > now) : [];
  }
}

function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function isPass(value: unknown): value is Pass {
  return (
    isFields(value) && typeof value.expiresAt === 'number' && [value.digest, value.root].every((one) => typeof one === 'string')
  );
}
