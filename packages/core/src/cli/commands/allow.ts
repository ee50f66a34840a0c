import { statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import { findStorePath } from '../../program/app.ts';
import type { WithQueries } from '../../program/load-queries.ts';
import type { Entry, Registry } from '../../registry/registry.ts';
import { parseDocument, type RawConnection } from '../../registry/sources/document.ts';
import { isBelow, isFile, projectFilePlaces, trustPathFor } from '../../registry/sources/paths.ts';
import { isFields } from '../../registry/tree.ts';
import { allowProjectFile, disallowProjectFile, isAllowed, openProjectFile } from '../../registry/trust/trust.ts';
import { formatVisible } from '../../text.ts';
import { allowQueries, disallowQueries, findProjectQueries } from '../queries/allow-queries.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface AllowCall {
  definition: WithQueries;
  terminal: Terminal;
  /** The connections that there are without the file. */
  app?: { registry: Pick<Registry<BaseConnection>, 'list'> };
  /** The file, as the person wrote it; the nearest project file when absent. */
  words: readonly string[];
  options: { yes?: boolean };
}

/** Lets a project's file name connections, and its saved queries be tools. Each of the two is a question of its own. */
export async function allow(call: AllowCall): Promise<number> {
  const { definition, terminal, words } = call;
  const { app } = definition.program;
  const place = resolve(terminal.cwd, words[0] ?? '.');
  const queries = words[0] === undefined || isFolder(place) ? await findProjectQueries(definition, terminal, place) : undefined;
  const file = findFile(app, terminal.cwd, words[0], queries !== undefined);
  const codes = [
    ...(file === undefined ? [] : [await allowFile(call, file)]),
    ...(queries === undefined ? [] : [await allowQueries(queries, call)]),
  ];
  return Math.max(...codes);
}

/** The person sees the whole file first, since all of it begins to count: hosts, variables, commands. What is allowed is exactly what was shown. */
async function allowFile({ definition: { program }, terminal, options, app }: AllowCall, path: string): Promise<number> {
  const file = openProjectFile(path);
  // Throws where it would be used for nothing; a mistake in one connection is another matter.
  const { value, connections } = parseDocument(file.text, file.path, { comments: true });
  const trustPath = trustPathFor(findStorePath(program.app, terminal));
  if (isAllowed(trustPath, file.path)) {
    terminal.print(`${file.path} is allowed already.`);
    return 0;
  }
  const { entries = [], problems = [] } = (await app?.registry.list()) ?? {};
  const state = problems.find(({ origin }) => origin.where === file.path)?.failure.message ?? file.path;
  terminal.print(`${formatVisible(state)}\n\n${formatFile(value)}\n`);
  const warning = formatCommands(value, file.path);
  if (warning !== undefined) terminal.print(`${warning}\n`);
  for (const replaced of connections.flatMap((one) => formatReplaced(one, entries))) terminal.print(`${replaced}\n`);
  const question = 'Allow these connections, with the commands and variables they name?';
  if (!(await confirm(terminal, { question, yes: options.yes, instead: 'pass --yes after reading the file' }))) {
    terminal.print('Not allowed.');
    return 1;
  }
  await allowProjectFile({ trustPath, file: file.path, sha256: file.sha256 });
  terminal.print(`Allowed ${file.path} as it is now. A running server uses it from its next call on.`);
  return 0;
}

/** Revokes it, also for a file that is gone, without a question: what is no longer allowed can be allowed again. */
export async function disallow({ definition, terminal, words }: Omit<AllowCall, 'options'>): Promise<number> {
  const { app } = definition.program;
  const trustPath = trustPathFor(findStorePath(app, terminal));
  const place = resolve(terminal.cwd, words[0] ?? '.');
  const queries = words[0] === undefined || isFolder(place) ? await disallowQueries(app, trustPath, place) : undefined;
  if (queries !== undefined) terminal.print(queries);
  const file = findFile(app, terminal.cwd, words[0], queries !== undefined);
  if (file === undefined) return 0;
  const wasAllowed = await disallowProjectFile({ trustPath, file });
  const text = wasAllowed
    ? 'is no longer allowed; running servers stop using it at their next call.'
    : 'was not allowed before; nothing changed.';
  terminal.print(`${formatVisible(file)} ${text}`);
  return 0;
}

