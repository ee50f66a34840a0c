import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inOwnGroup, killGroup, settlesWithin } from '@dbmole/core';
import type { Launch } from '../config/launch.ts';
import { ChildLines } from './child-lines.ts';
import { limitFlow } from './flow-limit.ts';
import type { OrphanGuard } from './orphan-guard.ts';

interface ChildOptions {
  launch: Extract<Launch, { kind: 'stdio' }>;
  guard: OrphanGuard;
  /** Returns as how many more bytes the line counts: a short message takes as long to read as a long text. */
  onLine(line: string): number;
  /** A line that was too long to keep; its ends may show which answer it was. */
  onOversized(bytes: number, ends: string): void;
  onStderr(chunk: Buffer): void;
  /** The process has ended, asked to or not. */
  onExit(how: string): void;
}

/** The longest answer that is passed on. */
export const maxAnswerBytes = 32 * 1024 * 1024;
const maxOutputFlow = 16 * 1024 * 1024;
const maxStderrFlow = 512 * 1024;
/** A server that does not read is written to no further. */
const maxUnreadBytes = 64 * 1024 * 1024;
/** What a server gets to end by itself, and then again after SIGTERM. */
const endMs = 1_500;
const killedMs = 500;

/** The process of a server, in a group of its own with all that it starts. */
export class ServerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: ChildOptions;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcessWithoutNullStreams, options: ChildOptions) {
    this.#child = child;
    this.#options = options;
    this.#exited = once(child, 'exit').catch(() => undefined);
    this.#listen();
  }

  /** Rejects with the error of the system when the program cannot be started. */
  static async start(options: ChildOptions): Promise<ServerProcess> {
    const { command, args, env, cwd } = options.launch;
    const child = spawn(command, [...args], { cwd, env: { ...env }, detached: inOwnGroup, windowsHide: true });
    if (child.pid !== undefined && inOwnGroup) options.guard.add(child.pid);
    const started = once(child, 'spawn');
    const one = new ServerProcess(child, options);
    await started;
    return one;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** False when the server does not read what is sent. */
  write(line: string): boolean {
    const { stdin } = this.#child;
    if (!stdin.writable || stdin.writableLength > maxUnreadBytes) return false;
    stdin.write(`${line}\n`);
    return true;
  }

  /** Asks it to end by closing its input, then by SIGTERM, then by SIGKILL; at most 3.5 seconds. */
  async end(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.stdin.end();
    if (await this.#endsWithin(endMs)) return;
    killGroup(this.#child, 'SIGTERM');
    if (await this.#endsWithin(endMs)) return;
    await this.kill();
  }

  async kill(): Promise<void> {
    killGroup(this.#child);
    await this.#endsWithin(killedMs);
  }

  #endsWithin(ms: number): Promise<boolean> {
    return settlesWithin(this.#exited, { ms, keepsAlive: true });
  }

  #listen(): void {
    const { onLine, onOversized, onStderr, onExit, guard } = this.#options;
    const child = this.#child;
    const lines = new ChildLines(maxAnswerBytes, (line) => {
      if (line.kind === 'oversized') onOversized(line.bytes, line.ends);
      else countOutput(onLine(line.text));
    });
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    child.stderr.on('data', onStderr);
    const countOutput = limitFlow(child.stdout, maxOutputFlow);
    limitFlow(child.stderr, maxStderrFlow);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      // Whatever it has started and left behind.
      killGroup(child);
      if (child.pid !== undefined) guard.remove(child.pid);
      // What it wrote last may still be in the pipe.
      setTimeout(() => onExit(signal === null ? `with exit code ${code}` : `by ${signal}`), 20);
    });
    child.once('error', (error) => {
      if (child.pid === undefined) onExit(error.message);
    });
  }
}
