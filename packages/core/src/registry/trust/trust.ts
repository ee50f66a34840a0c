import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { askUser, Failure } from '../../failure.ts';
import { changeFile } from '../../files/change-file.ts';
import { createFileCell } from '../../files/file-cell.ts';
import { parseJsonText } from '../../files/json-text.ts';
import { type FileImage, isWritableByOthers, readSmallFile } from '../../files/read-file.ts';
import { readNames } from '../sources/document.ts';
import { realPlace } from '../sources/paths.ts';

/** A project file as it was read once: what is shown to a person, what is allowed and what is used are the same bytes. */
interface ProjectFile {
  /** The path without symbolic links. */
  path: string;
  text: string;
  sha256: string;
}

/** The project files that a person has allowed, by path and content. */
export interface Trust {
  /** False also when the memory of it cannot be read: then nothing is allowed. */
  isAllowed(file: Pick<ProjectFile, 'path' | 'sha256'>): boolean;
  /** What a person last allowed at this path, whatever the file holds now; undefined if nothing. Earlier versions kept no names. */
  lastAllowed(path: string): { names?: readonly string[] | undefined } | undefined;
  /** The paths of all allowed files; another set whenever any of these answers may have changed. */
  paths(): ReadonlySet<string>;
  /** Why the memory cannot be used. */
  problem(): Failure | undefined;
}

interface AllowOptions {
  /** The memory, beside the store. */
  trustPath: string;
  file: string;
  /** What the person has seen. When the file is another one by now, nothing is allowed. */
  sha256?: string;
}

const memory = z.object({
  version: z.literal(1),
  allowed: z.array(
    z.object({
      path: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      at: z.string(),
      names: z.array(z.string()).optional(),
    }),
  ),
});

type Memory = z.infer<typeof memory>;

/** Reads a project file for showing it to a person before it is allowed. */
export function openProjectFile(path: string): ProjectFile {
  const image = readProjectImage(path);
  if (!image) throw new Failure('unknown', `${path} does not exist`, { hint: 'Name a project file or its folder.' });
  return toProjectFile(image);
}

/** One reading through all links; undefined when there is no such file. */
export function readProjectImage(path: string): FileImage | undefined {
  const real = realPath(path);
  return real === undefined ? undefined : readSmallFile(real, { noFollow: true });
}

export function toProjectFile(image: FileImage): ProjectFile {
  const known = files.get(image);
  if (known) return known;
  const sha256 = createHash('sha256').update(image.bytes).digest('hex');
  const file = { path: image.path, text: image.bytes.toString('utf8'), sha256 };
  files.set(image, file);
  return file;
}

/** The bytes of an image never change, so it is hashed once. */
const files = new WeakMap<FileImage, ProjectFile>();

/** Remembers that a person allowed this file as it is now. Only the command line calls this, never a tool. */
export async function allowProjectFile(options: AllowOptions): Promise<ProjectFile> {
  const file = openProjectFile(options.file);
  if (options.sha256 !== undefined && options.sha256 !== file.sha256) {
    throw new Failure('refused', `${file.path} has changed since it was shown`, { hint: 'Read it again, then allow it.' });
  }
  const names = readNames(file.text, file.path);
  const entry = { path: file.path, sha256: file.sha256, at: new Date().toISOString(), names };
  await changeMemory(options.trustPath, (allowed) => [...allowed.filter(({ path }) => path !== file.path), entry]);
  return file;
}

interface AllowedQuery extends Pick<ProjectFile, 'path' | 'sha256'> {
  name: string;
}

/** Remembers that a person allowed these files of a folder, and no others of it. Only the command line calls this. */
export async function allowQueryFiles(trustPath: string, folder: string, files: readonly AllowedQuery[]): Promise<void> {
  const at = new Date().toISOString();
  const entries = files.map(({ path, sha256, name }) => ({ path, sha256, at, names: [name] }));
  await changeMemory(trustPath, (allowed) => [...allowed.filter(({ path }) => dirname(path) !== folder), ...entries]);
}

/** Takes back what was allowed of a folder; how many files that were. */
export async function disallowQueryFiles(trustPath: string, folder: string): Promise<number> {
  let count = 0;
  await changeMemory(trustPath, (allowed) => {
    const rest = allowed.filter(({ path }) => dirname(path) !== folder);
    count = allowed.length - rest.length;
    return rest;
  });
  return count;
}

/** Takes it back; true if it had been allowed. The file need not exist any more. */
export async function disallowProjectFile(options: Pick<AllowOptions, 'trustPath' | 'file'>): Promise<boolean> {
  const { file } = options;
  const real = realPlace(file);
  let found = false;
  await changeMemory(options.trustPath, (allowed) => {
    const rest = allowed.filter(({ path }) => path !== real);
    found = rest.length < allowed.length;
    return rest;
  });
  return found;
}

export function createTrust(trustPath: string): Trust {
  const cell = createFileCell(trustPath);
  let seen: unknown;
  let allowed: Memory['allowed'] = [];
  let paths: ReadonlySet<string> = new Set();
  let problem: Failure | undefined;
  const refresh = () => {
    const reading = cell.read();
    if (reading === seen) return;
    seen = reading;
    problem = reading.failure ?? (reading.image && misplaced(reading.image));
    const parsed = problem || !reading.image ? [] : parseMemory(reading.image, trustPath);
    if (parsed instanceof Failure) problem = parsed;
    allowed = parsed instanceof Failure ? [] : parsed;
    paths = new Set(allowed.map(({ path }) => path));
  };
  return {
    isAllowed(file) {
      refresh();
      return allowed.some(({ path, sha256 }) => path === file.path && sha256 === file.sha256);
    },
    lastAllowed(path) {
      refresh();
      const places = [path, realPath(path)];
      return allowed.find((one) => places.includes(one.path));
    },
    paths() {
      refresh();
      return paths;
    },
    problem() {
      refresh();
      return problem;
    },
  };
}

/** Whether this file, as it is now, is allowed. */
export function isAllowed(trustPath: string, file: string): boolean {
  const image = readProjectImage(file);
  return image !== undefined && createTrust(trustPath).isAllowed(toProjectFile(image));
}

async function changeMemory(trustPath: string, edit: (allowed: Memory['allowed']) => Memory['allowed']): Promise<void> {
  await changeFile({
    path: trustPath,
    edit: (image) => {
      const before = image ? parseMemory(image, trustPath) : [];
      if (before instanceof Failure) throw before;
      return `${JSON.stringify({ version: 1, allowed: edit(before) }, null, 2)}\n`;
    },
  });
}

function parseMemory(image: FileImage, where: string): Memory['allowed'] | Failure {
  try {
    const parsed = memory.safeParse(parseJsonText(image.bytes.toString('utf8'), where).value);
    if (parsed.success) return parsed.data.allowed;
  } catch {
    // The same advice as for a malformed file: this file is not meant to be edited.
  }
  return new Failure('config', `${where} is not valid, so no project file is allowed`, {
    hint: askUser(`delete ${where} and allow the files again`),
  });
}

/** A memory that others can write would let them allow their own files. */
function misplaced(image: FileImage): Failure | undefined {
  if (!isWritableByOthers(image)) return undefined;
  return new Failure('config', `${image.path} could be written by other users, so no project file is allowed`, {
    hint: askUser(`delete ${image.path} and allow the files again`),
  });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
