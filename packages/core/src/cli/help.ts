import { type LeafFlag, type LeafSetting, readonlyFlag, serverSettings, variableOf } from '../program/settings.ts';
import { commands } from './commands.ts';

export interface Described {
  name: string;
  version: string;
  app: string;
  summary: string;
  settings?: readonly LeafSetting[];
  flags?: readonly LeafFlag[];
}

export function helpText(leaf: Described): string {
  const { name, version, app, summary } = leaf;
  const settings = [...serverSettings, ...(leaf.settings ?? [])];
  const flags = [readonlyFlag, ...(leaf.flags ?? [])];
  const prefix = app.toUpperCase();
  const usage = [
    [name, 'serve MCP over stdin and stdout'],
    ...commands.flatMap(({ forms }) => forms.map(([form, about]) => [`${name} ${form}`, about])),
  ];
  const options = [
    ...settings.map((one) => [`--${one.name} ${one.value}`, one.help]),
    ...flags.map((one) => [`--${one.name}`, one.help]),
    ['--format FORMAT', 'with query: table, csv or json'],
    ['--limit ROWS', 'with query: how many at most'],
    ['--database NAME', 'with query: another one than configured'],
    ['-y, --yes', 'with a command that asks: do not ask'],
    ['-h, --help', 'this text'],
    ['-v, --version', 'the version'],
  ];
  const variables = [
    [`${prefix}_CONNECTIONS`, 'connections as a JSON list; wins over every file'],
    [`${prefix}_STORE`, 'the file that add_connection writes to'],
    [`${prefix}_LOG`, 'error, warn, info (default) or debug; the log goes to stderr'],
    ...[...settings, ...flags].map((one) => [variableOf(app, one.name), `like --${one.name}`]),
  ];
  const sections = { Usage: usage, Options: options, Environment: variables };
  const texts = Object.entries(sections).map(([title, lines]) => `${title}\n${formatLines(lines)}`);
  return [`${name} ${version}: ${summary}`, ...texts].join('\n\n');
}

/** Two columns. */
function formatLines(lines: readonly (readonly string[])[]): string {
  const width = Math.max(...lines.map(([left = '']) => left.length));
  return lines.map(([left = '', right = '']) => `  ${left.padEnd(width)}   ${right}`).join('\n');
}
