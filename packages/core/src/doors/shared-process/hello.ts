import { statSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { type Fields, isFields, parseJson } from '../../registry/tree.ts';

/**
 * Changed when the lines below or what follows them change. A newer front must be able to ask an older process to drain, so the fields
 * `protocol`, `version`, `program`, `stamp` and `want` keep their meaning.
 */
export const socketProtocol = 1;

/** The program that speaks, so that an older one can be told from a newer one. */
export interface Identity {
  protocol: number;
  version: string;
  /** The path of the program's first file. */
  program: string;
  /** Differs after that file was written again. */
  stamp: string;
}

/** What this program is, as it is on the disk; `file` is its first one. */
export function identify({ version, file }: { version: string; file: string }): Identity {
  const stats = statSync(file);
  return { protocol: socketProtocol, version, program: file, stamp: `${stats.mtimeMs}:${stats.size}` };
}

/** The first line of a front. Each client narrows its own view. */
export interface Hello extends Identity {
  /** `serve` asks to be served; `drain` asks the process to take no more clients and to end with its last one. */
  want: 'serve' | 'drain';
  readonly?: boolean;
  tools?: string;
  timeout?: string;
  /** Milliseconds that the process stays after its last client. */
  idleMs?: number;
}

/** The first line of a process. With `refused` nothing follows. */
export interface Welcome extends Identity {
  pid: number;
  refused?: string;
}

const maxLineBytes = 64 * 1024;
const newline = 0x0a;

/** Reads the first line of a stream and leaves the rest in it, paused. Undefined when the stream ends before. */
export function readFirstLine(stream: Readable, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => finish(() => reject(new Error(`no answer within ${timeoutMs} ms`))), timeoutMs);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
      stream.pause();
      settle();
    };
    const onEnd = (): void => finish(() => resolve(undefined));
    const onData = (chunk: Buffer): void => {
      const end = chunk.indexOf(newline);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      length += chunk.length;
      if (end < 0 && length > maxLineBytes) finish(() => reject(new Error('the first line is too long')));
      if (end < 0) return;
      finish(() => resolve(Buffer.concat(chunks).toString('utf8')));
      if (end + 1 < chunk.length) stream.unshift(chunk.subarray(end + 1));
    };
    stream.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);
    // An earlier reader has left it paused.
    stream.resume();
  });
}

export function writeLine(stream: Duplex, line: Hello | Welcome): void {
  stream.write(`${JSON.stringify(line)}\n`);
}

export function parseHello(line: string): Hello | undefined {
  const fields = parseIdentity(line);
  if (fields === undefined || (fields.want !== 'serve' && fields.want !== 'drain')) return undefined;
  const { want, readonly, tools, timeout, idleMs } = fields;
  // Ignoring what cannot be read would widen what the client sees.
  if (readonly !== undefined && typeof readonly !== 'boolean') return undefined;
  if ([tools, timeout].some((text) => text !== undefined && typeof text !== 'string')) return undefined;
  return {
    ...identityIn(fields),
    want,
    ...(readonly === true && { readonly }),
    ...(typeof tools === 'string' && { tools }),
    ...(typeof timeout === 'string' && { timeout }),
    ...(typeof idleMs === 'number' && { idleMs }),
  };
}

export function parseWelcome(line: string): Welcome | undefined {
  const fields = parseIdentity(line);
  if (fields === undefined || typeof fields.pid !== 'number') return undefined;
  const { pid, refused } = fields;
  return { ...identityIn(fields), pid, ...(typeof refused === 'string' && { refused }) };
}

function parseIdentity(line: string): Fields | undefined {
  const fields = parseJson(line);
  return isFields(fields) && typeof fields.protocol === 'number' ? fields : undefined;
}

function identityIn(fields: Fields): Identity {
  const text = (name: string) => String(fields[name] ?? '');
  return { protocol: Number(fields.protocol), version: text('version'), program: text('program'), stamp: text('stamp') };
}

type Age = 'same' | 'older' | 'newer';

/**
 * How old a process is, as a front sees it. A newer version that speaks our protocol serves us as well, so it counts as the same. A
 * program that was written again since the process started counts as older: the parts that the process has not loaded yet are gone.
 */
export function compareAge(process: Identity, own: Identity): Age {
  if (process.protocol !== own.protocol) return process.protocol < own.protocol ? 'older' : 'newer';
  if (compareVersions(process.version, own.version) < 0) return 'older';
  const isRewritten = process.program === own.program && process.version === own.version && process.stamp !== own.stamp;
  return isRewritten ? 'older' : 'same';
}

/** Numbers by value; a version with a suffix (`1.2.0-beta.1`) is older than the same one without. */
function compareVersions(a: string, b: string): number {
  const [aMain, aSuffix] = splitVersion(a);
  const [bMain, bSuffix] = splitVersion(b);
  const main = compareParts(aMain, bMain);
  if (main !== 0 || aSuffix === bSuffix) return main;
  if (aSuffix === undefined || bSuffix === undefined) return aSuffix === undefined ? 1 : -1;
  return compareParts(aSuffix, bSuffix);
}

function splitVersion(version: string): [main: string, suffix: string | undefined] {
  const at = version.indexOf('-');
  return at < 0 ? [version, undefined] : [version.slice(0, at), version.slice(at + 1)];
}

/** Compares without `localeCompare`, whose first call takes 5 ms, a tenth of the start of a front. */
function compareParts(a: string, b: string): number {
  const [as, bs] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(as.length, bs.length); i++) {
    const [x = '', y = ''] = [as[i], bs[i]];
    const isNumber = /^\d+$/.test(x) && /^\d+$/.test(y);
    if (isNumber && Number(x) !== Number(y)) return Number(x) - Number(y);
    if (!isNumber && x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
