/**
 * Holds one server. Its stdin is a pipe from whoever wants the server: when that pipe ends, for whatever reason, the server is
 * stopped and its directory removed. So a killed test run leaves nothing. Plain JavaScript, because it runs without a build.
 *
 * The first line of stdin is the plan, every further one a command: {"signal": "SIGHUP"} or {"start": true}.
 * Every line of stdout is an event: {"pid": 1}, {"exit": 0, "signal": null} or {"error": "…"}.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

let plan;
let child;
let ending = false;

const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

function start() {
  const log = openSync(plan.log, 'a');
  const { command, args, cwd, env, uid, gid } = plan;
  // A process group of its own: Ctrl-C in a terminal must reach us first, and we must reach everything it starts.
  const started = spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child = started;
  started.on('spawn', () => {
    writeFileSync(join(plan.directory, 'engine.pid'), String(started.pid));
    say({ pid: started.pid });
  });
  started.on('error', (error) => gone(started, { error: error.message }));
  started.on('exit', (code, signal) => gone(started, { exit: code, signal }));
}

function gone(which, event) {
  // What the server started must not outlive it.
  if (which.pid !== undefined) signalTo(-which.pid, 'SIGKILL');
  if (child === which) child = undefined;
  say(event);
  if (ending) finish();
}

function signalTo(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

function obey(command) {
  if (command.start && child === undefined) start();
  if (!command.signal || child === undefined) return;
  signalTo(command.signal === 'SIGKILL' ? -child.pid : child.pid, command.signal);
}

function end() {
  if (ending) return;
  ending = true;
  if (child === undefined) return finish();
  signalTo(child.pid, plan.stopSignal);
  const { pid } = child;
  setTimeout(() => signalTo(-pid, 'SIGKILL'), plan.stopWithin);
}

function finish() {
  if (plan !== undefined) rmSync(plan.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.exit(0);
}

// Nobody may be left to read.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    if (plan !== undefined) return obey(message);
    plan = message;
    start();
  })
  .on('close', end);
