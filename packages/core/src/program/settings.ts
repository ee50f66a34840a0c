import { resolve } from 'node:path';
import { Failure } from '../failure.ts';

/** A setting with one text for its value: on the command line, or in the environment. */
export interface LeafSetting {
  /** `--export-dir` on the command line is `export-dir` here, and `APP_EXPORT_DIR` in the environment. */
  name: string;
  /** What `--help` shows for the value: `DIR`. */
  value: string;
  help: string;
  /** The value is a path: what is relative begins at the working directory. */
  isPath: boolean;
}

/** A setting that is on or off: `--demo`, or `APP_DEMO=1`. */
export interface LeafFlag {
  name: string;
  help: string;
}

export type Settings = Readonly<Record<string, string | undefined>>;

export interface SettingSources {
  app: string;
  /** From the command line, which wins. */
  given: Settings;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** What every server can be told. */
export const serverSettings: readonly LeafSetting[] = [
  { name: 'config', value: 'FILE', help: 'read connections from FILE and from no project file', isPath: true },
  { name: 'tools', value: 'A,B', help: 'offer these tools only', isPath: false },
  { name: 'timeout', value: 'TIME', help: 'of a call that asks for none: 30s (default), 500ms, 5m', isPath: false },
];

export const readonlyFlag: LeafFlag = {
  name: 'readonly',
  help: 'take every connection for read-only, and offer no tool that writes',
};

/** An empty value is none: that is how a variable is switched off where it cannot be unset. */
export function readSettings(settings: readonly LeafSetting[], { app, given, env, cwd }: SettingSources): Settings {
  const entries = settings.map(({ name, isPath }) => {
    const value = given[name] || env[variableOf(app, name)] || undefined;
    return [name, value !== undefined && isPath ? resolve(cwd, value) : value];
  });
  return Object.fromEntries(entries);
}

const on = ['1', 'true', 'yes', 'on'];
const off = ['', '0', 'false', 'no', 'off'];

/** Of a flag. A word that is neither is an error: guessing could switch a protection off. */
export function readFlag(
  { name }: LeafFlag,
  { app, given, env }: { app: string; given: boolean; env: NodeJS.ProcessEnv },
): boolean {
  if (given) return true;
  const variable = variableOf(app, name);
  const text = env[variable] ?? '';
  const word = text.trim().toLowerCase();
  if (on.includes(word)) return true;
  if (off.includes(word)) return false;
  throw new Failure('input', `${variable} is ${JSON.stringify(text.slice(0, 40))}`, { hint: 'Set it to 1 or 0.' });
}

export function variableOf(app: string, name: string): string {
  return `${app}_${name}`.toUpperCase().replaceAll('-', '_');
}

const unitMs = { ms: 1, s: 1_000, m: 60_000 } as const;
const longestMs = 3_600_000;

/** `30s`, `500ms`, `5m`, and a number alone, which is seconds. */
export function parseTime(text: string): number {
  const match = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m)?$/.exec(text.trim());
  const unit = match?.groups?.unit;
  const factor = unit === 'ms' || unit === 'm' ? unitMs[unit] : unitMs.s;
  const milliseconds = Math.round(Number(match?.groups?.number) * factor);
  if (milliseconds >= 1 && milliseconds <= longestMs) return milliseconds;
  throw new Failure('input', `the timeout ${JSON.stringify(text.slice(0, 40))} is no time that a call may take`, {
    hint: 'Write it like 30s, 500ms or 5m; an hour is the most.',
  });
}
