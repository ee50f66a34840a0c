import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { redact } from '@dbmole/core';
import { LogFile } from '@dbmole/core/log-file';

const maxLineLength = 8_192;

/** What a server writes to stderr: a file of at most a megabyte, of which the older half goes when it is full. */
export class StderrLog {
  readonly #fd: number | undefined;
  readonly #file: LogFile | undefined;
  #rest = '';
  lastLine: string | undefined;

  constructor(path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#fd = openSync(path, 'a+', 0o600);
      this.#file = new LogFile(this.#fd);
    } catch {
      // A server is as good without a log.
    }
  }

  readonly write = (chunk: Buffer): void => {
    const lines = (this.#rest + chunk.toString('utf8')).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-maxLineLength);
    if (lines.length > 0) this.#keep(lines);
  };

  close(): void {
    if (this.#rest !== '') this.#keep([this.#rest]);
    this.#rest = '';
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  /** All lines of a chunk at once: a server may write a hundred thousand in a second. */
  #keep(lines: readonly string[]): void {
    const text = redact(lines.map((line) => line.slice(0, maxLineLength).trimEnd()).join('\n')).trim();
    if (text === '') return;
    this.lastLine = text.slice(text.lastIndexOf('\n') + 1).slice(0, 300);
    this.#file?.write(text);
  }
}
