import { Failure } from '../failure.ts';

interface JsonText {
  value: unknown;
  /** The line (from 1) on which an object or list of `value` begins. */
  findLine(node: unknown): number | undefined;
}

export interface JsonOptions {
  /** Allowed in files that only people write: a program that rewrites a file would lose comments. */
  comments?: boolean;
}

const maxDepth = 64;

/**
 * Strict JSON, with the place of every mistake. We do not use `JSON.parse` for this: its messages quote the text around the
 * mistake, which here may be a password, and often have no position. It also keeps the last of two equal keys and takes
 * `__proto__`, and both are refused here.
 */
export function parseJsonText(text: string, where: string, { comments = false }: JsonOptions = {}): JsonText {
  const reader = new Reader(text.startsWith('\uFEFF') ? text.slice(1) : text, where, comments);
  const value = reader.document();
  return { value, findLine: (node) => reader.findLine(node) };
}

class Reader {
  private at = 0;
  private readonly starts = new Map<unknown, number>();
  private newlines: number[] | undefined;

  constructor(
    private readonly text: string,
    private readonly where: string,
    private readonly comments: boolean,
  ) {}

  document(): unknown {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.fail('there is more text after the end of the JSON value');
    return value;
  }

  findLine(node: unknown): number | undefined {
    const start = this.starts.get(node);
    return start === undefined ? undefined : this.lineAt(start);
  }

  /** Searches by halving in a list made once: a file may hold as many nodes as characters. */
  private lineAt(offset: number): number {
    this.newlines ??= [...this.text.matchAll(/\n/g)].map(({ index }) => index);
    let [low, high] = [0, this.newlines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.newlines[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  private value(depth: number): unknown {
    this.space();
    if (depth > maxDepth) this.fail(`nested deeper than ${maxDepth} levels`);
    const char = this.text[this.at];
    if (char === '{') return this.object(depth);
    if (char === '[') return this.list(depth);
    if (char === '"') return this.string();
    return this.word();
  }

  private object(depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.starts.set(result, this.at);
    this.each('}', () => {
      const start = this.at;
      if (this.text[this.at] !== '"') this.fail('expected a key in double quotes');
      const key = this.string();
      if (key === '__proto__') this.fail('the key __proto__ is not accepted', start);
      if (Object.hasOwn(result, key)) this.fail('this key occurs twice in one object', start);
      this.space();
      if (this.text[this.at] !== ':') this.fail('expected a colon after the key');
      this.at++;
      result[key] = this.value(depth + 1);
    });
    return result;
  }

  private list(depth: number): unknown[] {
    const result: unknown[] = [];
    this.starts.set(result, this.at);
    this.each(']', () => result.push(this.value(depth + 1)));
    return result;
  }

  /** Reads members up to `close`, with commas between them and none after the last. */
  private each(close: string, member: () => void): void {
    this.at++;
    this.space();
    if (this.text[this.at] === close) {
      this.at++;
      return;
    }
    for (;;) {
      this.space();
      if (this.text[this.at] === close) this.fail(`there is a comma before ${close}`);
      member();
      this.space();
      const char = this.text[this.at];
      if (char !== ',' && char !== close) this.fail(`expected a comma or ${close}`);
      this.at++;
      if (char === close) return;
    }
  }

  private string(): string {
    const start = this.at;
    for (this.at++; this.text[this.at] !== '"'; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) this.fail('this string has no closing quote', start);
      if (code < 0x20) this.fail('a line break or control character inside a string');
      if (this.text[this.at] === '\\') this.at++;
    }
    this.at++;
    try {
      return String(JSON.parse(this.text.slice(start, this.at)));
    } catch {
      return this.fail('this string has an escape that JSON does not know', start);
    }
  }

  /** A number, true, false or null. */
  private word(): unknown {
    const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    const ended = this.at >= this.text.length;
    if (found === undefined) return this.fail(ended ? 'the text ends where a value is expected' : 'expected a value');
    this.at += found.length;
    return JSON.parse(found);
  }

  private space(): void {
    for (;;) {
      while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) this.at++;
      const mark = this.text.slice(this.at, this.at + 2);
      if (mark !== '//' && mark !== '/*') return;
      this.comment(mark);
    }
  }

  private comment(mark: '//' | '/*'): void {
    if (!this.comments) this.fail('comments are not allowed in this file');
    const end = this.text.indexOf(mark === '//' ? '\n' : '*/', this.at + 2);
    if (end < 0 && mark === '/*') this.fail('this comment has no end');
    this.at = end < 0 ? this.text.length : end + (mark === '//' ? 1 : 2);
  }

  private place(offset: number): { line: number; column: number } {
    const before = this.text.slice(0, offset);
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
  }

  private fail(reason: string, offset = this.at): never {
    const { line, column } = this.place(Math.min(offset, this.text.length));
    throw new Failure('config', `${this.where} is not valid JSON at line ${line}, column ${column}: ${reason}`, {
      code: 'E_JSON',
      hint: `Correct line ${line} of ${this.where}.`,
    });
  }
}