/**
 * All of it, and as we understand it: white space that would push a part out of sight is gone, escapes are undone. Nothing is
 * redacted, because what looks like a password may be the beginning of a command, and a person would allow what they did not see.
 */
function formatFile(value: unknown): string {
  return formatVisible(JSON.stringify(value, null, 2));
}

/** A connection of the person's own that could not be used any more, because the file has one of its name. */
function formatReplaced({ name, raw }: RawConnection, entries: readonly Entry<BaseConnection>[]): string[] {
  const own = entries.find((entry) => entry.name === name);
  if (own === undefined || ![own.origin, ...own.shadows].some(({ kind }) => kind === 'store')) return [];
  const isLooser = own.config?.readonly === true && raw.readonly !== true;
  const what = `${formatVisible(name)} takes the place of your own connection of that name`;
  return [isLooser ? `WARNING: ${what}. Yours is read-only, and this one can be written to.` : `${what}.`];
}

/** What the permission does not cover. */
function formatCommands(value: unknown, path: string): string | undefined {
  if (!hasCommands(value)) return undefined;
  const scripts = listScripts(value, path).map((script) => `  ${formatVisible(script)}`);
  const general =
    'It runs commands. You allow the commands as written; if the programs change later, you will not be asked again.';
  if (scripts.length === 0) return general;
  return `${general}\nThese are in the same folder, so a change of the repository can change what runs:\n${scripts.join('\n')}`;
}

/** Throws where no file is found, unless it is `optional`. */
function findFile(app: string, cwd: string, file: string | undefined, optional: boolean): string | undefined {
  const name = `.${app}.json`;
  if (file !== undefined) {
    const path = resolve(cwd, file);
    if (!isFolder(path)) return path;
    const inside = join(path, name);
    return optional && !isFile(inside) ? undefined : inside;
  }
  const found = projectFilePlaces(cwd, name).find(isFile);
  if (found !== undefined || optional) return found;
  throw new Failure('unknown', `there is neither ${name} nor .${app}/queries here or in a folder above`, {
    hint: 'Name the file.',
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * The files of the project's folder that its commands name. What is allowed is the project file alone: these can be changed
 * later, by anyone who changes the repository, and would run anyway.
 */
function listScripts(value: unknown, file: string): string[] {
  const base = dirname(file);
  const named = commandsIn(value).flatMap((argv) => argv.flatMap((text, index) => pathsIn(text, index === 0)));
  const inside = named.map((path) => relative(base, resolve(base, path))).filter((path) => isBelow(path));
  const scripts = inside.filter((path) => isFile(join(base, path)));
  return [...new Set(scripts)].sort();
}

function hasCommands(value: unknown): boolean {
  return commandsIn(value).length > 0;
}

/** Takes them wherever they are: it is not for us to say which of them will be used. */
function commandsIn(value: unknown): string[][] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (!isFields(value)) return [];
  const own = Array.isArray(value.command) ? [value.command.filter((word) => typeof word === 'string')] : [];
  return [...own, ...Object.values(value).flatMap(commandsIn)];
}

/** The word itself, and what may be a path in it, as in `sh -c "./get | tail"` and `--file=./get`. A program without a slash is not a path. */
function pathsIn(text: string, isProgram: boolean): string[] {
  const words = [text, ...text.split(/[\s'"`;|&()<>=$]+/)].filter((word) => word !== '');
  return isProgram ? words.filter((word) => word.includes('/') || word.includes(sep)) : words;
}
