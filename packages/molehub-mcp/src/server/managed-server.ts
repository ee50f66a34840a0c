import { setTimeout as delay } from 'node:timers/promises';
import { Failure, type Fields, onAbort, toFailure, untilAborted } from '@dbmole/core';
import type { ConfiguredServer } from '../config/read-config.ts';
import { listOffers } from '../manifest/list-offers.ts';
import type { Seen } from '../manifest/manifest.ts';
import { CallTimer } from './call-timer.ts';
import type { HubCaller, ServerCall } from './caller.ts';
import { type ConnectionEvents, checkAlive, type ServerConnection, SessionOver } from './connection.ts';
import { CrashHistory } from './crash-history.ts';
import { askPerson, gatherAnswers, nameQuestion, nameQuestions, OpenQuestions, type RunningCall } from './elicitation.ts';
import { limitProgress } from './flow-limit.ts';

interface ManagedOptions {
  server: ConfiguredServer;
  open(events: ConnectionEvents, signal: AbortSignal): Promise<ServerConnection>;
  /** The server has said what it offers. */
  onSeen(seen: Seen): Promise<void>;
  /** Milliseconds that a server gets to react after a cancelled call. */
  graceMs?: number;
}

type ServerState = 'stopped' | 'starting' | 'running' | 'failing' | 'held';

const defaultGraceMs = 5_000;
const listMs = 30_000;
/** A server that changes its list all the time is asked once in this time. */
const relistMs = 1_000;
const maxRounds = 10;

/** The life of one server: started by the first call, one start at a time, restarted after a crash with a wait that grows. */
export class ManagedServer {
  readonly server: ConfiguredServer;
  readonly #options: ManagedOptions;
  readonly #crashes = new CrashHistory();
  readonly #running = new Set<RunningCall>();
  readonly #sessions = new Set<string>();
  readonly #questions = new OpenQuestions();
  #connecting: Promise<ServerConnection> | undefined;
  #connection: ServerConnection | undefined;
  #starting: AbortController | undefined;
  #ending: Promise<void> | undefined;
  #isDisposed = false;
  #idle: NodeJS.Timeout | undefined;
  #relist: NodeJS.Timeout | undefined;
  #listing: Promise<void> | undefined;
  /** Why this process ended it. */
  #killedFor: string | undefined;
  lastError: string | undefined;

  constructor(options: ManagedOptions) {
    this.#options = options;
    this.server = options.server;
  }

