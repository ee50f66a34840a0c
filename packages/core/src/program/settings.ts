import { delimiter, resolve } from 'node:path';
import { Failure } from '../failure.ts';

export { parseTime } from '../tools/duration.ts';

/** A setting with one text for its value: on the command line, or in the environment. */
export interface ProgramSetting {
  /** `--export-dir` on the command line is `export-dir` here, and `APP_EXPORT_DIR` in the environment. */
  name: string;
  /** What `--help` shows for the value: `DIR`. */
  value: string;
  help: string;
  /** The value is a path: what is relative begins at the working directory. */
  isPath: boolean;
  /** Several paths: the option is repeated, and a variable has the delimiter of the system between them. */
  isList?: boolean;
}

/** A setting that is on or off: `--demo`, or `APP_DEMO=1`. */
export interface ProgramFlag {
  name: string;
  help: string;
  /** Kinds of it, as in `--demo=WORD` or `APP_DEMO=WORD`. */
  words?: readonly string[];
}

/** Flags of a server on stdin and stdout alone. */
export const stdioFlags = {
  shared: { name: 'shared', help: 'share one process with the other sessions of this project' },
  projects: {
    name: 'projects',
    help: 'add an argument to each tool: the project whose running server answers',
  },
} as const satisfies Record<string, ProgramFlag>;

export type Settings = Readonly<Record<string, string | undefined>>;

interface SettingSources {
  app: string;
  /** From the command line, which wins. */
  given: Settings;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** The settings of every server. */
export const serverSettings: readonly ProgramSetting[] = [
  { name: 'config', value: 'FILE', help: 'read connections from FILE and from no project file', isPath: true },
  {
    name: 'queries',
    value: 'DIR',
    help: 'offer the saved queries in DIR as tools; repeat for several',
    isPath: true,
    isList: true,
  },
  { name: 'queries-as', value: 'FORM', help: 'auto (default), or one: one tool that runs any saved query', isPath: false },
  { name: 'tools', value: 'A,B', help: 'offer only these tools; read: those that only read; -A: all but A', isPath: false },
  {
    name: 'timeout',
    value: 'TIME',
    help: 'time limit of a call that sets none, such as 500ms or 5m; default 30s',
    isPath: false,
  },
  {
    name: 'idle',
    value: 'TIME',
    help: 'with --shared: end the process this long after its last client; default 5m',
    isPath: false,
  },
  { name: 'audit', value: 'FILE', help: 'write a line about every call to FILE', isPath: true },
];

/** What has no meaning without a client on stdin and stdout. */
export const stdioOptions: readonly string[] = [...Object.keys(stdioFlags), 'idle'];

export const readonlyFlag: ProgramFlag = {
  name: 'readonly',
  help: 'treat every connection as read-only and leave out tools that change data',
};

export const tagFlag: ProgramFlag = {
  name: 'tag',
  help: 'mark each statement with the client and a trace id',
};

/** The flags of every server and of its commands. */
export const serverFlags: readonly ProgramFlag[] = [readonlyFlag, tagFlag];

/** An empty value counts as absent: that switches a variable off where it cannot be unset. */
export function readSettings(settings: readonly ProgramSetting[], { app, given, env, cwd }: SettingSources): Settings {
  const entries = settings.map((setting) => {
    const value = given[setting.name] || env[findVariable(app, setting.name)] || undefined;
    return [setting.name, value === undefined ? undefined : resolveSetting(setting, value, cwd)];
  });
  return Object.fromEntries(entries);
}

/** A value that means the same wherever the program is started. */
export function resolveSetting({ isPath, isList }: ProgramSetting, value: string, cwd: string): string {
  if (!isPath) return value;
  const paths = isList ? value.split(delimiter).filter((path) => path !== '') : [value];
  return paths.map((path) => resolve(cwd, path)).join(delimiter);
}

/** What the parser of a command line is told of a setting. */
export function describeSetting({ isList = false }: ProgramSetting): { type: 'string'; multiple: boolean } {
  return { type: 'string', multiple: isList };
}

/** What the parser of a command line is told of a flag. */
export function describeFlag({ words }: ProgramFlag): { type: 'string' | 'boolean' } {
  return { type: words === undefined ? 'boolean' : 'string' };
}

/** Gives flags that may have a word one, because the parser would take the next argument for it. */
export function completeFlags(argv: readonly string[], flags: readonly ProgramFlag[]): string[] {
  const names = flags.flatMap(({ name, words }) => (words === undefined ? [] : [`--${name}`]));
  return argv.map((word) => (names.includes(word) ? `${word}=${on[0]}` : word));
}

/** A flag as it is written again, with its word. */
export function formatFlag({ name }: ProgramFlag, state: FlagState): string[] {
  if (state === false) return [];
  return [state === true ? `--${name}` : `--${name}=${state}`];
}

/** The text of what a command line has for it. */
export function joinValues(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.join(delimiter);
  return typeof value === 'string' ? value : undefined;
}

const on = ['1', 'true', 'yes', 'on'];
const off = ['', '0', 'false', 'no', 'off'];

interface FlagSources {
  app: string;
  /** From the command line, which wins. */
  given: boolean;
  env: NodeJS.ProcessEnv;
}

/** Reads a flag. Any other word is an error: guessing could switch a protection off. */
export function readFlag(flag: ProgramFlag, { app, given, env }: FlagSources): boolean {
  return readFlagState(flag, { app, given, env }) !== false;
}

/** Whether a flag is on, or the word that it has. */
export type FlagState = boolean | string;

/** `given` is what the parser found on the command line. */
export function readFlagState(
  { name, words = [] }: ProgramFlag,
  { app, given, env }: Omit<FlagSources, 'given'> & { given: unknown },
): FlagState {
  if (given === true) return true;
  const variable = findVariable(app, name);
  const isGiven = typeof given === 'string';
  const text = isGiven ? given : (env[variable] ?? '');
  const word = text.trim().toLowerCase();
  if (on.includes(word)) return true;
  if (off.includes(word) && !isGiven) return false;
  if (words.includes(word)) return word;
  const shown = `${isGiven ? `--${name}` : variable} ${JSON.stringify(text.slice(0, 40))}`;
  throw new Failure('input', `invalid ${shown}: expected ${[...(isGiven ? [] : ['1', '0']), ...words].join(' or ')}`, {
    hint: isGiven ? `Correct it, or write --${name} alone.` : 'Correct or unset it.',
  });
}

export function findVariable(app: string, name: string): string {
  return `${app}_${name}`.toUpperCase().replaceAll('-', '_');
}

/** `--tools -NAME` in two words, which the parser takes for two options. */
export function joinToolNames(argv: readonly string[]): string[] {
  const at = argv.findIndex((word, i) => word === '--tools' && /^-[^-]/.test(argv[i + 1] ?? ''));
  return at < 0 ? [...argv] : [...argv.slice(0, at), `--tools=${argv[at + 1]}`, ...argv.slice(at + 2)];
}

const urlPlace = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A path, which has a slash at its beginning or behind dots, or a URL without slashes. */
const filePlace = /^(?:(?:~|\.{0,2})[/\\]|[a-z][a-z0-9+.-]+:)/i;

/** Whether a word of the command line says where a connection leads, instead of a command. */
export function isPlace(word: string, { opensFiles = false }: { opensFiles?: boolean | undefined }): boolean {
  return urlPlace.test(word) || (opensFiles && filePlace.test(word));
}

/** What a connection has of the place on the command line. */
export function toPlaceFields(word: string): { url: string } | { file: string } {
  return /^[a-z][a-z0-9+.-]+:/i.test(word) ? { url: word } : { file: word };
}
