import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import type { BaseConnection } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { allow } from './allow.ts';
import { createApp, type Leaf } from './app.ts';
import { serve } from './serve.ts';
import { type LeafSetting, type Settings, variableOf } from './settings.ts';

/** What a command needs of the world; a test hands in its own. */
export interface Terminal {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
  print(text: string): void;
  printError(text: string): void;
  /** A person's answer, or undefined when nobody can be asked. */
  ask(question: string): Promise<string | undefined>;
}

const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

const options = {
  config: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** The program: serves when no command is named. Answers the exit code, or undefined while it serves. */
export async function runLeaf<C extends BaseConnection, B extends Backend>(
  leaf: Leaf<C, B>,
  terminal: Terminal,
): Promise<number | undefined> {
  try {
    const { values, settings, positionals } = parse(terminal.argv, leaf);
    if (values.help) return show(terminal, helpText(leaf));
    if (values.version) return show(terminal, leaf.version);
    const [command, ...rest] = positionals;
    if (command === 'allow') return await allow(leaf, { terminal, file: rest[0], yes: values.yes === true });
    if (command !== undefined) throw usage(`no command is called ${JSON.stringify(command)}`);
    const { env, cwd, home } = terminal;
    const app = createApp(leaf, { env, cwd, home, configPath: values.config, settings });
    serve({ toolServer: app.toolServer, log: app.log, dispose: app.dispose });
    return undefined;
  } catch (error) {
    const failure = toFailure(error);
    terminal.printError(`${leaf.name}: ${failure.message}${failure.hint === undefined ? '' : `\n${failure.hint}`}`);
    return failure.kind === 'input' ? exitCodes.usage : exitCodes.failed;
  }
}

function parse(argv: readonly string[], leaf: Pick<Described, 'settings' | 'flags'>) {
  const { settings: own = [], flags = [] } = leaf;
  const settings = Object.fromEntries(own.map(({ name }) => [name, { type: 'string' as const }]));
  const switches = Object.fromEntries(flags.map(({ name }) => [name, { type: 'boolean' as const }]));
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { ...settings, ...switches, ...options },
      allowPositionals: true,
    });
    // The names of the leaf's own are known only now; each takes a text.
    const given: Settings = Object.fromEntries(own.map(({ name }) => [name, Reflect.get(values, name)]));
    return { values, settings: given, positionals };
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function usage(message: string): Failure {
  return new Failure('input', message, { hint: 'Run it with --help to see what it takes.' });
}

function show(terminal: Terminal, text: string): number {
  terminal.print(text);
  return exitCodes.ok;
}

interface Described {
  name: string;
  version: string;
  app: string;
  summary: string;
  settings?: readonly LeafSetting[];
  flags?: readonly { name: string; help: string }[];
}

function helpText(leaf: Described): string {
  const prefix = leaf.app.toUpperCase();
  const settings = leaf.settings ?? [];
  const words = [...settings.map(({ name, value, help }) => ({ word: `${name} ${value}`, help })), ...flagsOf(leaf)];
  const options = words.map(({ word, help }) => `\n  ${`--${word}`.padEnd(17)} ${help}`);
  const variables = settings.map(({ name }) => `\n  ${variableOf(leaf.app, name).padEnd(21)} like --${name}`);
  return `${leaf.name} ${leaf.version}: ${leaf.summary}

Usage
  ${leaf.name} [--config FILE]    serve MCP over stdin and stdout
  ${leaf.name} allow [FILE]       let the project file found here, or FILE, name connections

Options
  --config FILE     read connections from FILE instead of a .${leaf.app}.json found upward${options.join('')}
  --yes             with allow: do not ask
  -h, --help        this text
  -v, --version     the version

Environment
  ${prefix}_CONNECTIONS    connections as a JSON list; wins over every file
  ${prefix}_STORE          the file that add_connection writes to
  ${prefix}_LOG            error, warn, info (default) or debug; the log goes to stderr${variables.join('')}`;
}

function flagsOf({ flags = [] }: Described): { word: string; help: string }[] {
  return flags.map(({ name, help }) => ({ word: name, help }));
}

/** The real terminal of this process. */
export function processTerminal(): Terminal {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    print: (text) => void process.stdout.write(`${text}\n`),
    printError: (text) => void process.stderr.write(`${text}\n`),
    ask: askPerson,
  };
}

async function askPerson(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
