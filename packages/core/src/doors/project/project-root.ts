import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { Failure } from '../../failure.ts';
import { isFile, projectFilePlaces } from '../../registry/sources/paths.ts';

interface RootOptions {
  cwd: string;
  /** The name of project files, such as `.dbmole.json`. */
  projectFileName: string;
  /** A folder that the user named. */
  given?: string | undefined;
}

/** The folder that names a project, without symbolic links: the given one, else that of the nearest project file, else the working directory. */
export function findProjectRoot({ cwd, projectFileName, given }: RootOptions): string {
  if (given !== undefined) return resolveProject(given);
  const file = projectFilePlaces(cwd, projectFileName).find(isFile);
  return resolveProject(file === undefined ? cwd : dirname(file));
}

/** Accepts the absolute path of a folder that exists, and returns it without symbolic links. */
export function resolveProject(path: unknown): string {
  if (typeof path !== 'string' || !isAbsolute(path)) {
    throw new Failure('input', 'project must be an absolute path', { hint: 'Pass the full path of the project folder.' });
  }
  const root = realFolder(path);
  if (root !== undefined) return root;
  throw new Failure('input', 'project does not exist', { hint: `Check that ${path} is a folder.` });
}

function realFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    // A folder that cannot be reached does not exist for the caller.
    return undefined;
  }
}
