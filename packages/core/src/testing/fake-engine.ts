import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Backend, BackendTarget } from '../manager/backend.ts';
import { networkFailure } from '../network-failure.ts';

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
  createBackend(target: BackendTarget<BaseConnection>, signal: AbortSignal): Promise<FakeBackend>;
}

/** The kinds of error a driver has: `gone` proves that nothing was sent, `lost` leaves the outcome open. */
export class FakeEngineError extends Error {
  readonly code: 'auth' | 'busy' | 'gone' | 'lost';

  constructor(code: FakeEngineError['code']) {
    super(`fake engine: ${code}`);
    this.code = code;
  }
}

export function isFakeStaleError(error: unknown): boolean {
  return error instanceof FakeEngineError && error.code === 'gone';
}

export function formatFakeError(error: unknown): Failure | undefined {
  if (!(error instanceof FakeEngineError)) return networkFailure(error, { host: 'the fake engine', port: 0 });
  if (error.code === 'auth') return new Failure('auth', 'the engine refused the password', { hint: 'Correct it.', cause: error });
  return new Failure('connection', `the engine is ${error.code}`, { hint: 'Call again.', cause: error });
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
    async createBackend(target: BackendTarget<BaseConnection>, signal: AbortSignal) {
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

/** Gets through to the engine: by the tunnel's stream if there is one, which must echo; else by the address. */
async function reach(
  { dial, connectHost, connectPort }: BackendTarget<BaseConnection>,
  address: { host: string; port: number },
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  if (dial === undefined && connectHost === address.host && connectPort === address.port) return undefined;
  const stream = dial?.() ?? connect({ host: connectHost, port: connectPort });
  try {
    stream.write('hello');
    await once(stream, 'data', { signal });
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}
