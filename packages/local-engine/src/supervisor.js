/**
 * Supervises one program. Its stdin is a pipe from the process that wants the program: when that pipe ends, for whatever reason,
 * the program is stopped and its directory removed. So a killed process leaves nothing. Plain JavaScript, because it also runs
 * without a build.
 *
 * The first line of stdin is the plan, every further one a command: {"signal": "SIGHUP"}, {"start": true} or {"killChildren": true}.
 * Every line of stdout is an event: {"pid": 1}, {"exit": 0, "signal": null}, {"error": "…"} or {"killed": 2}.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

let plan;
let child;
let ending = false;
/** What the server had started when we told it to end. They may be in groups of their own and lose their parent with it. */
let family = [];

const onWindows = process.platform === 'win32';

const say = (event, then) => process.stdout.write(`${JSON.stringify(event)}\n`, then);

function start() {
  const log = openSync(plan.log, 'a');
  const { command, args, cwd, env, uid, gid } = plan;
  const input = plan.input === undefined ? 'ignore' : openSync(plan.input, 'r');
  // A process group of its own: Ctrl-C in a terminal must reach us first, and we must reach everything it starts.
  const detached = !onWindows;
  // npm is a script on Windows, and such a one needs the shell there; all its arguments are our own.
  const shell = onWindows && command.endsWith('.cmd');
  const started = spawn(command, args, { cwd, env, uid, gid, detached, shell, windowsHide: true, stdio: [input, log, log] });
  closeSync(log);
  if (input !== 'ignore') closeSync(input);
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
  for (const pid of family) signalTo(pid, 'SIGKILL');
  family = [];
  if (child === which) child = undefined;
  say(event, plan.once && !ending ? () => process.exit(0) : undefined);
  if (ending) finish();
}

function signalTo(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

/** Children, theirs, and so on. */
function descendantsOf(pid, table = processTable()) {
  const children = table.filter(([, parent]) => parent === pid).map(([id]) => id);
  return children.flatMap((id) => [id, ...descendantsOf(id, table)]);
}

function processTable() {
  if (onWindows) return [];
  if (!existsSync('/proc/self/stat')) {
    const text = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' });
    return text.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function obey(command) {
  if (command.start && child === undefined) start();
  if (command.killChildren) killChildren();
  if (!command.signal || child === undefined) return;
  if (['SIGKILL', plan.stopSignal].includes(command.signal)) family = descendantsOf(child.pid);
  signalTo(child.pid, command.signal);
}

function killChildren() {
  const children = child === undefined ? [] : descendantsOf(child.pid);
  for (const pid of children) signalTo(pid, 'SIGKILL');
  say({ killed: children.length });
}

function end() {
  if (ending) return;
  ending = true;
  if (child === undefined) return finish();
  const { pid } = child;
  family = descendantsOf(pid);
  signalTo(pid, plan.stopSignal);
  setTimeout(() => signalTo(onWindows ? pid : -pid, 'SIGKILL'), plan.stopWithin);
}

function finish() {
  if (plan !== undefined) rmSync(plan.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.exit(0);
}

// The process that reads may be gone.
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
