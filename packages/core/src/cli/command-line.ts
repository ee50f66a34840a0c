import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BaseConnection } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { nearestNames } from '../nearest.ts';
import { type App, createApp, type Leaf } from '../program/app.ts';
import { serve } from '../program/serve.ts';
import { readFlag, readonlyFlag, type Settings, serverSettings } from '../program/settings.ts';
import { type Command, type CommandOption, type CommandOptions, commandOptions } from './command.ts';
import { commands } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import type { Described } from './help.ts';
import { formatPersonHint } from './person-hint.ts';
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
  try {
    const line = parse(terminal, leaf);
    if (line.help) return show(terminal, (await import('./help.ts')).helpText(leaf));
    if (line.version) return show(terminal, leaf.version);
    const [name, ...words] = line.words;
    const command = name === undefined ? undefined : findCommand(name, line);
    const open = () => openApp(leaf, terminal, line);
    if (command !== undefined) return await runCommand({ command, leaf, terminal, words, line, open });
    const app = open();
    serve({ toolServer: app.toolServer, log: app.log, dispose: app.dispose });
    return undefined;
  } catch (error) {
    const failure = toFailure(error);
    terminal.printError(`${leaf.name}: ${formatFailure(failure, leaf.name)}`);
    return failure.kind === 'input' ? exitCodes.usage : exitCodes.failed;
  }
}

interface CommandRequest<C extends BaseConnection, B extends Backend> {
  command: Command;
  leaf: Leaf<C, B>;
  terminal: Terminal;
  words: readonly string[];
  line: Line;
  open(): App<C, B>;
}

async function runCommand<C extends BaseConnection, B extends Backend>(request: CommandRequest<C, B>): Promise<number> {
  const { command, leaf, terminal, words, line, open } = request;
  const run = await command.load();
  let app: App<C, B> | undefined;
  const opened = () => {
    app ??= open();
    return app;
  };
  try {
    return await run({ leaf, terminal, words, options: line.options, serverArgs: line.serverArgs, app: opened });
  } finally {
    await app?.dispose();
  }
}

function openApp<C extends BaseConnection, B extends Backend>(leaf: Leaf<C, B>, terminal: Terminal, line: Line): App<C, B> {
  const { env, cwd, home } = terminal;
  return createApp(leaf, { env, cwd, home, settings: line.settings, readonly: line.readonly });
}

/** What stood on the command line. */
interface Line {
  words: readonly string[];
  help: boolean;
  version: boolean;
  readonly: boolean;
  settings: Settings;
  options: CommandOptions;
  serverArgs: readonly string[];
}

function parse({ argv, env, cwd }: Terminal, leaf: Pick<Described, 'app' | 'settings' | 'flags'>): Line {
  const settings = [...serverSettings, ...(leaf.settings ?? [])];
  const flags = [readonlyFlag, ...(leaf.flags ?? [])];
  const { values, positionals } = parseWords(argv, {
    ...Object.fromEntries(settings.map(({ name }) => [name, { type: 'string' }])),
    ...Object.fromEntries(flags.map(({ name }) => [name, { type: 'boolean' }])),
    ...commandOptions,
    ...ownOptions,
  });
  // Whoever starts the leaf acts on its own flags; here their variables are checked.
  for (const flag of flags) readFlag(flag, { app: leaf.app, given: false, env });
  const textOf = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  return {
    words: positionals,
    help: values.help === true,
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
    throw usage(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function findCommand(name: string, { options }: Line): Command {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    const nearest = nearestNames(
      name,
      commands.map((one) => one.name),
    );
    throw usage(`no command is called ${JSON.stringify(name)}`, nearest);
  }
  const foreign = Object.keys(options).find((option) => !command.options.some((own: CommandOption) => own === option));
  if (foreign !== undefined) throw usage(`${name} does not take --${foreign}`);
  return command;
}

function formatFailure({ message, nearest, hint }: Failure, program: string): string {
  const meant = nearest.length === 0 ? undefined : `Did you mean ${nearest.join(' or ')}?`;
  const lines = [message, meant, hint === undefined ? undefined : formatPersonHint(hint, program)];
  return lines.filter((line) => line !== undefined).join('\n');
}

function usage(message: string, nearest: string[] = []): Failure {
  return new Failure('input', message, { nearest, hint: 'Run it with --help to see what it takes.' });
}

function show(terminal: Terminal, text: string): number {
  terminal.print(text);
  return exitCodes.ok;
}
