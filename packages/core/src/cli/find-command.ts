import { Failure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { Command } from './command.ts';

/** What a word means that begins several commands, when it is the only one. */
const alone: Readonly<Record<string, string>> = { connections: 'list', queries: 'list' };

export interface Found {
  command: Command;
  /** The words after its name. */
  words: readonly string[];
}

/** What other programs call them. */
const aliases: Readonly<Record<string, string>> = { ls: 'list', rm: 'remove', delete: 'remove', edit: 'update', mv: 'rename' };

export function findCommand(words: readonly string[], commands: readonly Command[]): Found {
  const [first = '', typed = alone[first]] = words;
  const second = typed !== undefined && Object.hasOwn(aliases, typed) ? aliases[typed] : typed;
  const whole = commands.find(({ name }) => name === first);
  if (whole !== undefined) return { command: whole, words: words.slice(1) };
  const command = commands.find(({ name }) => name === `${first} ${second}`);
  if (command !== undefined) return { command, words: words.slice(2) };
  const members = listMembers(first, commands);
  throw members.length === 0 ? unknownCommand(first, commands) : unknownMember(first, { member: typed ?? '', members });
}

/** One command, or all that begin with the word. */
export function matchingCommands(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  const [first = ''] = words;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  return words.length === 1 && group.length > 0 ? group : [findCommand(words, commands).command];
}

/** Throws for arguments that the command would ignore. */
export function checkWords({ command, words }: Found, program: string): void {
  const { name, takes = '', words: [least, most] = [0, 0] } = command;
  const [needed = ''] = takes.split('[');
  const hint = { cli: `Usage: ${program} ${name} ${takes}`.trim() };
  if (words.length < least) throw new Failure('input', `missing ${needed.trim()} after ${name}`, { hint });
  const extra = words[most];
  if (extra === undefined) return;
  throw new Failure('input', `unexpected argument ${JSON.stringify(extra.slice(0, 60))} after ${name}`, { hint });
}

function unknownCommand(name: string, commands: readonly Command[]): Failure {
  const names = [...new Set(commands.map((one) => one.name.split(' ')[0] ?? ''))];
  return new Failure('input', `unknown command ${JSON.stringify(name.slice(0, 60))}`, {
    nearest: nearestNames(name, names),
    hint: { run: '--help', to: 'list the commands' },
  });
}

function unknownMember(group: string, { member, members }: { member: string; members: readonly string[] }): Failure {
  return new Failure('input', `unknown subcommand ${JSON.stringify(member.slice(0, 60))} of ${group}`, {
    nearest: nearestNames(member, members),
    hint: `Use ${members.join(', ')}.`,
  });
}

function listMembers(group: string, commands: readonly Command[]): string[] {
  return commands.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}
