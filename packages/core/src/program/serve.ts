import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../abort.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { RunningCalls } from '../tools/running-calls.ts';
import type { Watchdog } from './watchdog.ts';

/** The two streams of a client. */
interface ClientStreams {
  stdin: Readable;
  stdout: Writable;
}

export interface ServeOptions {
  /** Serves the client; `wake` is to be called before each call of a tool. */
  attach(streams: ClientStreams, wake: () => void): void;
  calls: Pick<RunningCalls, 'count' | 'abortAll'>;
  log: Log;
  /** Closes pools and tunnels; bounded by `serve` however long it takes. */
  dispose(): Promise<void>;
  /** Milliseconds for that. */
  disposeMs?: number;
  stdin?: Readable;
  stdout?: Writable;
  /** What a process does at the end; a test hands in something else. */
  exit?: (code: number) => void;
  /** Where signals and escaped errors arrive. */
  process?: NodeJS.EventEmitter;
  /** Ends the process when it cannot end by itself. */
  watchdog?: Watchdog;
}

/** Answers that are ready within this time after the end of input are still given. */
const lastAnswersMs = 50;
/** How long aborted calls may take to send their answer. */
const abortedAnswersMs = 250;
const defaultDisposeMs = 1_200;
const flushMs = 200;
/** Between the first message and the start of the watchdog, unless there is a call. */
const quietMs = 1_000;

export const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The life of a server: from the first byte on stdin to the end of stdin, a closed stdout or a signal. All of these end
 * the same way: stop running calls, close what is open, exit within two seconds.
 */
export function serve(options: ServeOptions): { stop(reason: string): Promise<void> } {
  const { calls, log, watchdog, dispose, disposeMs = defaultDisposeMs } = options;
  const stdin = options.stdin ?? process.stdin;
  const stdout = options.stdout ?? process.stdout;
  const host = options.process ?? process;
  const wake = (): void => watchdog?.wake();
  let stopping: Promise<void> | undefined;

  const stop = (reason: string, graceMs = 0): Promise<void> => {
    watchdog?.stopping();
    stopping ??= shutDown({ reason, graceMs, calls, log, dispose, disposeMs, stdout }).then(() => {
      (options.exit ?? exitProcess)(0);
    });
    return stopping;
  };

  stdin.on('end', () => void stop('end of input', lastAnswersMs));
  stdin.on('close', () => void stop('end of input', lastAnswersMs));
  stdin.on('error', (error) => void stop(`input failed: ${error.message}`));
  // Without a listener, a client that went away would end the process while it closes things.
  stdout.on('error', () => void stop('the client closed our output'));
  for (const signal of signals) host.on(signal, () => void stop(signal));
  watchEscapedErrors(host, log);
  // Before the first call hardly anything can block, and the first answers should not wait for the start of a thread.
  stdin.once('data', () => setTimeout(wake, quietMs).unref());

  options.attach({ stdin, stdout }, wake);
  return { stop };
}

interface ShutDown extends Required<Pick<ServeOptions, 'calls' | 'log' | 'dispose' | 'disposeMs'>> {
  reason: string;
  graceMs: number;
  stdout: Writable;
}

async function shutDown({ reason, graceMs, calls, log, dispose, disposeMs, stdout }: ShutDown): Promise<void> {
  log('debug', `stopping: ${reason}`);
  await untilIdle(calls, graceMs);
  calls.abortAll(new Failure('cancelled', `the server is stopping (${reason})`, { code: 'E_SHUTTING_DOWN' }));
  const disposed = dispose().catch((error: unknown) => log('warn', 'closing failed', { error: String(error) }));
  await untilIdle(calls, abortedAnswersMs);
  await settlesWithin(disposed, { ms: disposeMs, keepsAlive: true });
  await settlesWithin(flushed(stdout), { ms: flushMs, keepsAlive: true });
}

async function untilIdle(calls: ServeOptions['calls'], limitMs: number): Promise<void> {
  // One turn of the loop at least: messages that arrived together with the end of input must become calls first.
  const end = Date.now() + limitMs;
  do await delay(5);
  while (calls.count > 0 && Date.now() < end);
}

function flushed(stdout: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stdout.destroyed || stdout.writableLength === 0) resolve();
    else
      stdout
        .once('drain', resolve)
        .once('error', () => resolve())
        .once('close', resolve);
  });
}

/**
 * An uncaught error belongs to one call or to a driver; the other calls are unaffected. So it is
 * logged, loudly, and the server lives on.
 */
export function watchEscapedErrors(host: NodeJS.EventEmitter, log: Log): void {
  const report = (what: string) => (error: unknown) => {
    log('error', what, { stack: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  };
  host.on('uncaughtException', report('uncaught exception'));
  host.on('unhandledRejection', report('unhandled rejection'));
}

function exitProcess(code: number): void {
  process.exit(code);
}
