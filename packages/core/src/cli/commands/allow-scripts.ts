import { dirname, join, relative, resolve, sep } from 'node:path';
import { isBelow, isFile } from '../../registry/sources/paths.ts';
import { isFields } from '../../registry/tree.ts';

/**
 * The files of the project's folder that its commands name. What is allowed is the project file alone: these can be changed
 * later, by anyone who changes the repository, and would run all the same.
 */
export function listScripts(value: unknown, file: string): string[] {
  const base = dirname(file);
  const named = commandsIn(value).flatMap((argv) => argv.flatMap((text, index) => pathsIn(text, index === 0)));
  const inside = named.map((path) => relative(base, resolve(base, path))).filter((path) => isBelow(path));
  const scripts = inside.filter((path) => isFile(join(base, path)));
  return [...new Set(scripts)].sort();
}

export function hasCommands(value: unknown): boolean {
  return commandsIn(value).length > 0;
}

/** Wherever they stand: it is not for us to say which of them will count. */
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
