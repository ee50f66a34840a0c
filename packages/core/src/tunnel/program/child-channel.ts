import type { ChildProcess } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import type { Failure } from '../../failure.ts';
import type { ByteChannel, WriteCallback } from '../stream.ts';

/** Enough for every complaint of ssh. */
const maxStderr = 16 * 1024;

interface ChildChannelOptions {
  child: ChildProcess;
  /** Why a program that gave no data ended; its words come from outside. */
  explain(stderr: string): Failure;
}

/** The standard input and output of a program as one stream: what `ssh -W` makes of a way to the target. */
export class ChildChannel extends Duplex implements ByteChannel {
  readonly #child: ChildProcess;
  readonly #input: Writable | null;
  readonly #output: Readable | null;
  #heard = false;
  #stderr = '';

  constructor({ child, explain }: ChildChannelOptions) {
    super({ allowHalfOpen: true });
    this.#child = child;
    this.#input = child.stdin;
    this.#output = child.stdout;
    // A failed write is reported by the end of the program, which says why.
    this.#input?.on('error', () => undefined);
    this.#output?.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#output?.on('end', () => this.push(null));
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < maxStderr) this.#stderr += chunk.toString('utf8');
    });
    child.once('error', (error) => this.destroy(error));
    child.once('close', (code) => this.destroy(code === 0 || this.#heard ? undefined : explain(this.#stderr)));
  }

  close(): void {
    this.destroy();
  }

  override _read(): void {
    this.#output?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: WriteCallback): void {
    if (this.#input === null) callback(new Error('there is no way in'));
    else this.#input.write(chunk, callback);
  }

  override _final(callback: WriteCallback): void {
    this.#input?.end();
    callback();
  }

  override _destroy(error: Error | null, callback: WriteCallback): void {
    this.#child.kill('SIGTERM');
    this.#input?.destroy();
    this.#output?.destroy();
    callback(error);
  }

  #receive(chunk: Buffer): void {
    this.#heard = true;
    if (!this.push(chunk)) this.#output?.pause();
  }
}
