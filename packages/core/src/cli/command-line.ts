import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BaseConnection } from '../connection.ts';
import type { SharedProcess } from '../doors/shared-process/process/serve-shared.ts';
import { Failure, failureWith, formatHint, toFailure } from '../failure.ts';
import { createLog, type Log, parseLogLevel } from '../log.ts';
import type { Backend } from '../manager/backend.ts';
import { nearestNames } from '../nearest.ts';
import { type App, createApp, findStorePath, type ProgramDefinition, type ServerDefinition } from '../program/app.ts';
import { loadQueries } from '../program/load-queries.ts';
import { loadLive, loadRecorder } from '../program/load-recorder.ts';
import { serve, signals } from '../program/serve.ts';
import { serveTools } from '../program/serve-tools.ts';
import {
  completeFlags,
  describeFlag,
  describeSetting,
  findVariable,
  formatFlag,
  isPlace,
  joinToolNames,
  joinValues,
  type ProgramFlag,
  type ProgramSetting,
  readFlag,
  readFlagState,
  readonlyFlag,
  resolveSetting,
  type Settings,
  serverFlags,
  serverSettings,
  stdioFlags,
  stdioOptions,
  tagFlag,
} from '../program/settings.ts';
import { createWatchdog } from '../program/watchdog.ts';
import { stateFolderFor } from '../registry/sources/paths.ts';
import { type Command, type CommandOptions, commandOptions, exitCodes } from './command.ts';
import { type CommandsOf, listCommands } from './commands.ts';
import { checkWords, type Found, findCommand } from './find-command.ts';
import { createNotes, type Notes, type Terminal } from './terminal/terminal.ts';

const ownOptions = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  // A front passes this to the process that it starts; no person does.
  'shared-socket': { type: 'string' },
} as const;

/** The program: serves when no command is named. Answers the exit code, or undefined while it serves. */
export async function runProgram<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  terminal: Terminal,
): Promise<number | undefined> {
  const notes = createNotes(terminal, definition.program.name);
  try {
    const line = parse(terminal, definition.program);
    if (line.help) return show(terminal, await helpFor(definition, line.words));
    if (line.version) return show(terminal, definition.program.version);
    const url = findPlace(line.words, definition.program);
    if (url === undefined && line.words.length > 0) return await runCommand({ definition, notes, line });
    refuseOptions(line, 'the server', [...listNames(listServerOptions(definition.program)), 'shared-socket']);
    if (line.socket !== undefined) return await serveSocket({ definition, terminal, line, url, socket: line.socket });
    const app = await openApp(definition, terminal, line, { url });
    const { log, dispose } = app;
    const toolServer = line.projects ? await openProjects(definition.program, terminal, app) : app.toolServer;
    if (process.stdin.isTTY)
      terminal.printError(`${definition.program.name}: an MCP server, waiting for a client on standard input. See --help.`);
    const watchdog = createWatchdog({ stdin: process.stdin, signals, isBusy: () => toolServer.calls.count > 0, log });
    serve({ attach: serveTools(toolServer, log), calls: toolServer.calls, log, dispose, watchdog });
    return undefined;
  } catch (error) {
    const failure = toFailure(error);
    notes.terminal.printError(`${definition.program.name}: ${formatFailure(failure, definition.program.name)}`);
    return failure.kind === 'input' ? exitCodes.usage : exitCodes.failed;
  } finally {
    notes.tell();
  }
}

interface SocketRequest<C extends BaseConnection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  terminal: Terminal;
  line: Line;
  url: string | undefined;
  socket: string;
}

/** The process behind the fronts of `--shared`. */
async function serveSocket<C extends BaseConnection, B extends Backend>(request: SocketRequest<C, B>): Promise<undefined> {
  const { definition, terminal, line, url, socket } = request;
  const { program } = definition;
  const { LogFile } = await import('../doors/shared-process/process/log-file.ts');
  const { serveShared } = await import('../doors/shared-process/process/serve-shared.ts');
  const { serveClient: serveSharedClient } = await import('../doors/shared-process/process/shared-client.ts');
  const variable = findVariable(program.app, 'log');
  const log = createLog(program.name, parseLogLevel(terminal.env[variable], variable), new LogFile(2).write);
  const app = await openApp(definition, terminal, line, { url, log });
  const open: SharedProcess['open'] = async (hello) => {
    const view = app.openView({ ...hello, origin: { door: 'shared' } });
    const readonly = app.readonly || hello.readonly === true;
    const toolServer = line.projects ? await openProjects(program, terminal, { toolServer: view, readonly }) : view;
    return (client) => serveSharedClient(client, { toolServer, log });
  };
  await serveShared({ socket, version: program.version, calls: app.toolServer.calls, open, dispose: app.dispose, log });
  return undefined;
}

/** What it needs to call other servers is loaded only with the flag. */
async function openProjects<C extends BaseConnection, B extends Backend>(
  { name, app: folder }: Pick<ProgramDefinition<B>, 'name' | 'app'>,
  terminal: Terminal,
  { toolServer, readonly }: Pick<App<C, B>, 'toolServer' | 'readonly'>,
) {
  const { withProjects } = await import('../doors/project/project-tools.ts');
  const stateFolder = stateFolderFor(findStorePath(folder, terminal));
  return withProjects(toolServer, { program: name, projectFileName: `.${folder}.json`, stateFolder, readonly });
}

