import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BaseConnection } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Backend } from '../manager/backend.ts';
import { nearestNames } from '../nearest.ts';
import { createApp, type Leaf } from '../program/app.ts';
import { serve, signals } from '../program/serve.ts';
import { readFlag, readonlyFlag, type Settings, serverSettings, variableOf } from '../program/settings.ts';
import { createWatchdog } from '../program/watchdog.ts';
import { type Command, type CommandOptions, commandOptions } from './command.ts';
import { commandsOf } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import { checkWords, findCommand } from './find-command.ts';
import { createNotes, type Notes } from './notes.ts';
import { personHintOf } from './person-hint.ts';
import type { Terminal } from './terminal.ts';

const ownOptions = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** The program: serves when no command is named. Answers the exit code, or undefined while it serves. */
export async function runLeaf<C extends BaseConnection, B extends Backend>(
  leaf: Leaf<C, B>,
  terminal: Terminal,
): Promise<number | undefined> {
  const notes = createNotes(terminal, leaf.name);
  try {
    const line = parse(terminal, leaf);
    if (line.help) return show(terminal, await helpFor(leaf, line.words));
    if (line.version) return show(terminal, leaf.version);
    if (line.words.length > 0) return await runCommand({ leaf, notes, line });
    refuseOptions(line, { name: 'the server', allowed: namesOf(serverOptionsOf(leaf)), program: leaf.name });
    const app = openApp(leaf, terminal, line);
    const { toolServer, log, dispose } = app;
    const watchdog = createWatchdog({ stdin: process.stdin, signals, isBusy: () => toolServer.running > 0, log });
    serve({ toolServer, log, dispose, watchdog });
    return undefined;
  } catch (error) {
    const failure = toFailure(error);
    notes.terminal.printError(`${leaf.name}: ${formatFailure(failure, leaf.name)}`);
    return failure.kind === 'input' ? exitCodes.usage : exitCodes.failed;
  } finally {
    notes.tell();
  }
}

async function helpFor<C extends BaseConnection, B extends Backend>(leaf: Leaf<C, B>, words: readonly string[]): Promise<string> {
  const { commandHelp, helpText } = await import('./help.ts');
  return words.length === 0 ? helpText(leaf) : commandHelp(leaf, words);
}

interface CommandRequest<C extends BaseConnection, B extends Backend> {
  leaf: Leaf<C, B>;
  notes: Notes;
  line: Line;
}

async function runCommand<C extends BaseConnection, B extends Backend>(request: CommandRequest<C, B>): Promise<number> {
  const { terminal } = request.notes;
  try {
    const code = await runFound(request);
    // What went wrong with the last line is said a turn later.
    await nextTurn();
    const unwritten = outputFailure(terminal);
    if (unwritten === undefined) return code;
    throw unwritten;
  } catch (error) {
    // Whoever has read enough closes the pipe, and nothing went wrong.
    if (terminal.outputError()?.code === 'EPIPE') return exitCodes.ok;
    throw outputFailure(terminal) ?? error;
  }
}

function outputFailure(terminal: Terminal): Failure | undefined {
  const error = terminal.outputError();
  if (error === undefined || error.code === 'EPIPE') return undefined;
  const hint = 'Is the disk full?';
  return new Failure('limit', `the answer could not be written (${error.code ?? error.message})`, { hint, cause: error });
}

/** The server's parts are put together for every command, so that what is wrong with an option or a variable is said by each. */
async function runFound<C extends BaseConnection, B extends Backend>({
  leaf,
  notes,
  line,
}: CommandRequest<C, B>): Promise<number> {
  const { terminal } = notes;
  const found = findCommand(line.words, commandsOf(leaf));
  refuseOptions(line, { name: found.command.name, allowed: takenBy(found.command, leaf), program: leaf.name });
  checkWords(found, leaf.name);
  const wantsLog = Boolean(terminal.env[variableOf(leaf.app, 'log')]?.trim());
  const app = openApp(leaf, terminal, line, wantsLog ? undefined : notes.log);
  try {
    const run = await found.command.load();
    return await run({ leaf, terminal, words: found.words, options: line.options, serverArgs: line.serverArgs, app });
  } finally {
    await app.dispose();
  }
}

function openApp<C extends BaseConnection, B extends Backend>(leaf: Leaf<C, B>, terminal: Terminal, line: Line, log?: Log) {
  const { env, cwd, home } = terminal;
  const { settings, readonly } = line;
  return createApp(leaf, { env, cwd, home, settings, readonly, ...(log === undefined ? {} : { log }) });
}

