import { type LeafFlag, type LeafSetting, readonlyFlag, serverSettings, variableOf } from '../program/settings.ts';
import { keysAt } from '../registry/schema-fields.ts';
import { type Command, commandOptions } from './command.ts';
import { type CommandsOf, commandsOf } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import { matchingCommands } from './find-command.ts';
import { clients } from './install/clients.ts';

export interface Described extends CommandsOf {
  name: string;
  version: string;
  app: string;
  summary: string;
  settings?: readonly LeafSetting[];
  flags?: readonly LeafFlag[];
  /** Of a whole connection. */
  schema: Parameters<typeof keysAt>[0];
}

type Line = readonly [left: string, right: string];

const exitLines: readonly Line[] = [
  [`${exitCodes.ok}`, 'done; `doctor` and `connections test`: everything answers'],
  [`${exitCodes.failed}`, 'failed, or a person said no; the reason is on stderr'],
  [`${exitCodes.usage}`, 'the words or options are wrong'],
];

export function helpText(leaf: Described): string {
  const { name, version, app, summary } = leaf;
  const settings = [...serverSettings, ...(leaf.settings ?? [])];
  const flags = [readonlyFlag, ...(leaf.flags ?? [])];
  const prefix = app.toUpperCase();
  const commands = commandsOf(leaf);
  const usage: Line[] = [
    [name, 'serve MCP over stdin and stdout'],
    ...commands.map((command): Line => [formOf(command, name), command.about]),
    [`${name} help COMMAND`, 'more about one of these'],
  ];
  const options: Line[] = [
    ...settings.map((one): Line => [`--${one.name} ${one.value}`, one.help]),
    ...flags.map((one): Line => [`--${one.name}`, one.help]),
    ...commandOptionLines(commands),
    ['-h, --help', 'this text; behind a command, its own'],
    ['-v, --version', 'the version'],
  ];
  const variables: Line[] = [
    [`${prefix}_CONNECTIONS`, 'connections as a JSON list; wins over every file'],
    [`${prefix}_STORE`, 'the file that add_connection writes to'],
    [`${prefix}_LOG`, 'error, warn, info (default) or debug; the log goes to stderr'],
    ...[...settings, ...flags].map((one): Line => [variableOf(app, one.name), `like --${one.name}`]),
  ];
  const sections = { Usage: usage, Options: options, Environment: variables, 'Exit codes': exitLines };
  return formatSections(`${name} ${version}: ${summary}`, sections);
}

/** What one command takes, or each of those that begin with the word. */
export function commandHelp(leaf: Described, words: readonly string[]): string {
  const commands = matchingCommands(words, commandsOf(leaf));
  const [command, ...others] = commands;
  if (command === undefined || others.length > 0) {
    const usage = commands.map((one): Line => [formOf(one, leaf.name), one.about]);
    return formatSections(`${leaf.name} ${words[0]}`, { Usage: usage });
  }
  const isFields = command.takes?.includes('KEY=VALUE') || command.about.includes('KEY=VALUE');
  const keys = isFields ? keysAt(leaf.schema, []).filter((key) => key !== 'name') : [];
  return formatSections(`${leaf.name} ${command.name}: ${command.about}`, {
    Usage: [[formOf(command, leaf.name), '']],
    Keys: keys.length === 0 ? [] : [[keys.join(', '), '']],
    Clients: command.takes === 'CLIENT' ? [[clients.map(({ id }) => id).join(', '), '']] : [],
    Options: optionsOf(command, leaf),
    Example: [[`${leaf.name} ${command.example}`, '']],
  });
}

function formOf({ name, takes = '' }: Command, program: string): string {
  return `${program} ${name} ${takes}`.trimEnd();
}

function optionsOf({ options = [], server = [] }: Command, leaf: Described): Line[] {
  const heeds = (name: ServerName) => server === 'all' || server.includes(name);
  const settings = [...serverSettings, ...(server === 'all' ? (leaf.settings ?? []) : [])];
  const flags = [...(heeds('readonly') ? [readonlyFlag] : []), ...(heeds('flags') ? (leaf.flags ?? []) : [])];
  return [
    ...options.map((name): Line => [commandOptions[name].form, commandOptions[name].help]),
    ...settings
      .filter(({ name }) => server === 'all' || server.some((one) => one === name))
      .map((one): Line => [`--${one.name} ${one.value}`, server === 'all' ? one.help : (ownHelp[one.name] ?? one.help)]),
    ...flags.map((one): Line => [`--${one.name}`, one.help]),
  ];
}

/** Where a command means something else than a server that runs for days. */
const ownHelp: Readonly<Record<string, string>> = { timeout: 'give up after this time: 30s, 500ms, 5m' };

type ServerName = 'readonly' | 'flags';

function commandOptionLines(commands: readonly Command[]): Line[] {
  return Object.entries(commandOptions).flatMap(([name, { form, help }]): Line[] => {
    const takers = commands.filter(({ options = [] }) => options.some((one) => one === name));
    if (takers.length === 0) return [];
    const who = takers.length === 1 ? takers[0]?.name : 'a command that asks';
    return [[form, `with ${who}: ${help}`]];
  });
}

function formatSections(title: string, sections: Readonly<Record<string, readonly Line[]>>): string {
  const texts = Object.entries(sections)
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => `${name}\n${formatLines(lines)}`);
  return [title, ...texts].join('\n\n');
}

/** Two columns. */
function formatLines(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`.trimEnd()).join('\n');
}
