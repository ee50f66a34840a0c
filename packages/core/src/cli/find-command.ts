import { Failure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { Command } from './command.ts';

/** Of a word that stands for several commands when it stands alone. */
const alone: Readonly<Record<string, string>> = { connections: 'list' };

export interface Found {
  command: Command;
  /** What stood behind its name. */
  words: readonly string[];
}

export function findCommand(words: readonly string[], commands: readonly Command[]): Found {
  const [first = '', second = alone[first]] = words;
  const whole = commands.find(({ name }) => name === first);
  if (whole !== undefined) return { command: whole, words: words.slice(1) };
  const command = commands.find(({ name }) => name === `${first} ${second}`);
  if (command !== undefined) return { command, words: words.slice(2) };
  const members = membersOf(first, commands);
  throw members.length === 0 ? unknownCommand(first, commands) : unknownMember(first, { member: second ?? '', members });
}

/** One command, or all that begin with the word. */
export function matchingCommands(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  const [first = ''] = words;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  return words.length === 1 && group.length > 0 ? group : [findCommand(words, commands).command];
}

/** Nothing is let pass that the command would not look at. */
export function checkWords({ command, words }: Found, program: string): void {
  const { name, takes = '', words: [least, most] = [0, 0] } = command;
  const hint = `Write \`${program} ${`${name} ${takes}`.trim()}\`.`;
  if (words.length < least) throw new Failure('input', `${name} needs ${takes}`, { hint });
  const extra = words[most];
  if (extra === undefined) return;
  const what = most === 0 ? 'nothing' : most === 1 ? 'one word' : `${most} words`;
  throw new Failure('input', `${name} takes ${what} behind it, and ${JSON.stringify(extra.slice(0, 60))} is too much`, { hint });
}

function unknownCommand(name: string, commands: readonly Command[]): Failure {
  const names = [...new Set(commands.map((one) => one.name.split(' ')[0] ?? ''))];
  return new Failure('input', `no command is called ${JSON.stringify(name)}`, {
    nearest: nearestNames(name, names),
    hint: 'Run it with --help to see what it takes.',
  });
}

function unknownMember(group: string, { member, members }: { member: string; members: readonly string[] }): Failure {
  return new Failure('input', `${group} does not know ${JSON.stringify(member)}`, {
    nearest: nearestNames(member, members),
    hint: `There are ${members.join(', ')}.`,
  });
}

function membersOf(group: string, commands: readonly Command[]): string[] {
  return commands.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}
