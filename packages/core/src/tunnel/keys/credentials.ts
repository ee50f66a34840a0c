import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyAuthMethod, ParsedKey } from 'ssh2';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { tunnelFailure } from '../failures.ts';
import type { Ssh2 } from '../library/ssh2-library.ts';
import { expandHome, type Hop } from '../route.ts';
import { type Agent, type AgentOptions, openAgent } from './agent.ts';
import { fingerprint } from './known-hosts.ts';
import { loadPrivateKey } from './private-key.ts';

export type AuthName = 'publickey' | 'password' | 'keyboard-interactive' | 'none';

/** One way to log in, in the order in which they are tried. */
export interface Credential {
  /** The protocol's name, which the server lists when it refuses. */
  method: AuthName;
  /** The label for messages; it holds no secret. */
  label: string;
  attempt: AnyAuthMethod;
}

export interface Credentials {
  candidates: readonly Credential[];
  /** What could not be used, and why; reported when the login fails. */
  notes: string[];
  /** What the server asked and got no answer to, in its own words. */
  questions: string[];
  /** Hangs up on the agent; owed as soon as the login is over. */
  close(): void;
}

interface CredentialOptions {
  ssh2: Ssh2;
  hop: Hop;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  log: Log;
  agentTimeoutMs: number;
  signal?: AbortSignal | undefined;
}

const defaultKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/**
 * Everything that may be offered to this server: the agent, the key and the password of its own configuration, or, when
 * that names none of them, what ssh would try by itself. Nothing is sent here.
 */
export async function openCredentials(options: CredentialOptions): Promise<Credentials> {
  const { hop } = options;
  const collector = new Collector(options);
  const ofConnection = hop.agent !== undefined || hop.privateKey !== undefined || hop.password !== undefined;
  try {
    if (hop.config !== undefined) await collector.addOfHost(hop.config);
    else if (ofConnection) await collector.addConfigured();
    else await collector.addDefaults();
    return collector.finish();
  } catch (error) {
    collector.close();
    throw error;
  }
}

class Collector {
  readonly #options: CredentialOptions;
  readonly #candidates: Credential[] = [];
  readonly #problems: Failure[] = [];
  readonly #notes: string[] = [];
  readonly #questions: string[] = [];
  #agent: Agent | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** A configured key that cannot be used is an error; an agent that is not there is one only if nothing else is left. */
  async addConfigured(): Promise<void> {
    const { agent, privateKey, password } = this.#options.hop;
    if (agent !== undefined) await this.#orNote(() => this.#addAgent(agent));
    if (privateKey !== undefined) await this.#addKey(privateKey);
    if (password !== undefined) this.#addPassword(password);
  }

  /** Adds keys in the order of ssh: the agent's keys that are named, then its others, then the files. */
  async addOfHost({ identityFiles, identitiesOnly }: NonNullable<Hop['config']>): Promise<void> {
    const { agent } = this.#options.hop;
    const keys = (await Promise.all(identityFiles.map(readPublicKey))).filter((key) => key !== undefined);
    if (agent !== undefined) await this.#orNote(() => this.#addAgent(agent, { keys, only: identitiesOnly }));
    for (const file of identityFiles) await this.#orNote(() => this.#addKey(file));
  }

  async addDefaults(): Promise<void> {
    const { env, home } = this.#options;
    const socket = env.SSH_AUTH_SOCK;
    if (socket) await this.#orNote(() => this.#addAgent(socket));
    for (const name of defaultKeys) await this.#orNote(() => this.#addKey(join(home, '.ssh', name)));
  }