async function helpFor<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  words: readonly string[],
): Promise<string> {
  const { commandHelp, helpText } = await import('./help.ts');
  const described = { ...definition.program, schema: definition.connections.schema };
  if (words.length === 0) return helpText(described);
  const sources = ((await definition.connections.importers?.()) ?? []).map(({ source }) => source);
  return commandHelp({ ...described, sources }, words);
}

interface CommandRequest<C extends BaseConnection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  notes: Notes;
  line: Line;
}

async function runCommand<C extends BaseConnection, B extends Backend>(request: CommandRequest<C, B>): Promise<number> {
  const { terminal } = request.notes;
  try {
    const code = await runFound(request);
    // An error of the last line arrives one turn of the event loop later.
    await nextTurn();
    const unwritten = outputFailure(terminal);
    if (unwritten === undefined) return code;
    throw unwritten;
  } catch (error) {
    // A reader that has enough closes the pipe; that is not a failure.
    if (terminal.outputError()?.code === 'EPIPE') return exitCodes.ok;
    throw outputFailure(terminal) ?? error;
  }
}

function outputFailure(terminal: Terminal): Failure | undefined {
  const error = terminal.outputError();
  if (error === undefined || error.code === 'EPIPE') return undefined;
  const hint = 'Check whether the disk is full.';
  return new Failure('limit', `the answer could not be written (${error.code ?? error.message})`, { hint, cause: error });
}

/** The server's parts are put together for every command, so that each reports an invalid option or variable. */
async function runFound<C extends BaseConnection, B extends Backend>({
  definition,
  notes,
  line,
}: CommandRequest<C, B>): Promise<number> {
  const { terminal } = notes;
  const found = findCommand(line.words, listCommands(definition.program));
  refuseOptions(line, found.command.name, takenBy(found.command, definition.program));
  checkWords(found, definition.program.name);
  const { isServer = false } = found.command;
  const wantsLog = isServer || Boolean(terminal.env[findVariable(definition.program.app, 'log')]?.trim());
  const live = isServer ? await loadLive() : undefined;
  const app = await openApp(definition, terminal, line, { isServer, live, ...(wantsLog ? {} : { log: notes.log }) });
  try {
    const run = await found.command.load();
    return await run({ definition, terminal, words: found.words, options: line.options, serverArgs: line.serverArgs, app });
  } catch (error) {
    throw withConnection(toFailure(error), found);
  } finally {
    await app.dispose();
  }
}

/** Hints name the connection that the command was for. */
function withConnection(failure: Failure, { command, words: [connection] }: Found): Failure {
  if (connection === undefined || !command.takes?.startsWith('CONNECTION')) return failure;
  return failureWith(failure, { detail: { ...failure.detail, connection } });
}

async function openApp<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  terminal: Terminal,
  line: Line,
  more: { log?: Log; url?: string | undefined; isServer?: boolean; live?: Awaited<ReturnType<typeof loadLive>> | undefined },
) {
  const { env, cwd, home } = terminal;
  const options = { env, cwd, home, settings: line.settings, readonly: line.readonly, ...more };
  const [queries, recorder] = await Promise.all([
    loadQueries(definition, options),
    loadRecorder(definition.program, { ...options, tag: line.tag, isServer: more.isServer !== false }),
  ]);
  return createApp(definition, { ...options, queries, recorder });
}

/** The server can be given a database at once instead of a command. */
function findPlace([word = '', ...others]: readonly string[], program: { opensFiles?: boolean }): string | undefined {
  return others.length === 0 && isPlace(word, program) ? word : undefined;
}

/** The words and options of the command line. */
interface Line {
  words: readonly string[];
  /** The names of all options. */
  given: readonly string[];
  help: boolean;
  version: boolean;
  readonly: boolean;
  tag: boolean;
  projects: boolean;
  /** Where to take the fronts of `--shared`. */
  socket: string | undefined;
  settings: Settings;
  options: CommandOptions;
  serverArgs: readonly string[];
}

