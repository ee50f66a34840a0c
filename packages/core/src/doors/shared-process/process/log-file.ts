import { fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';

const defaultMaxBytes = 1024 * 1024;

/**
 * Keeps a log file small: when it is full, the older half is dropped. It is cut in place, because its descriptor belongs to stderr, where
 * the runtime writes too.
 */
export class LogFile {
  readonly #fd: number;
  readonly #maxBytes: number;

  constructor(fd: number, maxBytes = defaultMaxBytes) {
    this.#fd = fd;
    this.#maxBytes = maxBytes;
  }

  /** A full disk costs the line and nothing else. */
  readonly write = (line: string): void => {
    try {
      writeSync(this.#fd, `${line}\n`);
      const stats = fstatSync(this.#fd);
      if (stats.isFile() && stats.size > this.#maxBytes) this.#dropOlderHalf(stats.size);
    } catch {
      // There is nowhere to report it.
    }
  };

  #dropOlderHalf(size: number): void {
    const kept = Buffer.alloc(Math.floor(this.#maxBytes / 2));
    const length = readSync(this.#fd, kept, 0, kept.length, size - kept.length);
    const start = kept.indexOf('\n') + 1;
    ftruncateSync(this.#fd, 0);
    writeSync(this.#fd, kept, start, length - start);
  }
}
