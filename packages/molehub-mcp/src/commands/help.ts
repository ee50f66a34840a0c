import { findVariable } from '@dbmole/core/settings';
import { files, flags, program, settings } from '../options.ts';
import { commands, type HubCommand } from './commands.ts';

type Line = readonly [left: string, right: string];

const commandOptions: Readonly<Record<string, Line>> = {
  yes: ['-y, --yes', 'do not prompt'],
  project: ['--project', "the client's file of this project instead of your own"],
  keep: ['--keep', "leave the client's other servers where they are"],
};
const sharedLine: Line = ['--shared', 'share one process with the other sessions of this project'];

export function formatHelp(): string {
  const { app, name, version, summary } = program;
  const optionLines: Line[] = [
    ...settings.map((one): Line => [`--${one.name} ${one.value}`, one.help]),
    ...flagLines(),
    sharedLine,
  ];
  const sections: Record<string, readonly Line[]> = {
    Usage: [
      [name, 'serve MCP over stdin and stdout'],
      ...commands.map((one): Line => [`${name} ${one.name} ${one.takes}`.trimEnd(), one.about]),
      [`${name} help COMMAND`, 'explain one of these commands'],
    ],
    Options: [...optionLines, ['-h, --help', 'show this help, or that of a command'], ['-v, --version', 'the version']],
    'Files, strongest first': [
      ['FILE of --config', ''],
      [files.project, 'of the project, after `allow`'],
      [`~/.config/${app}/${files.store}`, 'your own'],
    ],
    Environment: [
      [findVariable(app, 'store'), 'path of your own file'],
      [findVariable(app, 'log'), 'error, warn, info (default) or debug; the log goes to stderr'],
      ...[...settings, ...flags, { name: 'shared' }].map((one): Line => [findVariable(app, one.name), `like --${one.name}`]),
    ],
    'Exit codes': [
      ['0', 'success'],
      ['1', 'failure, or you answered no; the reason is on stderr'],
      ['2', 'wrong usage'],
    ],
  };
  return formatSections(`${name} ${version}: ${summary}`, sections);
}

export function formatCommandHelp(command: HubCommand): string {
  const own = command.options.flatMap((name): Line[] => {
    const line =
      commandOptions[name] ?? flagLines().find(([left]) => left === `--${name}`) ?? (name === 'shared' ? sharedLine : undefined);
    const setting = settings.find((one) => one.name === name);
    if (line !== undefined) return [line];
    return setting === undefined ? [] : [[`--${name} ${setting.value}`, setting.help]];
  });
  const [config] = settings.map((one): Line => [`--${one.name} ${one.value}`, one.help]);
  return formatSections(`${program.name} ${command.name}: ${command.about}`, {
    Usage: [[`${program.name} ${command.name} ${command.takes}`.trimEnd(), '']],
    Options: [...own, ...(config === undefined ? [] : [config])],
    Example: [[`${program.name} ${command.example}`, '']],
  });
}

function flagLines(): Line[] {
  return flags.map((one): Line => [`--${one.name}`, one.help]);
}

function formatSections(title: string, sections: Readonly<Record<string, readonly Line[]>>): string {
  const texts = Object.entries(sections).map(([name, lines]) => `${name}\n${formatLines(lines)}`);
  return [title, ...texts].join('\n\n');
}

function formatLines(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`.trimEnd()).join('\n');
}