  get state(): ServerState {
    if (this.#connection !== undefined) return 'running';
    if (this.#connecting !== undefined) return 'starting';
    if (this.#crashes.isHeld) return 'held';
    return this.#crashes.count > 0 ? 'failing' : 'stopped';
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  get callCount(): number {
    return this.#running.size;
  }

  /** Sessions that have used it and are still open. */
  get clientCount(): number {
    return this.#sessions.size;
  }

  leave(session: string): void {
    this.#sessions.delete(session);
  }

  /** Starts it if needed, and learns what it offers. */
  async refresh(signal: AbortSignal): Promise<void> {
    const connection = await this.#connect(signal);
    await this.#learn(connection);
  }

  async restart(signal: AbortSignal): Promise<void> {
    this.#crashes.clear();
    await this.stop();
    await this.refresh(signal);
  }

  async call(call: ServerCall, caller: HubCaller): Promise<Fields> {
    clearTimeout(this.#idle);
    this.#sessions.add(caller.session);
    const connection = await this.#connect(caller.signal);
    const limitMs = call.timeoutMs ?? this.server.entry?.callTimeout ?? 30_000;
    const limit = new AbortController();
    const timer = new CallTimer(limitMs, () => limit.abort(timeoutFailure(this.server.name, call.what, limitMs)));
    const stop = onAbort(caller.signal, () => limit.abort(new Failure('cancelled', 'the call was cancelled by the client')));
    const running = { caller, timer };
    this.#running.add(running);
    try {
      const run = { running, signal: limit.signal };
      return await this.#ask(connection, call, run).catch(async (error: unknown) => {
        if (!(error instanceof SessionOver)) throw error;
        return await this.#ask(await this.#connect(limit.signal), call, run);
      });
    } catch (error) {
      if (limit.signal.aborted) void this.#requireAlive(connection);
      throw error;
    } finally {
      timer.stop();
      stop();
      this.#running.delete(running);
      this.#waitIdle();
    }
  }

  /** Ends it; a call may start it again. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    clearTimeout(this.#relist);
    this.#starting?.abort(new Failure('cancelled', `server "${this.server.name}" is being stopped`));
    await this.#connecting?.catch(() => undefined);
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#ending = connection.end();
    await this.#ending;
  }

  /** Ends it permanently. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.stop();
  }

  async #ask(
    connection: ServerConnection,
    { method, params }: ServerCall,
    { running: { caller, timer }, signal }: { running: RunningCall; signal: AbortSignal },
  ): Promise<Fields> {
    const { onProgress, elicitation, answers } = caller;
    const capabilities: Fields = elicitation === undefined ? {} : { elicitation };
    const hooks = { signal, onProgress: limitProgress(onProgress), capabilities };
    let result = await connection.request(method, { ...params, ...answers }, hooks);
    for (let round = 0; round < maxRounds; round++) {
      if (result.resultType !== 'input_required') return result;
      const asked = nameQuestions(this.server.name, result);
      // A client of the newer era gets the question and answers with another call.
      if (answers !== undefined) return asked;
      timer.pause();
      const inputResponses = await gatherAnswers(asked, caller, signal).finally(() => timer.resume());
      const { requestState } = result;
      result = await connection.request(
        method,
        { ...params, inputResponses, ...(requestState !== undefined && { requestState }) },
        hooks,
      );
    }
    throw new Failure('limit', `server "${this.server.name}" asked ${maxRounds} questions in one call`);
  }

  #connect(signal: AbortSignal): Promise<ServerConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#start().finally(() => {
      this.#connecting = undefined;
    });
    return untilAborted(this.#connecting, signal);
  }

  async #start(): Promise<ServerConnection> {
    const { name } = this.server;
    if (this.#isDisposed) throw new Failure('cancelled', 'the hub is stopping', { code: 'E_SHUTTING_DOWN' });
    if (this.#crashes.isHeld) throw heldFailure(name, this.#crashes.count, this.lastError);
    this.#starting = new AbortController();
    const { signal } = this.#starting;
    try {
      await this.#ending;
      await delay(this.#crashes.waitMs, undefined, { signal });
      const connection = await this.#options.open(this.#events(), signal);
      this.#connection = connection;
      this.#waitIdle();
      void this.#learn(connection);
      return connection;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = toFailure(error);
      this.lastError = failure.message;
      if (failure.code === 'E_SERVER_START') this.#crashes.add();
      throw failure;
    }
  }

  #events(): ConnectionEvents {
    return {
      onListChanged: () => {
        this.#relist ??= setTimeout(() => {
          this.#relist = undefined;
          if (this.#connection !== undefined) void this.#learn(this.#connection);
        }, relistMs).unref();
      },
      elicit: (params, signal) =>
        this.#questions.ask(() => askPerson([...this.#running], nameQuestion(this.server.name, params), signal)),
      onLost: (how) => {
        this.#connection = undefined;
        this.lastError = this.#killedFor ?? `it ended ${how}`;
        this.#killedFor = undefined;
        this.#crashes.add();
      },
    };
  }

  /** One at a time: while a list is being read, a second reader gets the same. */
  #learn(connection: ServerConnection): Promise<void> {
    this.#listing ??= this.#readList(connection).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async #readList(connection: ServerConnection): Promise<void> {
    try {
      const { offers, problem } = await listOffers(connection, AbortSignal.timeout(listMs));
      if (problem !== undefined) this.lastError = problem;
      await this.#options.onSeen({ ...connection.identity, ...offers });
    } catch (error) {
      this.lastError = `its tools could not be listed: ${toFailure(error).message}`;
    }
  }

  /** Runs after a call was given up: a server that answers nothing any more is ended, with all that it runs. */
  async #requireAlive(connection: ServerConnection): Promise<void> {
    const { graceMs = defaultGraceMs } = this.#options;
    try {
      await checkAlive(connection, AbortSignal.timeout(graceMs));
    } catch (error) {
      // An error of the server is an answer, too.
      if (!(error instanceof Error) || error.name !== 'TimeoutError') return;
      this.#killedFor = `it did not respond within ${graceMs} ms after a call was cancelled, and was killed`;
      connection.kill();
    }
  }

  #waitIdle(): void {
    const ms = this.server.entry?.idle;
    clearTimeout(this.#idle);
    if (ms === undefined || this.#running.size > 0) return;
    this.#idle = setTimeout(() => void this.stop(), ms).unref();
  }
}

function timeoutFailure(server: string, what: string, ms: number): Failure {
  return new Failure('timeout', `${what} of server "${server}" did not answer within ${ms} ms; it was told to stop`, {
    hint: ['It may have taken effect.', 'The user can set "callTimeout" for this server.'],
  });
}

function heldFailure(name: string, count: number, last: string | undefined): Failure {
  const why = last === undefined ? '' : `; last: ${last}`;
  return new Failure('connection', `server "${name}" failed ${count} times within a minute and is not started by calls${why}`, {
    code: 'E_SERVER_HELD',
    hint: [
      { call: 'hub_restart', to: 'start it anyway' },
      { call: 'hub_status', to: 'see what is wrong' },
    ],
  });
}
