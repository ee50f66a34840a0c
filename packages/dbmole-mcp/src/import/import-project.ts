import { basename, dirname, extname, join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { type Findings, formatAdvice, type Importer, type ImportPlace, readSmallFile, toFailure } from '@dbmole/core';
import { holdsHome } from '@dbmole/core/paths';
import { variable } from '../password-files/password-file.ts';
import { foundFile, nameOfFile } from './found-connection.ts';
import { findDatabase, isDatabase } from './project-database.ts';
import { readDjango, readPrisma, readRails, type SettingsReader } from './project-settings.ts';
import { walkProject } from './walk-project.ts';

/** The SQLite files of the project in the working directory, and those that Prisma, Django and Rails name. */
export const projectImporter: Importer = { source: 'project', find };

const endings: ReadonlySet<string> = new Set(['.db', '.sqlite', '.sqlite3']);

function find(place: ImportPlace): Findings {
  const { cwd, home } = place;
  if (holdsHome(cwd, home)) return { found: [], notes: [] };
  const { files, isCut } = walkProject(cwd, (path) => endings.has(extname(path)) || findReader(path) !== undefined);
  const said = files.flatMap((path) => lookInto(path, place));
  const databases = new Set(said.flatMap((one) => ('file' in one ? [one.file] : [])));
  const notes = said.flatMap((one) => ('note' in one ? [one.note] : []));
  if (isCut) notes.push(`${cwd}: it has too many files, and not all of them were looked at`);
  return { found: [...databases].map((file) => foundFile(nameOfFile(file).toLowerCase(), file)), notes };
}

type Said = { file: string } | { note: string };

/** The databases that a file names, or is. */
function lookInto(path: string, place: ImportPlace): Said[] {
  const read = findReader(path);
  if (read !== undefined) return readSettings(path, read, place);
  return isDatabase(path) ? [{ file: path }] : [];
}

function findReader(path: string): SettingsReader | undefined {
  const name = basename(path);
  if (name.endsWith('.prisma')) return readPrisma;
  if (name === 'settings.py' || (name.endsWith('.py') && basename(dirname(path)) === 'settings')) return readDjango;
  return name === 'database.yml' && basename(dirname(path)) === 'config' ? readRails : undefined;
}

function readSettings(path: string, read: SettingsReader, { env, cwd, home }: ImportPlace): Said[] {
  const where = relative(cwd, path);
  try {
    const text = readSmallFile(path)?.bytes.toString('utf8') ?? '';
    const lookup = (name: string) => variable(env, name) ?? readDotEnv(name, [dirname(path), cwd]);
    const all = read(text, path, lookup).map(({ named, bases }) => findDatabase(named, { bases, cwd, home }));
    const found = all.filter((one) => typeof one !== 'string');
    // An application has databases for tests and for production, most of which are elsewhere.
    const notes = found.length > 0 ? [] : all.filter((one) => typeof one === 'string');
    return [...found, ...notes.map((note) => ({ note: `${where}: ${note}` }))];
  } catch (error) {
    return [{ note: `${where}: ${formatAdvice(toFailure(error), { program: 'dbmole-mcp' })}` }];
  }
}

/** The value in the first of these folders whose `.env` has it. */
function readDotEnv(name: string, folders: readonly string[]): string | undefined {
  const values = folders.map((folder) =>
    variable(parseEnv(readSmallFile(join(folder, '.env'))?.bytes.toString('utf8') ?? ''), name),
  );
  return values.find((value) => value !== undefined);
}
