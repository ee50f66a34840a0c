import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, joinHints, toFailure } from '../../failure.ts';
import type { FileReading } from '../../files/file-cell.ts';
import type { Origin } from '../entry.ts';
import type { WrittenConnection } from '../read-connection.ts';
import { type Environment, readVariable } from '../secrets/expand.ts';
import type { Fields } from '../tree.ts';
import { type ConnectionList, parseConnectionList, parseDocument, type RawConnection } from './document.ts';

/** One connection of one source, before it is validated. */
export interface Candidate extends RawConnection, WrittenConnection {
  /** Already known to be unusable. */
  problem?: Failure;
}

/** The same object as long as nothing changed, so that a reader can tell by comparing. */
export interface SourceState {
  origin: Origin;
  candidates: readonly Candidate[];
  problems: readonly Failure[];
}

export interface Source {
  read(): SourceState;
}

interface FileSourceOptions {
  origin: Origin;
  base: string;
  read(): FileReading;
  /** A person named this file: it is an error that it does not exist. */
  required?: boolean;
  /** Where the state before the last change is kept, for the hint on a broken file. */
  backup?: string;
}

/** A file of connections. While it cannot be read, what it held before still counts, and the problem says so. */
export function createFileSource(options: FileSourceOptions): Source {
  let seen: FileReading | undefined;
  let state: SourceState | undefined;
  return {
    read() {
      const reading = options.read();
      if (state && reading === seen) return state;
      const previous = state?.candidates ?? [];
      seen = reading;
      state = readState(reading, options, previous);
      return state;
    },
  };
}

function readState(reading: FileReading, options: FileSourceOptions, previous: readonly Candidate[]): SourceState {
  const { origin } = options;
  try {
    if (reading.failure) throw reading.failure;
    if (!reading.image) return { origin, candidates: [], problems: options.required ? [missing(origin)] : [] };
    return fileState(reading.image.bytes.toString('utf8'), { origin, base: options.base });
  } catch (error) {
    return { origin, candidates: previous, problems: [broken(toFailure(error), options, previous.length > 0)] };
  }
}

/** The same with one connection more, or in place of the one of its name. */
export function withDraft(source: Source & { path: string }, raw: Fields): Source {
  const name = String(raw.name);
  let seen: SourceState | undefined;
  let state: SourceState | undefined;
  return {
    read() {
      const saved = source.read();
      if (state && saved === seen) return state;
      const others = saved.candidates.filter((one) => one.name !== name);
      const draft = { name, raw, position: 'not saved yet', origin: saved.origin, base: dirname(source.path), expands: true };
      seen = saved;
      state = { ...saved, candidates: [...others, draft] };
      return state;
    },
  };
}

/** Throws when the file as a whole cannot be used. */
export function fileState(text: string, where: { origin: Origin; base: string }): SourceState {
  const comments = where.origin.kind === 'project';
  return sourceState(parseDocument(text, where.origin.where, { comments }), { ...where, expands: true });
}

/** What the program brings itself: it never changes, and nothing in it is followed. */
export function ownState(
  { from, list }: { from: string; list: readonly ({ name: string } & Fields)[] },
  base: string,
): SourceState {
  const origin: Origin = { kind: 'option', where: from };
  const connections = list.map(({ ...raw }, index) => ({ name: raw.name, raw, position: `connections[${index}]` }));
  return sourceState({ connections, problems: [] }, { origin, base, expands: false });
}

/** The environment variable. It hardly ever changes, but a test or a wrapper may change it. */
export function createEnvSource(options: { env: Environment; variable: string; base: string }): Source {
  const { env, variable, base } = options;
  const origin: Origin = { kind: 'env', where: variable };
  let seen: string | undefined;
  let state: SourceState = { origin, candidates: [], problems: [] };
  return {
    read() {
      const text = readVariable(env, variable);
      if (text !== seen) state = envState(text, { origin, base });
      seen = text;
      return state;
    },
  };
}

/** The name of a connection that was given as a URL alone. */
export const defaultName = 'default';

/** A variable such as other programs read. It may be there by chance, so nothing is written through it. */
export function createUrlVariable(options: { env: Environment; base: string; name: string; pattern: RegExp }): Source {
  const { env, base, name, pattern } = options;
  const origin: Origin = { kind: 'env', where: name };
  let seen: string | undefined;
  let state: SourceState = { origin, candidates: [], problems: [] };
  return {
    read() {
      const url = readVariable(env, name);
      if (url === seen) return state;
      seen = url;
      const raw = { name: defaultName, url, readonly: true };
      const candidate = { name: defaultName, raw, position: name, origin, base, expands: false };
      state = { origin, candidates: url !== undefined && pattern.test(url) ? [candidate] : [], problems: [] };
      return state;
    },
  };
}

function envState(text: string | undefined, where: { origin: Origin; base: string }): SourceState {
  if (text === undefined || text.trim() === '') return { origin: where.origin, candidates: [], problems: [] };
  try {
    return sourceState(parseConnectionList(text, where.origin.where), { ...where, expands: false });
  } catch (error) {
    return { origin: where.origin, candidates: [], problems: [toFailure(error)] };
  }
}

function sourceState(list: ConnectionList, where: { origin: Origin; base: string; expands: boolean }): SourceState {
  const byName = new Map<string, RawConnection[]>();
  for (const connection of list.connections) {
    const group = byName.get(connection.name);
    if (group) group.push(connection);
    else byName.set(connection.name, [connection]);
  }
  const candidates = [...byName.values()].flatMap(([first, ...others]): Candidate[] => {
    if (!first) return [];
    if (others.length === 0) return [{ ...first, ...where }];
    return [{ ...first, ...where, problem: duplicate(first.name, [first, ...others], where.origin) }];
  });
  return { origin: where.origin, candidates, problems: list.problems };
}

/** Neither counts: which of the two was meant is not ours to guess. */
function duplicate(name: string, all: readonly RawConnection[], origin: Origin): Failure {
  const positions = all.map(({ position }) => position).join(' and ');
  return new Failure('config', `${origin.where} holds more than one connection "${name}" (${positions}); none of them is used`, {
    code: 'E_DUPLICATE_NAME',
    hint: 'Rename or delete all but one of them.',
  });
}

function missing(origin: Origin): Failure {
  return new Failure('config', `${origin.where} does not exist`, { hint: 'Correct the path, or create the file.' });
}

function broken(failure: Failure, options: FileSourceOptions, hasPrevious: boolean): Failure {
  const backup = options.backup !== undefined && existsSync(options.backup) ? options.backup : undefined;
  const kept = hasPrevious ? '; the connections it held before are used until then' : '';
  const advice = backup ? `The state before the last change is in ${backup}.` : undefined;
  return new Failure(failure.kind, `${failure.message}${kept}`, {
    code: failure.code,
    hint: joinHints(failure.next ?? 'Correct the file.', advice),
    cause: failure,
  });
}
