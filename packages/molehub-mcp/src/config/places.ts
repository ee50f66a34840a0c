import { dirname, join, resolve } from 'node:path';
import { defaultStorePath, isFile, projectFilePlaces, stateFolderFor, trustPathFor } from '@dbmole/core/paths';
import { findVariable } from '@dbmole/core/settings';
import { files, program } from '../options.ts';

/** The machine of a person, as far as the places of files depend on it. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
}

export interface Places {
  /** The file of `--config`. */
  named: string | undefined;
  /** The nearest project file, allowed or not. */
  project: string | undefined;
  /** The person's own file, which may not exist. */
  own: string;
  /** Remembers which project files a person has allowed. */
  trust: string;
  /** What the program remembers by itself. */
  state: string;
}

export function findPlaces({ env, cwd, home }: Surroundings, named: string | undefined): Places {
  const store = { app: program.app, env, home, variable: findVariable(program.app, 'store'), file: files.store };
  const own = resolve(cwd, defaultStorePath(store));
  const project = projectFilePlaces(cwd, files.project).find((place) => isFile(place) && place !== own);
  return { named, project, own, trust: trustPathFor(own), state: stateFolderFor(own) };
}

/** Where relative paths of a file begin: at the project, and elsewhere beside the file. */
export function baseFor(file: string, { project }: Places): string {
  return file === project ? dirname(dirname(file)) : dirname(file);
}

export function manifestFolder({ state }: Pick<Places, 'state'>): string {
  return join(state, 'manifests');
}

export function logFolder({ state }: Pick<Places, 'state'>): string {
  return join(state, 'logs');
}
