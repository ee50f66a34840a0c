import { Failure } from '../failure.ts';
import type { Trust } from '../registry/trust/trust.ts';
import { choosesGroups } from '../tools/tool.ts';
import type { ToolServer } from '../tools/tool-server.ts';
import type { QueryFolder } from './find-folders.ts';
import type { FileIssue, FileRules, SavedQuery } from './query-file.ts';
import type { BroughtFile } from './query-folder.ts';
import { createQueryLibrary, type QueryLibrary } from './query-library.ts';
import {
  createFoldedTools,
  createQueryTools,
  foldedNames,
  maxOwnTools,
  type QueryRunner,
  type SavedTools,
} from './saved-tools.ts';

/** What the files of a server are like, as far as a start has to know it. */
export interface QueryKind extends Pick<FileRules, 'comments' | 'keys' | 'hasNativeTypes' | 'hasPatterns'> {
  /** The ending of the files, with its dot. */
  extension: string;
  /** What reads the bodies; loaded where there is a folder. */
  load(): Promise<QueryBodies>;
  /** Files that are a part of the program. */
  bring?(): Promise<readonly BroughtFile[]>;
}

/** The file of another server. */
export interface ForeignFile {
  path: string;
  text: string;
  /** Names that a parameter cannot have. */
  reserved: readonly string[];
}

/** A file to write for a custom tool of another server, or why there can be none. */
export type ImportedQuery = { name: string } & (ImportedFile | { reason: string });

export interface ImportedFile {
  header: readonly string[];
  body: string;
  /** The other server would not let it write. */
  isRead: boolean;
  /** What is not as it was there: `without minValue of stars`. */
  remarks: readonly string[];
}

export interface QueryBodies extends Pick<SavedTools, 'argumentsFor'> {
  /** What is wrong with a body, as far as that is known without a connection. */
  checkBody(query: SavedQuery): readonly FileIssue[];
  /** An example of a body, for a new file. */
  example: { params: readonly string[]; body: string };
}

export interface LoadOptions {
  kind: QueryKind;
  bodies: QueryBodies;
  folders: readonly QueryFolder[];
  brought: readonly BroughtFile[];
  trust: Trust;
  allowCommand: string;
  /** `auto`, or `one` for one tool that runs any of them. */
  form: string | undefined;
}

/** The argument of `--projects`, and names that no tool may have. */
const reservedArguments = ['project'];

/** The saved queries of one process: what is listed is read once, what is called is read at each call. */
export class LoadedQueries {
  readonly library: QueryLibrary;
  readonly bodies: QueryBodies;
  readonly rules: FileRules;
  readonly #isOne: boolean;
  #taken: readonly string[] = [];
  #listed: readonly SavedQuery[] | undefined;

  constructor({ kind, bodies, folders, brought, trust, allowCommand, form = 'auto' }: LoadOptions) {
    if (form !== 'auto' && form !== 'one')
      throw new Failure('input', `invalid --queries-as ${JSON.stringify(form.slice(0, 40))}: expected auto or one`);
    const fields = { ...bodies.argumentsFor('read'), ...bodies.argumentsFor('write') };
    const reserved = ['connection', ...Object.keys(fields), ...reservedArguments];
    this.#isOne = form === 'one';
    this.bodies = bodies;
    this.rules = { ...kind, reserved };
    this.library = createQueryLibrary({
      folders,
      brought,
      rules: { ...this.rules, extension: kind.extension, checkBody: bodies.checkBody },
      trust,
      taken: () => this.#taken,
      allowCommand,
    });
  }

  /** Registers a tool for each query, after all other tools, so that they can be selected by name. */
  register(toolServer: ToolServer, open: () => Promise<QueryRunner>): SavedTools {
    let opened: Promise<QueryRunner> | undefined;
    const runner = () => {
      opened ??= open();
      return opened;
    };
    if (this.#listed === undefined) this.#taken = [...toolServer.names, ...foldedNames];
    this.#listed ??= this.library.ready();
    const saved = { library: this.library, argumentsFor: this.bodies.argumentsFor, runner };
    for (const tool of createQueryTools(saved, this.#listed)) toolServer.register(tool);
    return saved;
  }

  /** What of them is offered: a tool for each, or two for all. `selections` are those that were made, as in `--tools`. */
  settle(toolServer: ToolServer, saved: SavedTools, selections: readonly (string | undefined)[]): void {
    const listed = this.#listed ?? [];
    const kept = listed.filter(({ name }) => toolServer.names.includes(name));
    if (kept.length === 0) return;
    if (kept.length <= maxOwnTools && !this.#isOne) {
      toolServer.setSaved(createQueryTools(saved, kept), ownAdvice);
      return;
    }
    const names = new Set(listed.map(({ name }) => name));
    const keptNames = new Set(kept.map(({ name }) => name));
    const takesNew = selections.every(choosesGroups);
    const mayWrite = kept.some(({ effect }) => effect === 'write');
    const offers = ({ name, effect }: SavedQuery) =>
      (mayWrite || effect === 'read') && (keptNames.has(name) || (takesNew && !names.has(name)));
    toolServer.setSaved(createFoldedTools(saved, { mayWrite, offers }), foldedAdvice);
  }
}

const ownAdvice =
  'Tools that are not named above are saved queries, which people have reviewed: prefer one that fits to a statement of your own.';
const foldedAdvice =
  'list_saved finds saved queries, which people have reviewed; run_saved runs one: prefer them to a statement of your own.';
