import { readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { workerData } from 'node:worker_threads';

/**
 * Ends a process that was asked to stop while its main thread is blocked. Plain JavaScript, because the runtime loads it as it is,
 * also from the source. The reasons are in docs/decisions/shutdown.md.
 *
 * @typedef {typeof import('./watchdog.ts').slots} Slots
 * @typedef {import('node:worker_threads').MessagePort} MessagePort
 * @typedef {{ shared: Int32Array, slots: Slots, port: MessagePort, follows: 'input' | 'parent' | 'signals', signals: readonly string[] }} Data
 */

/** @type {Data} */
const { shared, slots, port, follows, signals } = workerData;

const tickMs = 250;
/** A main thread that has not answered for so many ticks is blocked. */
const blockedTicks = 2;
/** The process is ended when that lasts for so many more, and it was asked to stop. */
const askedTicks = 2;
/** Where signals cannot be seen, a main thread that is blocked for 10 s is ended without one. */
const hopelessTicks = 40;
/** After a minute without a call the thread ends, because it takes about 10 MB. */
const idleTicks = 240;
/** What is read for the main thread; beyond that the end of input is not found. */
const maxInputBytes = 32 * 1024 * 1024;

const parent = process.ppid;
const internals = loadInternals();
const handles = watchSignals();
const timer = setInterval(tick, tickMs);
let calls = 0;
let idle = 0;
let pings = 0;
let blocked = 0;
let asked = 0;
let isAsked = false;
let inputBytes = 0;

function tick() {
  idle = Atomics.load(shared, slots.calls) === calls ? idle + 1 : 0;
  calls = Atomics.load(shared, slots.calls);
  if (Atomics.load(shared, slots.pongs) !== pings) blocked += 1;
  else {
    blocked = 0;
    pings += 1;
    port.postMessage('ping');
  }
  asked = blocked >= blockedTicks && wasAsked() ? asked + 1 : 0;
  if (asked > askedTicks || (handles === undefined && blocked > hopelessTicks)) kill();
  if (idle > idleTicks && blocked === 0 && !isAsked) leave();
}

/** The first process of a container ignores this signal when it comes from inside, but not a fault. */
function kill() {
  process.kill(process.pid, 'SIGKILL');
  internals?.('process_methods').causeSegfault();
}

function leave() {
  clearInterval(timer);
  for (const handle of handles ?? []) handle.close();
  port.close();
}

/** By a signal, by the main thread, or by the end of its input; where that cannot be seen, by the end of the parent. */
function wasAsked() {
  isAsked ||= Atomics.load(shared, slots.stopping) !== 0 || isClientGone();
  return isAsked;
}

function isClientGone() {
  if (follows === 'signals') return false;
  return follows === 'input' ? isInputOver() : isParentGone();
}

/**
 * The end comes after all data. What was sent before it is passed on, and the main thread takes it before what it reads itself.
 */
function isInputOver() {
  Atomics.store(shared, slots.lock, 1);
  try {
    while (inputBytes < maxInputBytes) {
      const chunk = new Uint8Array(64 * 1024);
      const length = readSync(0, chunk);
      if (length === 0) return true;
      inputBytes += length;
      port.postMessage(chunk.subarray(0, length), [chunk.buffer]);
    }
    return false;
  } catch (error) {
    return Reflect.get(Object(error), 'code') !== 'EAGAIN';
  } finally {
    Atomics.store(shared, slots.lock, 0);
    Atomics.notify(shared, slots.lock);
  }
}

function isParentGone() {
  if (process.ppid !== parent) return true;
  try {
    return !process.kill(parent, 0);
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'ESRCH';
  }
}

/** The runtime gives signals to the main thread alone. A handle of its own wakes this thread as well. */
function watchSignals() {
  try {
    const { Signal } = internals('signal_wrap');
    return signals.map((name) => {
      const handle = new Signal();
      handle.unref();
      handle.onsignal = () => {
        isAsked = true;
      };
      handle.start(Reflect.get(constants.signals, name));
      return handle;
    });
  } catch (error) {
    port.postMessage(String(error));
    return undefined;
  }
}

function loadInternals() {
  try {
    return createRequire(import.meta.url)('internal/test/binding').internalBinding;
  } catch {
    return undefined;
  }
}
