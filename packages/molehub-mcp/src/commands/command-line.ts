import { parseArgs } from 'node:util';
import { Failure, formatHint, nearestNames, processTerminal, type Terminal, toFailure } from '@dbmole/core';
import { flags, program, settings } from '../options.ts';
import { readStartOptions } from '../start-options.ts';
import { commands, type HubCommand } from './commands.ts';
import { formatCommandHelp, formatHelp } from './help.ts';

const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

const known = {
  ...Object.fromEntries(settings.map(({ name }) => [name, { type: 'string' as const }])),
  ...Object.fromEntries([...flags, { name: 'shared' }].map(({ name }) => [name, { type: 'boolean' as const }])),
  help: { type: 'boolean' as const, short: 'h' },
  version: { type: 'boolean' as const, short: 'v' },
  yes: { type: 'boolean' as const, short: 'y' },
  project: { type: 'boolean' as const },
  keep: { type: 'boolean' as const },
  // A front passes this to the process that it starts; no person does.
  'shared-socket': { type: 'string' as const },
};

/** Everything but a plain server. Answers the exit code, or undefined while it serves. */
export async function runCommandLine(terminal: Terminal = processTerminal()): Promise<number | undefined> {
  try {
    return await run(terminal);
  } catch (error) {
    const failure = toFailure(error);
    const meant = failure.nearest.length === 0 ? [] : [`Did you mean ${failure.nearest.join(' or ')}?`];
    const next = formatHint(failure.next, { program: program.name });
    terminal.printError([`${program.name}: ${failure.code}: ${failure.message}`, ...meant, ...(next ? [next] : [])].join('\n'));
    return failure.kind === 'input' ? exitCodes.usage : exitCodes.failed;
  }
}

async function run(terminal: Terminal): Promise<number | undefined> {
  const { values, positionals } = parse(terminal.argv);
  const [word, ...words] = positionals;
  if (values.version === true) return show(terminal, program.version);
  if (word === undefined && values.help === true) return show(terminal, formatHelp());
  const options = readStartOptions(values, terminal);
  const socket = values['shared-socket'];
  if (typeof socket === 'string') {
    const { serveSharedHub } = await import('./serve-shared-hub.ts');
    await serveSharedHub(options, socket);
    return undefined;
  }
  if (word === undefined) return show(terminal, formatHelp());
  const isHelp = word === 'help' || values.help === true;
  const command = findCommand(isHelp && word === 'help' ? words[0] : word);
  if (isHelp) return show(terminal, command === undefined ? formatHelp() : formatCommandHelp(command));
  if (command === undefined) return show(terminal, formatHelp());
  checkLine(command, words, Object.keys(values));
  const { yes = false, project = false, keep = false } = values;
  const given = { yes: yes === true, project: project === true, keep: keep === true };
  return await (await command.load())({ terminal, words, options, given, serverArgs: listServerArgs(values) });
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: known, allowPositionals: true });
  } catch (error) {
    const [text = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const [, unknown = ''] = /^Unknown option '--?([^']+)'/.exec(text) ?? [];
    const nearest = nearestNames(unknown, Object.keys(known)).map((name) => `--${name}`);
    throw new Failure('input', text, { nearest, hint: { run: '--help', to: 'see the options' } });
  }
}

function findCommand(word: string | undefined): HubCommand | undefined {
  if (word === undefined) return undefined;
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return command;
  const names = commands.map(({ name }) => name);
  throw new Failure('input', `unknown command ${JSON.stringify(word.slice(0, 60))}`, {
    nearest: nearestNames(word, names),
    hint: { run: '--help', to: 'see the commands' },
  });
}

function checkLine(
  { name, words: [least, most], options }: HubCommand,
  words: readonly string[],
  given: readonly string[],
): void {
  const hint = { run: `help ${name}`, to: 'see how it is used' };
  if (words.length < least)
    throw new Failure('input', `${name} needs ${least === 1 ? 'an argument' : `${least} arguments`} more`, { hint });
  if (words.length > most) throw new Failure('input', `${name} does not take ${JSON.stringify(words[most])}`, { hint });
  const allowed = [...options, 'config'];
  const foreign = given.find((option) => !allowed.includes(option));
  if (foreign !== undefined) throw new Failure('input', `${name} does not take --${foreign}`, { hint });
}

/** What the installed server should be started with. */
function listServerArgs(values: Readonly<Record<string, unknown>>): string[] {
  const names = [...flags, { name: 'shared' }].map(({ name }) => name);
  return [
    ...names.flatMap((name) => (values[name] === true ? [`--${name}`] : [])),
    ...settings.flatMap(({ name }) => (typeof values[name] === 'string' ? [`--${name}`, values[name]] : [])),
  ];
}

function show(terminal: Terminal, text: string): number {
  terminal.print(text);
  return exitCodes.ok;
}
