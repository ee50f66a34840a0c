import {
  findVariable,
  type ProgramFlag,
  type ProgramSetting,
  readonlyFlag,
  serverFlags,
  serverSettings,
  stdioFlags,
  stdioOptions,
  tagFlag,
} from '../program/settings.ts';
import { keysAt } from '../registry/schema-fields.ts';
import { type Command, commandOptions, exitCodes } from './command.ts';
import { type CommandsOf, listCommands } from './commands.ts';
import { matchingCommands } from './find-command.ts';
import { clients } from './install/clients.ts';

interface Described extends CommandsOf {
  name: string;
  version: string;
  app: string;
  summary: string;
  settings?: readonly ProgramSetting[];
  flags?: readonly ProgramFlag[];
  /** The schema of a whole connection. */
  schema: Parameters<typeof keysAt>[0];
}

type Line = readonly [left: string, right: string];

const exitLines: readonly Line[] = [
  [`${exitCodes.ok}`, 'success; for `doctor` and `connections test`: every connection works'],
  [`${exitCodes.failed}`, 'failure, or you answered no; the reason is on stderr'],
  [`${exitCodes.usage}`, 'wrong usage'],
];

export function helpText(program: Described): string {
  const { name, version, app, summary } = program;
  const settings = [...serverSettings, ...(program.settings ?? [])];
  const flags = [...serverFlags, ...(program.flags ?? []), ...Object.values(stdioFlags)];
  const prefix = app.toUpperCase();
  const commands = listCommands(program);
  const usage: Line[] = [
    [name, 'serve MCP over stdin and stdout'],
    ...commands.map((command): Line => [formatForm(command, name), command.about]),
    [`${name} help COMMAND`, 'explain one of these commands'],
  ];
  const options: Line[] = [
    ...settings.map((one): Line => [`--${one.name} ${one.value}`, one.help]),
    ...flags.map((one): Line => [`--${one.name}`, one.help]),
    ...commandOptionLines(commands),
    ['-h, --help', 'show this help, or that of a command'],
    ['-v, --version', 'show the version'],
  ];
  const variables: Line[] = [
    [`${prefix}_CONNECTIONS`, 'connections as a JSON list; wins over every file'],
    [`${prefix}_STORE`, 'the file that add_connection writes to'],
    [`${prefix}_LOG`, 'error, warn, info (default) or debug; the log goes to stderr'],
    ...[...settings, ...flags].map((one): Line => [findVariable(app, one.name), `like --${one.name}`]),
  ];
  const sections = { Usage: usage, Options: options, Environment: variables, 'Exit codes': exitLines };
  return formatSections(`${name} ${version}: ${summary}`, sections);
}

/** What one command takes, or each of those that begin with the word. */
export function commandHelp(program: Described & { sources: readonly string[] }, words: readonly string[]): string {
  const commands = matchingCommands(words, listCommands(program));
  const [command, ...others] = commands;
  if (command === undefined || others.length > 0) {
    const usage = commands.map((one): Line => [formatForm(one, program.name), one.about]);
    return formatSections(`${program.name} ${words[0]}`, { Usage: usage });
  }
  const isFields = command.takes?.includes('KEY=VALUE') || command.about.includes('KEY=VALUE');
  const fields = isFields ? keysAt(program.schema, []).filter((key) => key !== 'name') : [];
  return formatSections(`${program.name} ${command.name}: ${command.about}`, {
    Usage: [[formatForm(command, program.name), '']],
    Fields: fields.length === 0 ? [] : [[fields.join(', '), '']],
    Clients: command.takes?.includes('CLIENT') ? [[clients.map(({ id }) => id).join(', '), '']] : [],
    Sources: command.takes === '[SOURCE]' ? [[program.sources.join(', '), '']] : [],
    Options: listOptions(command, program),
    Example: [[`${program.name} ${command.example}`, '']],
  });
}

function formatForm({ name, takes = '' }: Command, program: string): string {
  return `${program} ${name} ${takes}`.trimEnd();
}

function listOptions({ options = [], server = [] }: Command, program: Described): Line[] {
  const isWhole = server === 'all' || server === 'serving';
  const heeds = (name: ServerName) => isWhole || server.includes(name);
  const settings = [...serverSettings, ...(isWhole ? (program.settings ?? []) : [])];
  const flags = [
    ...(heeds('readonly') ? [readonlyFlag] : []),
    ...(isWhole ? [tagFlag] : []),
    ...(heeds('flags') ? (program.flags ?? []) : []),
    ...(server === 'all' ? Object.values(stdioFlags) : []),
  ];
  return [
    ...options.map((name): Line => [commandOptions[name].form, commandOptions[name].help]),
    ...settings
      .filter(({ name }) => server === 'all' || (isWhole && !stdioOptions.includes(name)) || [...server].includes(name))
      .map((one): Line => [`--${one.name} ${one.value}`, isWhole ? one.help : (ownHelp[one.name] ?? one.help)]),
    ...flags.map((one): Line => [`--${one.name}`, one.help]),
  ];
}

/** Where a command means something else than a server that runs for days. */
const ownHelp: Readonly<Record<string, string>> = { timeout: 'give up after this time: 30s, 500ms, 5m' };

type ServerName = 'readonly' | 'flags';

/** What the commands have in common that take an option, where they are many. */
const groups: Readonly<Record<string, string>> = { yes: 'the commands that ask', project: 'the commands that write files' };

function commandOptionLines(commands: readonly Command[]): Line[] {
  return Object.entries(commandOptions).flatMap(([name, { form, help }]): Line[] => {
    const takers = commands.filter(({ options = [] }) => options.some((one) => one === name));
    // A server has many of its own, which `help serve` explains.
    if (takers.every(({ isServer }) => isServer)) return [];
    const who = takers.length > 3 ? (groups[name] ?? 'the commands that read') : takers.map((one) => one.name).join(', ');
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