function parse({ argv, env, cwd }: Terminal, program: ServerOptionsOf & CommandsOf & { app: string }): Line {
  const { settings, flags } = listServerOptions(program);
  const { values, positionals } = parseWords(
    completeFlags(argv, flags),
    {
      ...Object.fromEntries(settings.map((setting) => [setting.name, describeSetting(setting)])),
      ...Object.fromEntries(flags.map((flag) => [flag.name, describeFlag(flag)])),
      ...Object.fromEntries(
        Object.entries(commandOptions).map(([name, { form: _form, help: _help, ...known }]) => [name, known]),
      ),
      ...ownOptions,
    },
    () => findHelp(argv, listCommands(program)),
  );
  const isHelp = positionals[0] === 'help';
  // The server's own flags are acted on before this; here their words and variables are checked.
  for (const flag of flags) readFlag(flag, { app: program.app, given: false, env });
  const readGiven = (flag: ProgramFlag) => readFlagState(flag, { app: program.app, given: values[flag.name], env: {} });
  const readText = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  return {
    words: isHelp ? positionals.slice(1) : positionals,
    given: Object.keys(values),
    help: isHelp || values.help === true,
    version: values.version === true,
    readonly: values[readonlyFlag.name] === true,
    tag: values[tagFlag.name] === true,
    projects: readFlag(stdioFlags.projects, { app: program.app, given: values.projects === true, env }),
    socket: readText('shared-socket'),
    settings: Object.fromEntries(settings.map(({ name }) => [name, joinValues(values[name])])),
    options: listOptions(values),
    serverArgs: [
      ...flags.flatMap((flag) => formatFlag(flag, readGiven(flag))),
      ...settings.flatMap((setting) => readArgs(setting, joinValues(values[setting.name]), cwd)),
    ],
  };
}

/** A path is written so that it means the same wherever the program is started. */
function readArgs(setting: ProgramSetting, value: string | undefined, cwd: string): string[] {
  return value === undefined ? [] : [`--${setting.name}`, resolveSetting(setting, value, cwd)];
}

function listOptions(values: Readonly<Record<string, unknown>>): CommandOptions {
  // The parser gives each its declared type.
  return Object.fromEntries(
    Object.keys(commandOptions).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}

type KnownOptions = Record<string, { type: 'string' | 'boolean'; short?: string; multiple?: boolean }>;

function parseWords(argv: readonly string[], options: KnownOptions, help: () => string) {
  try {
    return parseArgs({ args: joinToolNames(argv), options, allowPositionals: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error), { known: Object.keys(options), help: help() });
  }
}

/** The help that explains the options of a command line: that of its command, or of the program. */
function findHelp(argv: readonly string[], commands: readonly Command[]): string {
  const words = `${argv.join(' ')} `;
  const command = commands.find(({ name }) => words.startsWith(`${name} `));
  return command === undefined ? '--help' : `help ${command.name}`;
}

type ServerOptionsOf = Pick<ProgramDefinition<never>, 'settings' | 'flags'>;

function listServerOptions(program: ServerOptionsOf) {
  return {
    settings: [...serverSettings, ...(program.settings ?? [])],
    flags: [...serverFlags, ...(program.flags ?? []), ...Object.values(stdioFlags)],
  };
}

function listNames({ settings, flags }: ReturnType<typeof listServerOptions>): string[] {
  return [...settings, ...flags].map(({ name }) => name);
}

/** All that a command has a use for. */
function takenBy({ options = [], server = [] }: Command, program: ServerOptionsOf): readonly string[] {
  if (server === 'all') return [...options, ...listNames(listServerOptions(program))];
  if (server === 'serving')
    return [...options, ...listNames(listServerOptions(program)).filter((name) => !stdioOptions.includes(name))];
  const flags = server.includes('flags') ? (program.flags ?? []).map(({ name }) => name) : [];
  return [...options, ...server, ...flags];
}

/** `name` is the command that accepts them. */
function refuseOptions({ given }: Line, name: string, allowed: readonly string[]): void {
  const foreign = given.find((option) => !allowed.includes(option));
  if (foreign === undefined) return;
  const run = name === 'the server' ? '--help' : `help ${name}`;
  throw new Failure('input', `${name} does not take --${foreign}`, { hint: { run, to: 'see its options' } });
}

function formatFailure(failure: Failure, program: string): string {
  const { code, message, nearest, position, excerpt } = failure;
  const said = position === undefined || excerpt !== undefined ? message : `${message} (at character ${position})`;
  const shown = excerpt === undefined ? undefined : `  ${excerpt.text}\n  ${' '.repeat(excerpt.column)}^`;
  const meant = nearest.length === 0 ? undefined : `Did you mean ${nearest.join(' or ')}?`;
  const lines = [`${code}: ${said}`, shown, meant, formatHint(failure.next, { program, connection: failure.detail.connection })];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** The parser names the option at the start of its message. */
function usage(message: string, { known, help }: { known: readonly string[]; help: string }): Failure {
  const hint = { run: help, to: 'see the options' };
  const [, unknown] = /^Unknown option '(--?[^']+)'/.exec(message) ?? [];
  if (unknown !== undefined) {
    const nearest = nearestNames(unknown.replace(/^-+/, ''), known).map((name) => `--${name}`);
    return new Failure('input', `unknown option ${unknown}`, { nearest, hint });
  }
  const [, valued, missing] = /^Option '(?:-\w, )?(--?[\w-]+)(?: <value>)?' argument (missing|is ambiguous)/.exec(message) ?? [];
  const form = missing === 'missing' ? '' : `; one that begins with - is written ${valued}=VALUE`;
  const text = valued === undefined ? (message.split('. ')[0] ?? '') : `${valued} needs a value${form}`;
  return new Failure('input', text, { hint });
}

function show(terminal: Terminal, text: string): number {
  terminal.print(text);
  return exitCodes.ok;
}
