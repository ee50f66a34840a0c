import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { signals } from '../../program/serve.ts';
import type { Watchdog } from '../../program/watchdog.ts';
import type { RunningCalls } from '../../tools/running-calls.ts';
import type { HttpDoor } from './http-door.ts';

interface DrainOptions {
  door: Pick<HttpDoor, 'drain' | 'close' | 'calls'>;
  calls: RunningCalls;
  log: Log;
  /** Where signals arrive. */
  process: NodeJS.EventEmitter;
  /** Ends the process when it cannot end by itself. */
  watchdog?: Pick<Watchdog, 'stopping'>;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Running calls may end by themselves within this time. */
const graceMs = 2_000;
/** They were told to stop; this is their time to say so. */
const abortedMs = 250;

/**
 * Serves until a signal comes. Then new calls are refused, running ones get a grace, and everything is closed; a second signal ends the
 * process at once.
 */
export async function serveUntilSignal({ door, calls, log, process, watchdog, exit }: DrainOptions): Promise<void> {
  const signal = await firstSignal(process);
  for (const one of signals) process.on(one, () => exit(1));
  log('info', `${signal}: stopping`);
  door.drain();
  await untilIdle(door, graceMs);
  watchdog?.stopping();
  calls.abortAll(new Failure('cancelled', 'the server is stopping', { code: 'E_SHUTTING_DOWN' }));
  await untilIdle(door, abortedMs);
  await door.close();
}

function firstSignal(process: NodeJS.EventEmitter): Promise<string> {
  return new Promise((resolve) => {
    const heard = (signal: string): void => {
      for (const one of signals) process.off(one, heard);
      resolve(signal);
    };
    for (const one of signals) process.on(one, heard);
  });
}

async function untilIdle(door: { readonly calls: number }, limitMs: number): Promise<void> {
  const end = Date.now() + limitMs;
  while (door.calls > 0 && Date.now() < end) await delay(10);
}
