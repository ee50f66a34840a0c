import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import type { App, Leaf } from '../program/app.ts';
import type { Terminal } from './terminal.ts';

/** Options that only commands take. All are known to the parser, so each command says which are its own. */
export const commandOptions = {
  yes: { type: 'boolean', short: 'y' },
  format: { type: 'string' },
  limit: { type: 'string' },
  database: { type: 'string' },
} as const;

/** What of them stood on the command line. */
export interface CommandOptions {
  yes?: boolean;
  format?: string;
  limit?: string;
  database?: string;
}

export type CommandOption = keyof typeof commandOptions;

export interface CommandCall<C extends BaseConnection, B extends Backend> {
  leaf: Leaf<C, B>;
  terminal: Terminal;
  /** What stood behind the command's name. */
  words: readonly string[];
  options: CommandOptions;
  /** Options on the command line that are the server's, as one would write them again: `--readonly`, `--config FILE`. */
  serverArgs: readonly string[];
  /** The server's parts, put together but not serving; disposed when the command has ended. */
  app(): App<C, B>;
}

/** Answers the exit code. */
export type CommandRun = <C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>) => Promise<number>;

export interface Command {
  name: string;
  /** As `--help` shows them, without the program's name: `allow [FILE]`, and what it does. */
  forms: readonly (readonly [usage: string, summary: string])[];
  options: readonly CommandOption[];
  /** Commands are for people, who wait for them; the server's start does not load them. */
  load(): Promise<CommandRun>;
}
