import type { Duplex } from 'node:stream';
import type { BaseAgent, GetStreamCallback, IdentityCallback, ParsedKey } from 'ssh2';
import { waitFor } from '../../abort.ts';
import type { Failure } from '../../failure.ts';
import { errorText, tunnelFailure } from '../failures.ts';
import type { Ssh2 } from '../library/ssh2-library.ts';

export interface AgentOptions {
  ssh2: Ssh2;
  path: string;
  /** The public keys that were configured: they come first, and with `only` nothing else is offered. */
  wanted?: { keys: readonly Buffer[]; only: boolean };
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Agent {
  /** What ssh2 logs in with. */
  agent: BaseAgent;
  offered: readonly ParsedKey[];
  /** How many usable keys it holds that we do not offer. */
  withheld: number;
  /** Hangs up on the agent; owed as soon as the login is over. */
  close(): void;
}

/** A server hangs up after six refused keys, so with a full agent the login would never come to a password or a file. */
const maxKeys = 5;

/** Asks the agent for its keys, once and in time: a dead or hung agent must not look like a refused login. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const connections = new Set<Duplex>();
  const close = (): void => {
    for (const connection of connections) connection.destroy();
  };
  try {
    const OfferingAgent = defineAgent(options.ssh2, connections);
    const keys = await fetchKeys(new OfferingAgent(options.path), options);
    if (keys.length === 0) throw unavailable(options.path, 'holds no keys that can be used');
    const offerable = choose(keys, options);
    const offered = offerable.slice(0, maxKeys);
    return { agent: new OfferingAgent(options.path, offered), offered, withheld: offerable.length - offered.length, close };
  } catch (error) {
    close();
    throw error;
  }
}

function choose(keys: readonly ParsedKey[], { path, wanted }: AgentOptions): readonly ParsedKey[] {
  if (wanted === undefined) return keys;
  const isWanted = (key: ParsedKey): boolean => wanted.keys.some((one) => one.equals(key.getPublicSSH()));
  const first = keys.filter(isWanted);
  if (!wanted.only) return [...first, ...keys.filter((key) => !isWanted(key))];
  if (first.length === 0) throw unavailable(path, 'holds none of the keys that ~/.ssh/config names (IdentitiesOnly)');
  return first;
}

/** An agent that answers with the chosen keys, and whose connections we can close: ssh2 waits for an answer without a limit. */
function defineAgent(ssh2: Ssh2, connections: Set<Duplex>) {
  return class OfferingAgent extends ssh2.OpenSSHAgent {
    readonly offered: ParsedKey[] | undefined;

    constructor(path: string, offered?: ParsedKey[]) {
      super(path);
      this.offered = offered;
    }

    override getIdentities(callback: IdentityCallback<ParsedKey>): void {
      if (this.offered === undefined) super.getIdentities(callback);
      else callback(undefined, this.offered);
    }

    override getStream(callback: GetStreamCallback): void {
      super.getStream((error, connection) => {
        if (connection !== undefined) {
          connections.add(connection);
          connection.once('close', () => connections.delete(connection));
        }
        callback(error, connection);
      });
    }
  };
}

async function fetchKeys(agent: BaseAgent<ParsedKey>, { path, timeoutMs, signal }: AgentOptions): Promise<ParsedKey[]> {
  const onTimeout = (): Failure => unavailable(path, `did not answer within ${timeoutMs} ms`);
  return waitFor<ParsedKey[]>({ timeoutMs, onTimeout, signal }, (resolve, reject) => {
    agent.getIdentities((error, keys) => {
      if (error) reject(unavailable(path, `cannot be used: ${errorText(error)}`, error));
      else resolve((keys ?? []).filter(isUsable));
    });
  });
}

/** ssh2 can neither use certificates nor keys that live on a security key. */
function isUsable(key: unknown): key is ParsedKey {
  if (typeof key !== 'object' || key === null || key instanceof Error || !('type' in key)) return false;
  return typeof key.type === 'string' && !key.type.includes('-cert-') && !key.type.startsWith('sk-');
}

function unavailable(path: string, what: string, cause?: unknown): Failure {
  return tunnelFailure('E_SSH_AGENT_UNAVAILABLE', `the SSH agent ${path} ${what}`, { cause });
}
