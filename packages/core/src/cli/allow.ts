import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { storePathOf } from '../program/app.ts';
import { parseDocument } from '../registry/document.ts';
import { projectFilePlaces, trustPathFor } from '../registry/paths.ts';
import { allowProjectFile, disallowProjectFile, isAllowed, openProjectFile } from '../registry/trust.ts';
import { formatVisible } from '../text.ts';
import { hasCommands, scriptsOf } from './allow-scripts.ts';
import { confirm } from './confirm.ts';
import type { Terminal } from './terminal.ts';

interface AllowCall {
  leaf: { app: string };
  terminal: Terminal;
  /** The file, as the person wrote it; the nearest project file when absent. */
  words: readonly string[];
  options: { yes?: boolean };
}

/**
 * Lets a project file name connections. The person sees the whole file first, since all of it begins to count: hosts,
 * variables, commands. What is allowed is exactly what was shown.
 */
export async function allow({ leaf, terminal, words, options }: AllowCall): Promise<number> {
  const file = openProjectFile(findFile(leaf.app, terminal.cwd, words[0]));
  // Throws where it would be used for nothing; a mistake in one connection is another matter.
  const { value } = parseDocument(file.text, file.path);
  const trustPath = trustPathFor(storePathOf(leaf.app, terminal));
  if (isAllowed(trustPath, file.path)) {
    terminal.print(`${file.path} is allowed already.`);
    return 0;
  }
  terminal.print(`${formatVisible(file.path)}\n\n${formatFile(value)}\n`);
  const warning = formatCommands(value, file.path);
  if (warning !== undefined) terminal.print(`${warning}\n`);
  const question = 'Allow these connections, with the commands and variables they name?';
  if (!(await confirm(terminal, { question, yes: options.yes, instead: 'pass --yes after reading the file' }))) {
    terminal.print('Not allowed.');
    return 1;
  }
  await allowProjectFile({ trustPath, file: file.path, sha256: file.sha256 });
  terminal.print(`Allowed ${file.path} as it is now. A running server uses it from its next call on.`);
  return 0;
}

/** Takes it back, also of a file that is gone. Nobody has to be asked: what is no longer allowed can be allowed again. */
export async function disallow({ leaf, terminal, words }: Omit<AllowCall, 'options'>): Promise<number> {
  const file = findFile(leaf.app, terminal.cwd, words[0]);
  const wasAllowed = await disallowProjectFile({ trustPath: trustPathFor(storePathOf(leaf.app, terminal)), file });
  const text = wasAllowed
    ? 'is not allowed any more. A running server uses it no longer from its next call on.'
    : 'was not allowed.';
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

/** What the permission does not cover. */
function formatCommands(value: unknown, path: string): string | undefined {
  if (!hasCommands(value)) return undefined;
  const scripts = scriptsOf(value, path).map((script) => `  ${formatVisible(script)}`);
  const general =
    'It runs commands. Allowed is what stands here; the programs themselves can change later, and you are not asked again.';
  if (scripts.length === 0) return general;
  return `${general}\nThese are in the same folder, so whoever changes the repository changes what runs:\n${scripts.join('\n')}`;
}

function findFile(app: string, cwd: string, file: string | undefined): string {
  const name = `.${app}.json`;
  if (file !== undefined) {
    const path = resolve(cwd, file);
    return isFolder(path) ? join(path, name) : path;
  }
  const found = projectFilePlaces(cwd, name).find((place) => statSync(place, { throwIfNoEntry: false })?.isFile());
  if (found !== undefined) return found;
  throw new Failure('unknown', `there is no ${name} here or in a folder above`, { hint: 'Name the file.' });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
