import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { redact } from '@dbmole/core';
import { LogFile } from '@dbmole/core/log-file';

const maxLineLength = 8_192;
const maxLastWords = 300;
const maxTelling = 2;
/** Lines behind these are of a server that runs. */
const maxStartLines = 500;
/** A line that says what went wrong. What programs print behind it is a trace, their version, or where their log is. */
const tellingPattern = /error|cannot|can't|not found|no such|denied|refused|fail|fatal|missing|invalid|required|unknown|usage:/i;
/** Lines of npm and Node that match and say nothing. */
const emptyPattern = /error (?:code \w+|\d+)$|a complete log of this run|^\s*(?:at |throw )/i;

/** What a server writes to stderr: a file of at most a megabyte, of which the older half goes when it is full. */
export class StderrLog {
  readonly #fd: number | undefined;
  readonly #file: LogFile | undefined;
  #rest = '';
  #lastLine: string | undefined;
  readonly #telling: string[] = [];
  #startLines = maxStartLines;

  constructor(path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#fd = openSync(path, 'a+', 0o600);
      this.#file = new LogFile(this.#fd);
    } catch {
      // A server is as good without a log.
    }
  }

  /** What explains that it has ended: the first lines that name an error, or else the last line. */
  get lastWords(): string | undefined {
    return this.#telling.length === 0 ? this.#lastLine : this.#telling.join(' / ').slice(0, maxLastWords);
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
    this.#lastLine = text.slice(text.lastIndexOf('\n') + 1).slice(0, maxLastWords);
    if (this.#startLines > 0 && this.#telling.length < maxTelling) this.#findTelling(text.split('\n'));
    this.#file?.write(text);
  }

  #findTelling(lines: readonly string[]): void {
    const found = lines.slice(0, this.#startLines).filter((line) => tellingPattern.test(line) && !emptyPattern.test(line));
    this.#startLines -= lines.length;
    this.#telling.push(...found.slice(0, maxTelling - this.#telling.length).map((line) => line.trim().slice(0, maxLastWords)));
  }
}