/** What stood on the command line. */
interface Line {
  words: readonly string[];
  /** The names of all options. */
  given: readonly string[];
  help: boolean;
  version: boolean;
  readonly: boolean;
  settings: Settings;
  options: CommandOptions;
  serverArgs: readonly string[];
}

function parse({ argv, env, cwd }: Terminal, leaf: ServerOptionsOf & { app: string }): Line {
  const { settings, flags } = serverOptionsOf(leaf);
  const { values, positionals } = parseWords(argv, {
    ...Object.fromEntries(settings.map(({ name }) => [name, { type: 'string' }])),
    ...Object.fromEntries(flags.map(({ name }) => [name, { type: 'boolean' }])),
    ...Object.fromEntries(Object.entries(commandOptions).map(([name, { form: _form, help: _help, ...known }]) => [name, known])),
    ...ownOptions,
  });
  const isHelp = positionals[0] === 'help';
  // Whoever starts the leaf acts on its own flags; here their variables are checked.
  for (const flag of flags) readFlag(flag, { app: leaf.app, given: false, env });
  const textOf = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  return {
    words: isHelp ? positionals.slice(1) : positionals,
    given: Object.keys(values),
    help: isHelp || values.help === true,
    version: values.version === true,
    readonly: values[readonlyFlag.name] === true,
    settings: Object.fromEntries(settings.map(({ name }) => [name, textOf(name)])),
    options: optionsOf(values),
    serverArgs: [
      ...flags.flatMap(({ name }) => (values[name] === true ? [`--${name}`] : [])),
      ...settings.flatMap(({ name, isPath }) => argsOf(name, textOf(name), isPath ? cwd : undefined)),
    ],
  };
}

/** A path is written so that it means the same wherever the program is started. */
function argsOf(name: string, value: string | undefined, base: string | undefined): string[] {
  if (value === undefined) return [];
  return [`--${name}`, base === undefined ? value : resolve(base, value)];
}

function optionsOf(values: Readonly<Record<string, unknown>>): CommandOptions {
  const { yes, format, limit, database } = values;
  return {
    ...(yes === true ? { yes } : {}),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof limit === 'string' ? { limit } : {}),
    ...(typeof database === 'string' ? { database } : {}),
  };
}

type KnownOptions = Record<string, { type: 'string' | 'boolean'; short?: string }>;

function parseWords(argv: readonly string[], options: KnownOptions) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error), Object.keys(options));
  }
}

type ServerOptionsOf = Pick<Leaf<BaseConnection, Backend>, 'settings' | 'flags'>;

function serverOptionsOf(leaf: ServerOptionsOf) {
  return { settings: [...serverSettings, ...(leaf.settings ?? [])], flags: [readonlyFlag, ...(leaf.flags ?? [])] };
}

function namesOf({ settings, flags }: ReturnType<typeof serverOptionsOf>): string[] {
  return [...settings, ...flags].map(({ name }) => name);
}

/** All that a command has a use for. */
function takenBy({ options = [], server = [] }: Command, leaf: ServerOptionsOf): readonly string[] {
  if (server === 'all') return [...options, ...namesOf(serverOptionsOf(leaf))];
  const flags = server.includes('flags') ? (leaf.flags ?? []).map(({ name }) => name) : [];
  return [...options, ...server, ...flags];
}

interface Allowed {
  /** Who takes them. */
  name: string;
  allowed: readonly string[];
  program: string;
}

function refuseOptions({ given }: Line, { name, allowed, program }: Allowed): void {
  const foreign = given.find((option) => !allowed.includes(option));
  if (foreign === undefined) return;
  const help = name === 'the server' ? '--help' : `help ${name}`;
  throw new Failure('input', `${name} does not take --${foreign}`, { hint: `\`${program} ${help}\` shows what it takes.` });
}

function formatFailure(failure: Failure, program: string): string {
  const { message, nearest, position } = failure;
  const said = position === undefined ? message : `${message} (at character ${position})`;
  const hint = personHintOf(failure, program);
  const isSaid = /\bdid you mean\b/i.test(`${message} ${hint}`);
  const meant = isSaid || nearest.length === 0 ? undefined : `Did you mean ${nearest.join(' or ')}?`;
  const lines = [said, meant, hint];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** The parser's own words, which begin with the option. */
function usage(message: string, known: readonly string[]): Failure {
  const [, wrong = ''] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
  const nearest = nearestNames(wrong, known).map((name) => `--${name}`);
  return new Failure('input', message, { nearest, hint: 'Run it with --help to see what it takes.' });
}

function show(terminal: Terminal, text: string): number {
  terminal.print(text);
  return exitCodes.ok;
}
