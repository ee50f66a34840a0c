import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toFailure } from '../failure.ts';
import { createFileCell, type FileCell } from '../files/file-cell.ts';
import { type FileImage, readSmallFile } from '../files/read-file.ts';
import { systemCode } from '../files/system-code.ts';
import { realPlace } from '../registry/sources/paths.ts';
import type { Trust } from '../registry/trust/trust.ts';
import { isInProject, type QueryFolder } from './find-folders.ts';
import { type FileIssue, type FileRules, type ParsedFile, parseQueryFile, type SavedQuery, sortIssues } from './query-file.ts';

/** One file of a folder, as it is now. */
export interface QueryFile extends Pick<ParsedFile, 'lines'> {
  path: string;
  folder: QueryFolder;
  /** What it is called, where that can be read. */
  name?: string | undefined;
  query?: SavedQuery | undefined;
  issues: readonly FileIssue[];
  /** A file of a project that a person has not allowed as it is now. It is parsed, and never offered or run by a tool. */
  isPending: boolean;
  /** Its bytes, for a person who is asked to allow it. */
  image?: FileImage | undefined;
}

export interface FolderRules extends FileRules {
  /** The ending of the files that count, with its dot. */
  extension: string;
  /** What the body has to be, as far as that is known without a connection. */
  checkBody(query: SavedQuery): readonly FileIssue[];
}

interface QueryFolderReader {
  read(): readonly QueryFile[];
}

const maxFiles = 1_000;
const maxBytes = 256 * 1024;

/** The files of a folder, without those of folders inside it. A reading costs a listing and one `stat` for each file that has not changed. */
export function createFolderReader(folder: QueryFolder, rules: FolderRules, trust: Trust): QueryFolderReader {
  const cells = new Map<string, FileCell>();
  const parsed = new WeakMap<FileImage, ParsedFile>();
  const isProject = folder.kind === 'project';
  const open = (path: string) => readSmallFile(path, { maxBytes, noFollow: isProject });
  const parse = (image: FileImage): ParsedFile => {
    const known = parsed.get(image);
    const made = known ?? parseFile(image.bytes, rules);
    parsed.set(image, made);
    return made;
  };

  function readOne(name: string): QueryFile[] {
    const path = join(folder.path, name);
    const cell = cells.get(path) ?? createFileCell(path, open);
    cells.set(path, cell);
    const { image, failure } = cell.read();
    if (failure !== undefined) return [brokenFile(folder, path, failure.message.replace(`${path} `, 'the file '))];
    if (image === undefined) return [];
    const { query, name: given, issues, lines } = parse(image);
    const isPending = isProject && !trust.isAllowed(readTrusted({ path, image }));
    const refusal = isProject && query?.effect === 'write' ? [{ line: lines.effect ?? 1, message: writeRefusal }] : [];
    return [
      {
        path,
        folder,
        name: given,
        query: refusal.length > 0 ? undefined : query,
        issues: [...issues, ...refusal],
        lines,
        isPending,
        image,
      },
    ];
  }

  return {
    read() {
      if (isProject && !isInProject(folder.path))
        return [brokenFile(folder, folder.path, 'the folder is a symbolic link, or in one; make it a folder of the project')];
      const names = listNames(folder.path, rules.extension);
      if (!Array.isArray(names)) return names === undefined ? [] : [brokenFile(folder, folder.path, names)];
      const files = names.slice(0, maxFiles).flatMap(readOne);
      const left = names.length - maxFiles;
      return left <= 0
        ? files
        : [...files, brokenFile(folder, folder.path, `the folder has ${left} files more than ${maxFiles}; they are ignored`)];
    },
  };
}

/** A file that is a part of the program. */
export interface BroughtFile {
  /** What messages call it: its name, and where it comes from. */
  path: string;
  text: string;
}

export function createBroughtReader(brought: readonly BroughtFile[], rules: FolderRules): QueryFolderReader {
  const files = brought.map(
    ({ path, text }): QueryFile => ({
      ...parseFile(Buffer.from(text), rules),
      ...{ path, folder: { path, kind: 'brought' }, isPending: false },
    }),
  );
  return { read: () => files };
}

const writeRefusal = 'effect: write is accepted only in your own queries folder, not in one that came with a project';

function parseFile(bytes: Buffer, rules: FolderRules): ParsedFile {
  const { query, ...found } = parseQueryFile(bytes, rules);
  const more = query === undefined ? [] : rules.checkBody(query);
  return more.length === 0 ? { ...found, query } : { ...found, issues: sortIssues([...found.issues, ...more]) };
}

/** Sorted; undefined when the folder does not exist any more, a text for why it cannot be read. */
function listNames(folder: string, extension: string): string[] | string | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(extension) && !name.startsWith('.'))
      .sort();
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : `the folder cannot be read: ${toFailure(error).message}`;
  }
}

function brokenFile(folder: QueryFolder, path: string, message: string): QueryFile {
  return { path, folder, lines: {}, issues: [{ line: 1, message }], isPending: false };
}

/** What a person allows: these bytes at this place. */
export function readTrusted({ path, image }: { path: string; image: Pick<FileImage, 'bytes'> }): {
  path: string;
  sha256: string;
} {
  const sha256 = createHash('sha256').update(image.bytes).digest('hex');
  return { path: join(realPlace(dirname(path)), basename(path)), sha256 };
}
