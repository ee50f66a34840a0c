import { resolve } from 'node:path';

/** A setting that only one leaf has, with one text for its value. */
export interface LeafSetting {
  /** `--export-dir` on the command line is `export-dir` here, and `APP_EXPORT_DIR` in the environment. */
  name: string;
  /** What `--help` shows for the value: `DIR`. */
  value: string;
  help: string;
  /** The value is a path: what is relative begins at the working directory. */
  isPath: boolean;
}

export type Settings = Readonly<Record<string, string | undefined>>;

export interface SettingSources {
  app: string;
  /** From the command line, which wins. */
  given: Settings;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** An empty value is none: that is how a variable is switched off where it cannot be unset. */
export function readSettings(settings: readonly LeafSetting[], { app, given, env, cwd }: SettingSources): Settings {
  const entries = settings.map(({ name, isPath }) => {
    const value = given[name] || env[variableOf(app, name)] || undefined;
    return [name, value !== undefined && isPath ? resolve(cwd, value) : value];
  });
  return Object.fromEntries(entries);
}

export function variableOf(app: string, name: string): string {
  return `${app}_${name}`.toUpperCase().replaceAll('-', '_');
}
