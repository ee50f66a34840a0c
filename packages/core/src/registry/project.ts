import { dirname } from 'node:path';
import { Failure, toFailure } from '../failure.ts';
import { createFileCell, type FileCell, type FileReading } from '../files/file-cell.ts';
import { parseDocument } from './document.ts';
import type { Origin } from './entry.ts';
import { projectFilePlaces } from './paths.ts';
import { createFileSource, fileState, type Source, type SourceState } from './sources.ts';
import { readProjectImage, type Trust, toProjectFile } from './trust.ts';

/** A project file that came with somebody's repository and that nobody has allowed: it is shown and used for nothing. */
export interface PendingFile {
  origin: Origin;
  failure: Failure;
  /** What it would define. */
  names: readonly string[];
}

/** The same object as long as nothing changed. */
export interface ProjectState {
  source?: SourceState;
  pending: readonly PendingFile[];
}

export interface ProjectSource {
  read(): ProjectState;
}

/** A file that a person named on the command line: naming it is allowing it. */
export function createNamedProject(path: string): ProjectSource {
  const cell = createFileCell(path);
  const origin: Origin = { kind: 'project', where: path };
  const source = createFileSource({ origin, base: dirname(path), read: () => cell.read(), required: true });
  return remembering(source);
}

function remembering(source: Source): ProjectSource {
  let state: ProjectState | undefined;
  return {
    read() {
      const current = source.read();
      if (state?.source !== current) state = { source: current, pending: [] };
      return state;
    },
  };
}

/**
 * The nearest allowed project file in or above the working directory. Files that nobody has allowed are passed over: one of
 * them must not be able to hide an allowed one either.
 */
export function createFoundProject(options: {
  cwd: string;
  fileName: string;
  trust: Trust;
  allowCommand: string;
}): ProjectSource {
  const cells = projectFilePlaces(options.cwd, options.fileName).map((place) => createFileCell(place, readProjectImage));
  let seen: { found: readonly Found[]; trust: number } | undefined;
  let state: ProjectState = { pending: [] };
  return {
    read() {
      const found = findUntilAllowed(cells, options.trust);
      const trust = options.trust.revision();
      const same = seen?.trust === trust && sameReadings(seen.found, found);
      if (!same) state = readState(found, options);
      seen = { found, trust };
      return state;
    },
  };
}

interface Found {
  place: string;
  reading: FileReading;
}

function findUntilAllowed(cells: readonly FileCell[], trust: Trust): Found[] {
  const found: Found[] = [];
  for (const cell of cells) {
    const reading = cell.read();
    if (!reading.image && !reading.failure) continue;
    found.push({ place: cell.path, reading });
    if (reading.image && trust.isAllowed(toProjectFile(reading.image))) break;
  }
  return found;
}

function readState(found: readonly Found[], options: { trust: Trust; allowCommand: string }): ProjectState {
  const pending: PendingFile[] = [];
  for (const { place, reading } of found) {
    if (reading.failure) pending.push({ origin: { kind: 'project', where: place }, failure: reading.failure, names: [] });
    if (!reading.image) continue;
    const file = toProjectFile(reading.image);
    const origin: Origin = { kind: 'project', where: file.path };
    if (options.trust.isAllowed(file)) return { source: allowedState(file.text, origin), pending };
    pending.push(pendingFile(file.text, origin, options.allowCommand));
  }
  return { pending };
}

function allowedState(text: string, origin: Origin): SourceState {
  try {
    return fileState(text, { origin, base: dirname(origin.where) });
  } catch (error) {
    return { origin, candidates: [], problems: [toFailure(error)] };
  }
}

/** Only the names are taken from it, and they can only be words. Nothing is expanded, validated, or remembered as a secret. */
function pendingFile(text: string, origin: Origin, allowCommand: string): PendingFile {
  const names = [...new Set(namesIn(text, origin.where))].slice(0, 20);
  const what = names.length > 0 ? ` (it would define ${names.join(', ')})` : '';
  const failure = new Failure('refused', `${origin.where} was found, but nobody has allowed it${what}; it is used for nothing`, {
    code: 'E_NOT_ALLOWED',
    hint: `A person reads the file and then runs: ${allowCommand} ${origin.where}`,
    personHint: `Read the file, then run: ${allowCommand} ${origin.where}`,
  });
  return { origin, failure, names };
}

function namesIn(text: string, where: string): string[] {
  try {
    return parseDocument(text, where).connections.map(({ name }) => name);
  } catch {
    return [];
  }
}

function sameReadings(a: readonly Found[], b: readonly Found[]): boolean {
  return a.length === b.length && a.every(({ reading }, index) => reading === b[index]?.reading);
}