  finish(): Credentials {
    if (this.#candidates.length === 0) throw this.#nothing();
    this.#notes.push(
      ...this.#problems.filter((problem) => problem.code !== 'E_SSH_KEY_NOT_FOUND').map((problem) => problem.message),
    );
    return { candidates: this.#candidates, notes: this.#notes, questions: this.#questions, close: () => this.close() };
  }

  close(): void {
    this.#agent?.close();
  }

  async #orNote(add: () => Promise<void>): Promise<void> {
    try {
      await add();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'tunnel') throw error;
      this.#problems.push(error);
      if (error.code !== 'E_SSH_KEY_NOT_FOUND') this.#options.log('warn', error.message, { hop: this.#options.hop.label });
    }
  }

  async #addAgent(path: string, wanted?: AgentOptions['wanted']): Promise<void> {
    const { ssh2, home, hop, agentTimeoutMs, signal } = this.#options;
    this.#agent = await openAgent({
      ssh2,
      path: expandHome(path, home),
      timeoutMs: agentTimeoutMs,
      signal,
      ...(wanted === undefined ? {} : { wanted }),
    });
    const { agent, offered, withheld } = this.#agent;
    const label = `${offered.length} key(s) of the agent (${offered.map(describeKey).join(', ')})`;
    this.#candidates.push({ method: 'publickey', label, attempt: { type: 'agent', username: hop.user, agent } });
    if (withheld > 0)
      this.#notes.push(`the agent holds ${withheld} more key(s), which were not offered: name the right one with "privateKey"`);
  }

  async #addKey(privateKey: string): Promise<void> {
    const { hop } = this.#options;
    const { key, where } = await loadPrivateKey({ privateKey, passphrase: hop.passphrase }, this.#options);
    const label = `${where} (${describeKey(key)})`;
    this.#candidates.push({ method: 'publickey', label, attempt: { type: 'publickey', username: hop.user, key } });
  }

  /** Some servers take the password only as the answer to a question. It is never sent twice: see `createAuthHandler`. */
  #addPassword(password: string): void {
    const username = this.#options.hop.user;
    this.#candidates.push(
      { method: 'password', label: 'the password', attempt: { type: 'password', username, password } },
      {
        method: 'keyboard-interactive',
        label: 'the password as an answer',
        attempt: { type: 'keyboard-interactive', username, prompt: this.#answerOnce(password) },
      },
    );
  }

  /** Only one hidden question can be the one for the password; whatever else a server asks stays unanswered. */
  #answerOnce(password: string) {
    let answered = false;
    return (
      _name: string,
      _text: string,
      _language: string,
      prompts: { prompt: string; echo?: boolean }[],
      finish: (answers: string[]) => void,
    ): void => {
      const [question, ...others] = prompts;
      const isPassword = !answered && question?.echo === false && others.length === 0 && !isForCode(question.prompt);
      if (!isPassword) this.#questions.push(...prompts.map(({ prompt }) => prompt));
      answered = true;
      finish(isPassword ? [password] : prompts.map(() => ''));
    };
  }

  #nothing(): Failure {
    const problem = this.#problems.find(({ code }) => code !== 'E_SSH_KEY_NOT_FOUND');
    if (problem !== undefined) return problem;
    const files = this.#options.hop.config?.identityFiles ?? defaultKeys.map((name) => `~/.ssh/${name}`);
    const tried = `no agent (SSH_AUTH_SOCK), no ${files.join(', ')}`;
    return tunnelFailure('E_SSH_AUTH_FAILED', `no credential is available for ${this.#options.hop.label}: ${tried}`, {
      hint: 'Set "privateKey", "agent" or "password" in the "ssh" part of the connection.',
    });
  }
}

/** A password in its place would be another wrong answer, and would be sent to the service that checks the codes. */
function isForCode(question: string): boolean {
  return /one[- ]time|\botp\b|\bcode\b|token|verification|passcode|(second|two)[- ]factor|yubikey|\bpin\b|\bresponse\b/i.test(
    question,
  );
}

/** The public half beside a private key; a file without one is no reason to fail. */
async function readPublicKey(file: string): Promise<Buffer | undefined> {
  try {
    return Buffer.from((await readFile(`${file}.pub`, 'utf8')).split(' ')[1] ?? '', 'base64');
  } catch {
    return undefined;
  }
}

function describeKey(key: ParsedKey): string {
  return `${key.type} ${fingerprint(key.getPublicSSH())}`;
}
