import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { systemCode } from '../../files/system-code.ts';
import { isFields } from '../../registry/tree.ts';
import { maxOldFiles, oldFile } from './audit-file.ts';
import type { AuditLine } from './audit-line.ts';

interface OpenFile {
  fd: number;
  ino: number;
}

const lineBreak = 0x0a;

/** Reads a log with the files that were put aside, from the oldest line on; and again, what has come since. */
export class AuditReader {
  readonly #path: string;
  /** Up to where everything was read. */
  #place: { ino: number; offset: number } | undefined;
  /** Lines that could not be read. */
  damaged = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws when there is no file, or it may not be read. */
  readOn(): AuditLine[] {
    const files = openFiles(this.#path);
    try {
      const known = files.findIndex(({ ino }) => ino === this.#place?.ino);
      return files.slice(Math.max(0, known)).flatMap((file) => this.#readFile(file));
    } finally {
      for (const { fd } of files) closeSync(fd);
    }
  }

  #readFile({ fd, ino }: OpenFile): AuditLine[] {
    const offset = this.#place?.ino === ino ? this.#place.offset : 0;
    if (fstatSync(fd).size <= offset && offset > 0) return [];
    const bytes = readFileSync(fd).subarray(offset);
    // The last line may be half written.
    const end = bytes.lastIndexOf(lineBreak) + 1;
    this.#place = { ino, offset: offset + end };
    const lines = bytes.toString('utf8', 0, end).split('\n');
    return lines.filter((line) => line !== '').flatMap((line) => this.#parse(line));
  }

  /** A line behind one that a full disk has cut off is still readable. */
  #parse(text: string): AuditLine[] {
    const line = parseLine(text);
    if (line !== undefined) return [line];
    this.damaged += 1;
    const next = text.indexOf(lineStart, 1);
    return next < 0 ? [] : this.#parse(text.slice(next));
  }
}

const lineStart = '{"time":"';

function parseLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Only this program writes the file, and what is printed of it is made visible.
    return isFields(value) && typeof value.time === 'string' ? (value as unknown as AuditLine) : undefined;
  } catch {
    return undefined;
  }
}

/** From the oldest on. Opened from the youngest on: a file that is put aside meanwhile is found twice rather than never. */
function openFiles(path: string): OpenFile[] {
  const files: OpenFile[] = [];
  for (let age = 0; age <= maxOldFiles; age += 1) {
    const fd = tryOpen(oldFile(path, age));
    if (fd === undefined) continue;
    const { ino } = fstatSync(fd);
    if (files.some((file) => file.ino === ino)) closeSync(fd);
    else files.unshift({ fd, ino });
  }
  // For a moment there is no current file, while one is put aside.
  if (files.length === 0) openSync(path, 'r');
  return files;
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
