import { dirname } from 'node:path';
import { askUser, Failure, toFailure } from '../../failure.ts';
import { createFileCell, type FileCell, type FileReading } from '../../files/file-cell.ts';
import type { Origin } from '../entry.ts';
import { readProjectImage, type Trust, toProjectFile } from '../trust/trust.ts';
import { readNames } from './document.ts';
import { projectFilePlaces } from './paths.ts';
import { createFileSource, fileState, type Source, type SourceState } from './sources.ts';

/** A project file that came with a repository and has not been allowed as it is now: it is listed and not used. */
export interface PendingFile {
  origin: Origin;
  failure: Failure;
  /** What it would define. */
  names: readonly string[];
  /** What it defined when it was last allowed. These names must not fall back to a weaker source, which may lead elsewhere. */
  reserved: readonly string[];
  /** It was allowed and does not exist any more, which matters only where another source has one of its names. */
  isGone?: boolean;
}

/** The same object as long as nothing changed. */
interface ProjectState {
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
 * The nearest allowed project file in or above the working directory. Files that are not allowed are passed over: one of
 * them must not be able to hide an allowed one either.
 */
export function createFoundProject(options: {
  cwd: string;
  fileName: string;
  trust: Trust;
  allowCommand: string;
}): ProjectSource {
  const cells = projectFilePlaces(options.cwd, options.fileName).map((place) => createFileCell(place, readProjectImage));
  let seen: { found: readonly Found[]; allowed: ReadonlySet<string> } | undefined;
  let state: ProjectState = { pending: [] };
  const context = { ...options, known: new Map<string, readonly string[]>() };
  return {
    read() {
      const allowed = options.trust.paths();
      const found = findUntilAllowed(cells, options.trust, allowed);
      const same = seen?.allowed === allowed && sameReadings(seen.found, found);
      if (!same) state = readState(found, context);
      seen = { found, allowed };
      return state;
    },
  };
}

interface Found {
  place: string;
  reading: FileReading;
}

function findUntilAllowed(cells: readonly FileCell[], trust: Trust, allowedPaths: ReadonlySet<string>): Found[] {
  const found: Found[] = [];
  for (const cell of cells) {
    const reading = cell.read();
    if (!reading.image && !reading.failure && !allowedPaths.has(cell.path)) continue;
    found.push({ place: cell.path, reading });
    if (reading.image && trust.isAllowed(toProjectFile(reading.image))) break;
  }
  return found;
}

interface Context {
  trust: Trust;
  allowCommand: string;
  /** The names in files that were allowed when they were read. An earlier version has not remembered them with the permission. */
  known: Map<string, readonly string[]>;
}

function readState(found: readonly Found[], context: Context): ProjectState {
  const pending: PendingFile[] = [];
  for (const { place, reading } of found) {
    if (reading.failure) pending.push(missingFile(place, reading.failure, context));
    else if (!reading.image) pending.push({ ...missingFile(place, goneFailure(place, context), context), isGone: true });
    if (!reading.image) continue;
    const file = toProjectFile(reading.image);
    const origin: Origin = { kind: 'project', where: file.path };
    if (context.trust.isAllowed(file)) {
      context.known.set(file.path, readNames(file.text, file.path));
      return { source: allowedState(file.text, origin), pending };
    }
    pending.push(pendingFile(file.text, origin, context));
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

/** One that cannot be read, or that was allowed and is gone: taking it away must not give its names another meaning either. */
function missingFile(where: string, failure: Failure, context: Context): PendingFile {
  return { origin: { kind: 'project', where }, failure, names: [], reserved: reservedNames(where, context) ?? [] };
}

/** What the file at this path defined when it was allowed; undefined if that is not known any more. */
function reservedNames(where: string, { trust, known }: Context): readonly string[] | undefined {
  const before = trust.lastAllowed(where);
  return before === undefined ? [] : (before.names ?? known.get(where));
}

function goneFailure(where: string, context: Context): Failure {
  const { allowCommand } = context;
  const names = reservedNames(where, context) ?? [];
  const what = names.length > 0 ? `, so ${names.slice(0, maxNames).join(', ')} cannot be used` : '';
  const disallow = `\`${allowCommand.replace(/ allow$/, ' disallow')} ${where}\``;
  return new Failure('refused', `${where} was allowed and is missing${what}`, {
    code: 'E_NOT_ALLOWED',
    hint: askUser(`restore the file, or run ${disallow}`),
  });
}

/** Only the names are taken from it, and they can only be words. Nothing is expanded, validated, or remembered as a secret. */
function pendingFile(text: string, origin: Origin, context: Context): PendingFile {
  const { where } = origin;
  const { trust, allowCommand } = context;
  const found = readNames(text, where);
  const before = trust.lastAllowed(where);
  const reserved = reservedNames(where, context) ?? found;
  const failure = new Failure('refused', before === undefined ? formatNew(where, found) : formatChanged(where, reserved), {
    code: 'E_NOT_ALLOWED',
    hint: askUser(`read the file, then run \`${allowCommand} ${where}\``),
  });
  return { origin, failure, names: found.slice(0, maxNames), reserved };
}

const maxNames = 20;

function formatNew(where: string, names: readonly string[]): string {
  const what = names.length > 0 ? ` (it would define ${names.slice(0, maxNames).join(', ')})` : '';
  return `${where} was found, but it has not been allowed yet${what}, so it is ignored`;
}

function formatChanged(where: string, names: readonly string[]): string {
  const what = names.length > 0 ? `, so ${names.slice(0, maxNames).join(', ')} cannot be used` : '';
  return `${where} has changed since it was allowed: it must be allowed again${what}`;
}

function sameReadings(a: readonly Found[], b: readonly Found[]): boolean {
  return a.length === b.length && a.every(({ reading }, index) => reading === b[index]?.reading);
}
