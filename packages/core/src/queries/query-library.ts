import { askUser, Failure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { Trust } from '../registry/trust/trust.ts';
import { formatVisible } from '../text.ts';
import type { QueryFolder } from './find-folders.ts';
import type { SavedQuery } from './query-file.ts';
import { type BroughtFile, createBroughtReader, createFolderReader, type FolderRules, type QueryFile } from './query-folder.ts';

/** Why a file is not offered. */
type QueryState = 'ready' | 'broken' | 'not allowed' | 'disabled' | 'shadowed';

export interface QueryEntry extends QueryFile {
  state: QueryState;
  /** Why, for a person: `line 3: …`. */
  problem?: string | undefined;
}

/** All saved queries of a process. */
export interface QueryLibrary {
  readonly folders: readonly QueryFolder[];
  /** Every file as it is now, the strongest folder first; the same object while nothing changed is not promised. */
  read(): readonly QueryEntry[];
  /** Those that can be run, by name. */
  ready(): readonly SavedQuery[];
  /** The query of this name as it is now; throws what is wrong with it. */
  find(name: string): { query: SavedQuery; file: string };
}

interface LibraryOptions {
  folders: readonly QueryFolder[];
  /** Files that are a part of the program, the weakest of all. */
  brought: readonly BroughtFile[];
  rules: FolderRules;
  trust: Trust;
  /** Names of other tools. */
  taken(): readonly string[];
  /** `dbmole-mcp allow`. */
  allowCommand: string;
}

export function createQueryLibrary({ folders, brought, rules, trust, taken, allowCommand }: LibraryOptions): QueryLibrary {
  const readers = [...folders.map((folder) => createFolderReader(folder, rules, trust)), createBroughtReader(brought, rules)];
  const read = () =>
    judge(
      readers.flatMap((reader) => reader.read()),
      new Set(taken()),
      allowCommand,
    );
  return {
    folders,
    read,
    ready: () => read().flatMap(({ state, query }) => (state === 'ready' && query !== undefined ? [query] : [])),
    find(name) {
      const entries = read();
      const found = entries.filter((entry) => entry.name === name);
      const ready = found.find(({ state }) => state === 'ready');
      if (ready?.query !== undefined) return { query: ready.query, file: ready.path };
      throw found[0] === undefined ? unknownQuery(name, entries) : unusable(name, found[0], allowCommand);
    },
  };
}

/**
 * The first of several files with one name wins. It also wins while it is broken or switched off: a mistake in it must not give the
 * name another meaning. A file that is not allowed does not count.
 */
function judge(files: readonly QueryFile[], taken: ReadonlySet<string>, allowCommand: string): QueryEntry[] {
  const owners = new Map<string, QueryFile>();
  return files.map((file): QueryEntry => {
    const { name = '', query, issues, lines } = file;
    const owner = owners.get(name);
    if (!file.isPending && owner === undefined && name !== '') owners.set(name, file);
    if (query === undefined || issues.length > 0) return { ...file, state: 'broken', problem: formatIssues(issues) };
    if (taken.has(name))
      return {
        ...file,
        state: 'broken',
        problem: `line ${lines.tool ?? 1}: ${name} is the name of a tool of this server; choose another`,
      };
    if (file.isPending) return { ...file, state: 'not allowed', problem: `read it, then run \`${allowCommand}\`` };
    if (owner !== undefined)
      return { ...file, state: 'shadowed', problem: `${formatVisible(owner.path)} has the same name and comes first` };
    return query.isEnabled ? { ...file, state: 'ready' } : { ...file, state: 'disabled', problem: 'enabled: false' };
  });
}

function formatIssues(issues: QueryFile['issues']): string {
  return issues.map(({ line, message }) => `line ${line}: ${message}`).join('; ');
}

function unknownQuery(name: string, entries: readonly QueryEntry[]): Failure {
  const names = entries.flatMap((entry) => (entry.state === 'ready' && entry.name !== undefined ? [entry.name] : []));
  return new Failure('unknown', `there is no saved query ${JSON.stringify(name.slice(0, 60))}`, {
    nearest: nearestNames(name, names),
    hint: [{ call: 'list_saved', to: 'see them' }, { cli: 'Run `queries list` to see them.' }],
  });
}

function unusable(name: string, { state, path, problem = '' }: QueryEntry, allowCommand: string): Failure {
  const where = formatVisible(path);
  if (state === 'not allowed') {
    return new Failure('refused', `the saved query ${name} is not allowed as it is now (${where})`, {
      code: 'E_NOT_ALLOWED',
      hint: askUser(`read the file, then run \`${allowCommand}\``),
    });
  }
  if (state === 'disabled') {
    const hint = askUser('remove the line `enabled: false` from it');
    return new Failure('refused', `the saved query ${name} is switched off in ${where}`, { code: 'E_QUERY_FILE', hint });
  }
  return new Failure('config', `the saved query ${name} cannot be used (${where}): ${problem}`, {
    code: 'E_QUERY_FILE',
    hint: askUser('correct the file; the next call reads it again'),
  });
}
