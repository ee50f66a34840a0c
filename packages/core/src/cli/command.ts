import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import type { App, Leaf } from '../program/app.ts';
import type { Terminal } from './terminal.ts';

/** Options that only commands take. All are known to the parser, so each command says which are its own. */
export const commandOptions = {
  format: { type: 'string', form: '--format FORMAT', help: 'table, csv or json' },
  limit: { type: 'string', form: '--limit ROWS', help: 'how many at most' },
  database: { type: 'string', form: '--database NAME', help: 'another one than configured' },
  yes: { type: 'boolean', short: 'y', form: '-y, --yes', help: 'do not ask' },
} as const;

/** What of them stood on the command line. */
export interface CommandOptions {
  yes?: boolean;
  format?: string;
  limit?: string;
  database?: string;
}

export type CommandOption = keyof typeof commandOptions;

/** Options of the server that change what a command does; `flags` are those of the leaf. */
export type ServerOption = 'config' | 'readonly' | 'timeout' | 'flags';

export interface CommandCall<C extends BaseConnection, B extends Backend> {
  leaf: Leaf<C, B>;
  terminal: Terminal;
  /** What stood behind the command's name, as many as it takes. */
  words: readonly string[];
  options: CommandOptions;
  /** Options on the command line that are the server's, as one would write them again: `--readonly`, `--config FILE`. */
  serverArgs: readonly string[];
  /** The server's parts, put together but not serving; disposed when the command has ended. */
  app: App<C, B>;
}

/** Answers the exit code. */
export type CommandRun = <C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>) => Promise<number>;

export interface Command {
  /** One word, or two: `allow`, `connections list`. */
  name: string;
  /** What follows it, as `--help` shows it: `[FILE]`. */
  takes?: string;
  /** How many words may follow, at least and at most; none by default. */
  words?: readonly [least: number, most: number];
  /** For `--help`. */
  about: string;
  /** Behind the program's name. */
  example: string;
  options?: readonly CommandOption[];
  /** Those it heeds; `all` are written down for the server. Any other is an error, so that nobody believes in it. */
  server?: readonly ServerOption[] | 'all';
  /** Commands are for people, who wait for them; the server's start does not load them. */
  load(): Promise<CommandRun>;
}
