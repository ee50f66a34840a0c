import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import type { App, ServerDefinition } from '../program/app.ts';
import { type ServeCommandOptions, serveOptions } from './serve-options.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What the program's exit code says. A script may count on these. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, differs: 3 } as const;

/** Options that only commands take. All are known to the parser, so each command says which are its own. */
export const commandOptions = {
  format: { type: 'string', form: '--format FORMAT', help: 'table, vertical, csv, or json (an object on each line)' },
  vertical: { type: 'boolean', form: '--vertical', help: 'one line per value; ending with \\G does the same' },
  limit: { type: 'string', form: '--limit ROWS', help: 'maximum number of rows' },
  database: { type: 'string', form: '--database NAME', help: 'use this database instead of the configured one' },
  schema: { type: 'string', form: '--schema NAME', help: 'look in this schema only' },
  parts: {
    type: 'string',
    form: '--parts LIST',
    help: 'show only these, separated by commas: columns, indexes, stats, sample, …',
  },
  kind: { type: 'string', form: '--kind KIND', help: 'only these: table, view, …' },
  without: { type: 'string', form: '--without WHAT', help: 'only those that lack it: primary_key, rows or references' },
  diff: { type: 'string', form: '--diff FILE', help: 'print what differs from the lines in FILE; exit code 3 if any' },
  file: { type: 'string', short: 'f', form: '-f, --file FILE', help: 'read the query from FILE; - is standard input' },
  analyze: { type: 'boolean', form: '--analyze', help: 'run the statement, for actual rows and times' },
  explain: { type: 'boolean', form: '--explain', help: 'show what the planner expects each to cost' },
  json: { type: 'boolean', form: '--json', help: 'print JSON' },
  param: {
    type: 'string',
    multiple: true,
    form: '--param NAME=VALUE',
    help: 'set a parameter of the query; VALUE alone sets the next ?; repeat for several',
  },
  reveal: { type: 'boolean', form: '--reveal', help: 'show protected columns; asks first, and needs a terminal' },
  role: { type: 'boolean', form: '--role', help: 'print only the statements that create a read-only account' },
  'password-stdin': { type: 'boolean', form: '--password-stdin', help: 'read the password from standard input' },
  project: { type: 'boolean', form: '--project', help: "write the project's file instead of your own" },
  env: {
    type: 'string',
    multiple: true,
    form: '--env NAME[=VALUE]',
    help: 'set a variable in the entry; repeat for several',
  },
  http: { type: 'boolean', form: '--http', help: "write the URL of this project's server (serve)" },
  url: { type: 'string', form: '--url URL', help: 'write the URL of a server that runs elsewhere' },
  'sign-in': { type: 'boolean', form: '--sign-in', help: 'with --http or --url: the client signs in (OAuth)' },
  yes: { type: 'boolean', short: 'y', form: '-y, --yes', help: 'do not prompt' },
  since: { type: 'string', form: '--since TIME', help: 'only what came after: 30m, 2h, 7d, or a date' },
  connection: { type: 'string', form: '--connection NAME', help: 'only what was about this connection' },
  tool: { type: 'string', form: '--tool NAME', help: 'only calls of this tool' },
  errors: { type: 'boolean', form: '--errors', help: 'only what failed or was refused' },
  follow: { type: 'boolean', form: '--follow', help: 'go on with what comes, until Ctrl-C' },
  ...serveOptions,
} as const;

/** Those of them that were given on the command line. */
export interface CommandOptions extends ServeCommandOptions {
  yes?: boolean;
  json?: boolean;
  explain?: boolean;
  role?: boolean;
  vertical?: boolean;
  reveal?: boolean;
  param?: readonly string[];
  analyze?: boolean;
  project?: boolean;
  'password-stdin'?: boolean;
  format?: string;
  limit?: string;
  database?: string;
  schema?: string;
  parts?: string;
  kind?: string;
  without?: string;
  diff?: string;
  file?: string;
  env?: readonly string[];
  http?: boolean;
  url?: string;
  'sign-in'?: boolean;
  since?: string;
  connection?: string;
  tool?: string;
  errors?: boolean;
  follow?: boolean;
}

type CommandOption = keyof typeof commandOptions;

/** Options of the server that change what a command does; `flags` are those of the server. */
type ServerOption = 'config' | 'readonly' | 'timeout' | 'queries' | 'audit' | 'flags';

export interface CommandCall<C extends BaseConnection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  terminal: Terminal;
  /** The words after the command's name, as many as it takes. */
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
  /** A line for `--help`. */
  about: string;
  /** The words after the program's name. */
  example: string;
  options?: readonly CommandOption[];
  /**
   * Those it heeds; `all` are written down for the server, and `serving` are those that do not need a client on stdin. Any other is an
   * error rather than ignored.
   */
  server?: readonly ServerOption[] | 'all' | 'serving';
  /** It runs until it is stopped: its log is the one of a server. */
  isServer?: boolean;
  /** Commands are for people, who wait for them; the server's start does not load them. */
  load(): Promise<CommandRun>;
}
