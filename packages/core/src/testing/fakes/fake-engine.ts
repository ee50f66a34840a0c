import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend, FileTarget, NetworkTarget } from '../../manager/backend.ts';
import { networkFailure } from '../../network-failure.ts';

/** What can be made to go wrong; changed at will while the engine runs. */
export interface FakeBehaviour {
  password: string;
  openMs: number;
  latencyMs: number;
  /** So many of the next openings fail. */
  failOpens: number;
  dispose: 'ends' | 'hangs' | 'fails';
}

export interface FakeBackend extends Backend {
  get(key: string, signal: AbortSignal): Promise<string | undefined>;
  /** Takes a minute unless the signal ends it. */
  slow(signal: AbortSignal): Promise<void>;
}

export interface FakeEngine {
  readonly address: { host: string; port: number };
  readonly data: Map<string, string>;
  readonly behaviour: FakeBehaviour;
  /** Every opening that was asked for, also those that failed. */
  readonly openings: number;
  readonly sessions: number;
  /** Ends all sessions: what is sent on them afterwards arrives nowhere. */
  restart(): void;
  createBackend(target: FakeTarget, signal: AbortSignal): Promise<FakeBackend>;
}

/** It listens at an address, and opens any file that exists. */
type FakeTarget = NetworkTarget<BaseConnection> | FileTarget<BaseConnection>;

/** The kinds of error a driver has: `gone` proves that nothing was sent, `lost` leaves the outcome open. */
export class FakeEngineError extends Failure {
  readonly what: 'auth' | 'busy' | 'gone' | 'lost';

  constructor(what: FakeEngineError['what']) {
    if (what === 'auth') super('auth', 'the engine refused the password', { hint: 'Correct it.' });
    else super('connection', `the engine is ${what}`, { hint: 'Retry.' });
    this.what = what;
  }
}

export function isFakeStaleError(error: unknown): boolean {
  return error instanceof FakeEngineError && error.what === 'gone';
}

interface Session {
  alive: boolean;
}

/** A server in memory. Its own address exists only here; any other address is dialled for real and never answers. */
export function createFakeEngine(initial: Partial<FakeBehaviour> = {}): FakeEngine {
  const behaviour: FakeBehaviour = { password: '', openMs: 0, latencyMs: 0, failOpens: 0, dispose: 'ends', ...initial };
  const address = { host: 'fake.invalid', port: 7 };
  const data = new Map<string, string>();
  const sessions = new Set<Session>();
  let openings = 0;

  const engine = {
    address,
    data,
    behaviour,
    get openings() {
      return openings;
    },
    get sessions() {
      return sessions.size;
    },
    restart() {
      for (const session of sessions) session.alive = false;
      sessions.clear();
    },
    async createBackend(target: FakeTarget, signal: AbortSignal) {
      openings += 1;
      const stream = await reach(target, address, signal);
      try {
        await delay(behaviour.openMs, undefined, { signal });
        if (behaviour.failOpens > 0) {
          behaviour.failOpens -= 1;
          throw new FakeEngineError('busy');
        }
        if ((target.config.password ?? '') !== behaviour.password) throw new FakeEngineError('auth');
        return openSession({ data, behaviour, sessions, stream });
      } catch (error) {
        stream?.destroy();
        throw error;
      }
    },
  };
  return engine;
}

interface SessionParts {
  data: ReadonlyMap<string, string>;
  behaviour: Readonly<FakeBehaviour>;
  sessions: Set<Session>;
  stream: Duplex | undefined;
}

function openSession({ data, behaviour, sessions, stream }: SessionParts): FakeBackend {
  const session: Session = { alive: true };
  sessions.add(session);
  const end = () => {
    session.alive = false;
    sessions.delete(session);
  };
  stream?.once('close', end);
  const work = async (ms: number, signal: AbortSignal) => {
    if (!session.alive) throw new FakeEngineError('gone');
    await delay(ms, undefined, { signal });
    if (!session.alive) throw new FakeEngineError('lost');
  };
  return {
    async get(key, signal) {
      await work(behaviour.latencyMs, signal);
      return data.get(key);
    },
    slow: (signal) => work(60_000, signal),
    async dispose() {
      if (behaviour.dispose === 'hangs') await new Promise(() => undefined);
      end();
      stream?.destroy();
      if (behaviour.dispose === 'fails') throw new FakeEngineError('lost');
    },
  };
}

/** Gets through to the engine: by its file, by the tunnel's stream if there is one, which must echo, or by the address. */
async function reach(
  target: FakeTarget,
  address: { host: string; port: number },
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  if ('file' in target) {
    await access(target.file).catch((error: unknown) => {
      throw new Failure('connection', `cannot open ${target.file}`, { hint: 'Check `file`.', cause: error });
    });
    return undefined;
  }
  const { dial, connectHost, connectPort } = target;
  if (dial === undefined && connectHost === address.host && connectPort === address.port) return undefined;
  const stream = dial?.() ?? connect({ host: connectHost, port: connectPort });
  try {
    stream.write('hello');
    await once(stream, 'data', { signal });
    return stream;
  } catch (error) {
    stream.destroy();
    throw networkFailure(error, { host: 'the fake engine', port: 0 }) ?? error;
  }
}
