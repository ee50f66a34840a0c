import { resolve } from 'node:path';
import { Failure } from '../failure.ts';

/** A setting with one text for its value: on the command line, or in the environment. */
export interface ProgramSetting {
  /** `--export-dir` on the command line is `export-dir` here, and `APP_EXPORT_DIR` in the environment. */
  name: string;
  /** What `--help` shows for the value: `DIR`. */
  value: string;
  help: string;
  /** The value is a path: what is relative begins at the working directory. */
  isPath: boolean;
}

/** A setting that is on or off: `--demo`, or `APP_DEMO=1`. */
export interface ProgramFlag {
  name: string;
  help: string;
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
];

/** What has no meaning without a client on stdin and stdout. */
export const stdioOptions: readonly string[] = [...Object.keys(stdioFlags), 'idle'];

export const readonlyFlag: ProgramFlag = {
  name: 'readonly',
  help: 'treat every connection as read-only and leave out tools that change data',
};

/** An empty value counts as absent: that switches a variable off where it cannot be unset. */
export function readSettings(settings: readonly ProgramSetting[], { app, given, env, cwd }: SettingSources): Settings {
  const entries = settings.map(({ name, isPath }) => {
    const value = given[name] || env[findVariable(app, name)] || undefined;
    return [name, value !== undefined && isPath ? resolve(cwd, value) : value];
  });
  return Object.fromEntries(entries);
}

const on = ['1', 'true', 'yes', 'on'];
const off = ['', '0', 'false', 'no', 'off'];

/** Reads a flag. Any other word is an error: guessing could switch a protection off. */
export function readFlag(
  { name }: ProgramFlag,
  { app, given, env }: { app: string; given: boolean; env: NodeJS.ProcessEnv },
): boolean {
  if (given) return true;
  const variable = findVariable(app, name);
  const text = env[variable] ?? '';
  const word = text.trim().toLowerCase();
  if (on.includes(word)) return true;
  if (off.includes(word)) return false;
  throw new Failure('input', `invalid ${variable} ${JSON.stringify(text.slice(0, 40))}: expected 1 or 0`, {
    hint: 'Correct or unset it.',
  });
}

export function findVariable(app: string, name: string): string {
  return `${app}_${name}`.toUpperCase().replaceAll('-', '_');
}

const unitMs = { ms: 1, s: 1_000, m: 60_000 } as const;
const maxMs = 3_600_000;

/** `30s`, `500ms`, `5m`, and a number alone, which is seconds. */
export function parseTime(text: string, what = 'timeout'): number {
  const match = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m)?$/.exec(text.trim());
  const unit = match?.groups?.unit;
  const factor = unit === 'ms' || unit === 'm' ? unitMs[unit] : unitMs.s;
  const milliseconds = Math.round(Number(match?.groups?.number) * factor);
  if (milliseconds >= 1 && milliseconds <= maxMs) return milliseconds;
  throw new Failure(
    'input',
    `invalid ${what} ${JSON.stringify(text.slice(0, 40))}: expected a duration such as 30s, 500ms or 5m`,
    {
      hint: 'Pass at most 60m.',
    },
  );
}

/** `--tools -NAME` in two words, which the parser takes for two options. */
export function joinToolNames(argv: readonly string[]): string[] {
  const at = argv.findIndex((word, i) => word === '--tools' && /^-[^-]/.test(argv[i + 1] ?? ''));
  return at < 0 ? [...argv] : [...argv.slice(0, at), `--tools=${argv[at + 1]}`, ...argv.slice(at + 2)];
}
