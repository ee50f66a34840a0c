import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as here from 'node:path';
import { posix, win32 } from 'node:path';
import { type Environment, readVariable } from '../secrets/expand.ts';

interface StorePathOptions {
  /** The server's own name; two servers never share a store. */
  app: string;
  env: Environment;
  /** A variable that names the store itself and wins over everything. */
  variable?: string;
  /** The file in the configuration folder. */
  file?: string;
  home?: string;
  platform?: NodeJS.Platform;
}

/** Where the user's store lies. A path in the variable is used as it is written; it may be relative. */
export function defaultStorePath(options: StorePathOptions): string {
  const { app, env, home = homedir(), platform = process.platform, file = 'connections.json' } = options;
  const paths = platform === 'win32' ? win32 : posix;
  const named = options.variable === undefined ? undefined : readVariable(env, options.variable);
  if (named) return expandHome(named, home);
  return paths.join(configFolder({ env, home, platform }), app, file);
}

/** The allowed project files are remembered beside the store. */
export function trustPathFor(storePath: string): string {
  return here.join(here.dirname(storePath), 'allowed.json');
}

/** Host keys of SSH servers that a person has accepted with `trust`, in the form of ssh's own file. */
export function acceptedKeysPathFor(storePath: string): string {
  return here.join(here.dirname(storePath), 'known_hosts');
}

/** State that the program keeps: tokens, ports, running servers. A person never edits it. */
export function stateFolderFor(storePath: string): string {
  return here.join(here.dirname(storePath), 'state');
}

/** A relative XDG folder is ignored, as its specification asks: it would mean another folder in every working directory. */
function configFolder(options: { env: Environment; home: string; platform: NodeJS.Platform }): string {
  const { env, home, platform } = options;
  if (platform === 'win32') return readVariable(env, 'APPDATA') || win32.join(home, 'AppData', 'Roaming');
  const xdg = readVariable(env, 'XDG_CONFIG_HOME');
  return xdg && posix.isAbsolute(xdg) ? xdg : posix.join(home, '.config');
}

/** Every place where a project file may lie, nearest first: the working directory and the folders above it. */
export function projectFilePlaces(cwd: string, fileName: string): string[] {
  const places: string[] = [];
  for (let folder = here.resolve(cwd); ; folder = here.dirname(folder)) {
    places.push(here.join(folder, fileName));
    if (folder === here.dirname(folder)) return places;
  }
}

/**
 * The project around a folder: the nearest one, here or above, with a repository or a project file in it. One that another user made does not
 * count: it could be in a folder for all, such as that of temporary files.
 */
export function findProjectFolder(cwd: string, markers: readonly string[]): string | undefined {
  const places = projectFilePlaces(cwd, '').map((place) => here.resolve(place));
  return places.find((folder) => markers.some((marker) => isOwn(here.join(folder, marker))));
}

function isOwn(path: string): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (process.geteuid === undefined || stats.uid === process.geteuid());
  } catch {
    return false;
  }
}

/** Whether a folder has the home folder in it, and so is no project. */
export function holdsHome(folder: string, home: string): boolean {
  const homeward = here.relative(realPlace(folder), realPlace(home));
  return homeward === '' || isBelow(homeward);
}

/** The nearest folder, here or above, that has one of saved queries. */
export function findQueriesRoot(cwd: string, app: string): string | undefined {
  const place = projectFilePlaces(cwd, `.${app}`).find((one) => existsSync(here.join(one, 'queries')));
  return place && here.dirname(place);
}

/** An absolute path: `~/` is the home folder, and what is relative lies beside the file that says it. */
export function absolutePath(path: string, options: { base: string; home: string }): string {
  return here.resolve(options.base, expandHome(path, options.home));
}

/** The path without symbolic links, as far as it exists. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = here.dirname(path);
    return folder === path ? path : here.join(realPlace(folder), here.basename(path));
  }
}

function expandHome(path: string, home: string): string {
  return path === '~' || /^~[/\\]/.test(path) ? here.join(home, path.slice(1)) : path;
}

/** Whether a relative path leads to something inside of the folder where it begins. */
export function isBelow(path: string): boolean {
  return path !== '' && path.split(here.sep)[0] !== '..' && !here.isAbsolute(path);
}

export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
