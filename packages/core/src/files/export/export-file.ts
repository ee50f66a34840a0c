import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { askUser, Failure, failureWith, toFailure } from '../../failure.ts';
import { systemCode } from '../system-code.ts';

/** Bytes that are collected before they are written. */
const batchBytes = 256 * 1024;

/** What is being written; nothing of it can be seen under its own name before `finish`. */
export interface ExportFile {
  readonly path: string;
  readonly bytes: number;
  /** Waits for the disk, so that a fast producer is slowed down to its speed. */
  write(text: string): void;
  /** Gives the file its name, unless it was taken meanwhile. */
  finish(): void;
  /** Leaves nothing behind, unless it is finished. */
  discard(): void;
}

/** Where a tool creates files. */
export interface ExportPlace {
  /** The folder that a person named; undefined for none. */
  readonly folder: string | undefined;
  /** The variable that names it. */
  readonly variable: string;
  /** The tool that reads the same without a file. */
  readonly instead: string;
}

/** Runs the work with a new file, which gets its name when that has succeeded; otherwise nothing is left. */
export async function withExportFile<T>(
  place: ExportPlace,
  name: string,
  work: (file: ExportFile) => Promise<T>,
): Promise<T & Pick<ExportFile, 'path' | 'bytes'>> {
  const file = openExportFile(place, name);
  try {
    const done = await work(file);
    file.finish();
    return { ...done, path: file.path, bytes: file.bytes };
  } catch (error) {
    throw error instanceof Failure ? failureWith(error, { message: `${error.message}; no file was left` }) : error;
  } finally {
    file.discard();
  }
}

/** Creates a file in the folder that a person named. What is there already is never touched. */
export function openExportFile(place: ExportPlace, name: string): ExportFile {
  const folder = realFolder(place);
  const path = join(folder, name);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw exists(path);
  return new PartialFile(path, join(folder, `.${name.slice(0, 60)}.${randomBytes(6).toString('hex')}.part`));
}

function realFolder({ folder, variable, instead }: ExportPlace): string {
  if (folder === undefined) {
    throw new Failure('refused', 'no folder is configured for exports', {
      code: 'E_EXPORT_DIR',
      hint: [askUser(`start this server with --export-dir DIR or ${variable}`), { call: instead, to: 'read them instead' }],
    });
  }
  try {
    const real = realpathSync(folder);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw unusable(folder, error);
  }
  throw unusable(folder, undefined);
}

class PartialFile implements ExportFile {
  readonly path: string;
  bytes = 0;
  readonly #part: string;
  readonly #fd: number;
  #texts: string[] = [];
  #size = 0;
  #open = true;

  constructor(path: string, part: string) {
    this.path = path;
    this.#part = part;
    // Exclusive: neither an existing file nor a link is followed.
    this.#fd = attempt(part, () => openSync(part, 'wx', 0o600));
  }

  write(text: string): void {
    this.#texts.push(text);
    this.#size += text.length;
    if (this.#size >= batchBytes) this.#flush();
  }

  finish(): void {
    this.#flush();
    attempt(this.path, () => fsyncSync(this.#fd));
    this.#close();
    takeName(this.#part, this.path);
  }

  discard(): void {
    this.#close();
    rmSync(this.#part, { force: true });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#texts.join(''), 'utf8');
    this.#texts = [];
    this.#size = 0;
    for (let at = 0; at < bytes.length; ) at += attempt(this.path, () => writeSync(this.#fd, bytes, at));
    this.bytes += bytes.length;
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** A link fails where there is something already; a rename would replace it. */
function takeName(part: string, path: string): void {
  try {
    linkSync(part, path);
    rmSync(part);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw exists(path);
    takeNameWithoutLinks(part, path);
  }
}

/**
 * Not every file system has links. On one without, this creates the name, which fails if something is there, and then replaces its
 * own file.
 */
function takeNameWithoutLinks(part: string, path: string): void {
  attempt(path, () => closeSync(openSync(path, 'wx', 0o600)));
  attempt(path, () => renameSync(part, path));
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw exists(path);
    throw new Failure('limit', `${path} cannot be written: ${toFailure(error).message}`, {
      code: 'E_EXPORT_WRITE',
      hint: 'Check the free space and the permissions there; the partial file was removed.',
      cause: error,
    });
  }
}

function exists(path: string): Failure {
  return new Failure('refused', `${path} already exists, and exports never overwrite files`, {
    code: 'E_EXPORT_EXISTS',
    hint: 'Use another name.',
  });
}

function unusable(folder: string, cause: unknown): Failure {
  return new Failure('config', `the export folder ${folder} does not exist or is not a folder`, {
    code: 'E_EXPORT_DIR',
    hint: askUser('create it, or pass another one as --export-dir'),
    cause,
  });
}
