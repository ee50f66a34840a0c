import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { projectFilePlaces, realPlace } from '../registry/sources/paths.ts';

/** A folder with the files of saved queries. */
export interface QueryFolder {
  path: string;
  /**
   * `own` is beside the person's own configuration, `named` was given by `--queries`, and `project` came with a repository: its files
   * count only when they are allowed. `brought` is no folder: its files are a part of the program.
   */
  kind: 'own' | 'named' | 'project' | 'brought';
}

interface FolderPlaces {
  app: string;
  /** The person's own store, beside which their queries are. */
  storePath: string;
  cwd: string;
  /** What `--queries` says: paths with the delimiter of the system between them. */
  named: string | undefined;
  /** Only what is named counts: neither the person's own folder nor a project's. */
  onlyNamed: boolean;
}

/** The person's own folder, which may not exist yet. */
export function findOwnFolder(storePath: string): string {
  return join(dirname(storePath), 'queries');
}

/** The folder of a project, which may not exist yet. */
export function findProjectFolder(app: string, root: string): string {
  return join(root, `.${app}`, 'queries');
}

/**
 * The folders that exist, the strongest first. Every start comes through here, so it only asks whether they exist; one that is created
 * later is found by the next start.
 */
export function findQueryFolders({ app, storePath, cwd, named, onlyNamed }: FolderPlaces): QueryFolder[] {
  const given = splitPaths(named).map((path): QueryFolder => ({ path: resolve(cwd, path), kind: 'named' }));
  const missing = given.find(({ path }) => !existsSync(path));
  if (missing !== undefined)
    throw new Failure('input', `the folder ${missing.path} of --queries does not exist`, {
      hint: 'Correct the path, or create it.',
    });
  if (onlyNamed) return given;
  const own: QueryFolder = { path: findOwnFolder(storePath), kind: 'own' };
  const projects = projectFilePlaces(cwd, `.${app}`).map(
    (place): QueryFolder => ({ path: join(place, 'queries'), kind: 'project' }),
  );
  const found = [own, ...given.map((folder) => asProject(folder, app)), ...projects].filter(isThere);
  return found.filter(({ path }, index) => found.findIndex((one) => one.path === path) === index);
}

function splitPaths(paths: string | undefined): string[] {
  return (paths ?? '').split(delimiter).filter((path) => path !== '');
}

function isThere({ path }: QueryFolder): boolean {
  return existsSync(path);
}

/** Naming the folder of a project does not make it the person's own: what it holds still has to be allowed. */
function asProject(folder: QueryFolder, app: string): QueryFolder {
  return isProjectFolder(folder.path, app) ? { ...folder, kind: 'project' } : folder;
}

function isProjectFolder(path: string, app: string): boolean {
  const parts = realPlace(path).split(/[/\\]/);
  return parts.at(-1) === 'queries' && parts.at(-2) === `.${app}`;
}

/** Whether no part of a project's folder is a link to somewhere else. */
export function isInProject(folder: string): boolean {
  const parent = dirname(folder);
  return realPlace(folder) === join(realPlace(dirname(parent)), basename(parent), basename(folder));
}
