import { createHmac, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { findVariable } from '../../../program/settings.ts';
import { type Environment, readVariable } from '../../../registry/secrets/expand.ts';
import { defaultStorePath, findQueriesRoot, isFile, projectFilePlaces, realPlace } from '../../../registry/sources/paths.ts';
import { keyLength } from '../socket-path.ts';
import type { FrontProgram } from './front-program.ts';

/** What a process is started with, and what it may know. Two fronts share one only if all of this is the same. */
export interface ProcessSeed {
  /** The working directory. */
  cwd: string;
  /** The variables, sorted by name. */
  env: Readonly<Record<string, string>>;
  /** Options that change what is served, and perhaps the URL of a connection. */
  args: readonly string[];
  /** The configuration files that exist. */
  files: readonly string[];
  /** The own store, which may not exist yet. */
  storePath: string;
}

export interface SeedOptions {
  env: Environment;
  cwd: string;
  home: string;
  /** The file of `--config`. */
  config: string | undefined;
  args: readonly string[];
  /** The URL of a connection on the command line. */
  url: string | undefined;
}

/**
 * The seed without the registry: the text of every configuration file is searched for names of variables. Names that only look like
 * one are taken, too, which may start a process more. A name that is missed is not passed on either, so no client is ever served with
 * the value of another one. The reasons are in docs/decisions/shared-process.md.
 */
export function readSeed(program: FrontProgram, options: SeedOptions): ProcessSeed {
  const { env, cwd, home } = options;
  const { app, urlVariable, other } = program;
  const store = { app, env, home, variable: findVariable(app, 'store'), ...(other && { file: other.store }) };
  const storePath = resolve(cwd, defaultStorePath(store));
  const named = options.config === undefined ? [] : [options.config];
  // A program with other files reads the project's beside the named one.
  const readsProject = options.config === undefined || other !== undefined;
  const found = readsProject ? projectFilePlaces(cwd, other?.project ?? `.${app}.json`).filter(isFile) : [];
  const files = [storePath, ...named, ...found].filter(isFile);
  const connections = readVariable(env, findVariable(app, 'connections'));
  const urls = [options.url, readVariable(env, urlVariable)];
  const texts = [...files.map(readText), connections ?? '', ...urls.map((url) => url ?? '')];
  const chosen = chooseVariables(env, texts.join('\n'), program);
  const projectFile = found[0] && folderAround(found[0], other?.project);
  // Both lie above the working directory, so from the deeper one the other is found as well.
  const roots = [projectFile, options.config === undefined ? findQueriesRoot(cwd, app) : undefined];
  const nearest = roots.flatMap((root) => root ?? []).toSorted((a, b) => b.length - a.length)[0];
  const isPlaced = connections !== undefined || urls.some((url) => url !== undefined) || hasRelativePath(chosen);
  return {
    cwd: realPlace(nearest === undefined || isPlaced ? cwd : nearest),
    env: chosen,
    args: [...options.args, ...(options.url === undefined ? [] : [options.url])],
    files: files.map(realPlace),
    storePath,
  };
}

/** The folder in which the path of a project file begins. */
function folderAround(file: string, project = ''): string {
  return project.split('/').slice(1).reduce(dirname, dirname(file));
}

/** An empty text for a file that cannot be read: the server will say what is wrong with it. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What a process needs to run, to find its files, and to reach the network. A list of names is ready sooner than a pattern. */
const basicNames = new Set(
  [
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP SSH_AUTH_SOCK ELECTRON_RUN_AS_NODE',
    'XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR XDG_CONFIG_DIRS',
    'SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY',
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA',
    'USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH',
  ].flatMap((names) => names.split(' ')),
);

function isBasic(name: string): boolean {
  return basicNames.has(name.toUpperCase()) || /^(?:LC_(?!TERMINAL)|NODE_(?!CHANNEL_)|OTEL_)/.test(name);
}

/** What differs between windows and sessions of one person. */
const volatile =
  /^(?:_|PWD|OLDPWD|INIT_CWD|SHLVL|TERM|TERM_\w+|COLORTERM|COLUMNS|LINES|WINDOWID|STY|TMUX\w*|ZELLIJ\w*|SSH_(?:TTY|CLIENT|CONNECTION)|GPG_TTY|VTE_VERSION|VSCODE_\w+|CURSOR_\w+|CLAUDE\w*|CODEX_\w+|ITERM_\w+|LC_TERMINAL\w*|KITTY_\w+|WEZTERM_\w+|ALACRITTY_\w+|GHOSTTY_\w+|WT_\w+|KONSOLE_\w+|GNOME_TERMINAL_\w+|LS_COLORS|PS1|PROMPT\w*|XDG_(?:SESSION|VTNR|SEAT|ACTIVATION)\w*|DESKTOP_STARTUP_ID|INVOCATION_ID|JOURNAL_STREAM|MANAGERPID|SYSTEMD_EXEC_PID|NODE_CHANNEL_\w+|npm_\w+)$/i;

/**
 * A program (for a secret, a keychain, a tunnel) may use any variable, and a name that is written with an escape of JSON cannot be found.
 */
const usesAny = /"(?:command|keychain)"|op:\/\/|\bssh\b|\\u/i;

/** Settings that each front reads for its client, and the level of the log. */
const ownSettings = [
  'log',
  'shared',
  'idle',
  'readonly',
  'tools',
  'timeout',
  'projects',
  'config',
  'queries',
  'queries-as',
  'audit',
  'tag',
];

export function chooseVariables(env: Environment, text: string, program: FrontProgram): Record<string, string> {
  const words = new Set(text.match(/[A-Za-z_][A-Za-z0-9_]*/g));
  const takesAll = (program.other?.usesAny ?? usesAny).test(text);
  const prefix = `${program.app.toUpperCase()}_`;
  const own = [...ownSettings, ...program.settings.map(({ name }) => name), ...program.flags.map(({ name }) => name)];
  const left = new Set(own.map((name) => findVariable(program.app, name)));
  const isChosen = (name: string): boolean => {
    if (words.has(name)) return true;
    if (left.has(name)) return false;
    if (name.startsWith(prefix) || program.variables.test(name)) return true;
    // A name that is not a plain word, such as `a.b`, may be in a reference as it is.
    if (/\W/.test(name) && text.includes(name)) return true;
    return takesAll ? !volatile.test(name) : isBasic(name);
  };
  const entries = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && isChosen(name) ? [[name, value]] : [],
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A relative path in a variable begins at the working directory. */
function hasRelativePath(env: Environment): boolean {
  return Object.entries(env).some(
    ([name, value = '']) => /(?:FILE|DIR|_STORE)$/.test(name) && value !== '' && !isAbsolute(value),
  );
}

/**
 * The name of the process with this seed. Keyed with the salt of this user's folder: names of sockets are visible to other users, and
 * a password could be guessed from a plain hash.
 */
export function formatKey(seed: ProcessSeed, app: string, salt: Buffer): string {
  const { cwd, env, args, files } = seed;
  const parts = [app, cwd, args, files, Object.entries(env), process.version, process.execPath, process.execArgv];
  return createHmac('sha256', salt).update(JSON.stringify(parts)).digest('hex').slice(0, keyLength);
}

const saltBytes = 32;

/** The salt of this folder, made by the first front. */
export function readSalt(folder: string): Buffer {
  const path = join(folder, 'salt');
  const salt = tryRead(path) ?? createSalt(path);
  if (salt.length !== saltBytes) throw new Error(`${path} is damaged; delete it`);
  return salt;
}

/** A link is created whole or not at all; of several fronts at once, the first wins. */
function createSalt(path: string): Buffer {
  const own = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(own, randomBytes(saltBytes), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(own, path);
  } catch (error) {
    const salt = tryRead(path);
    if (salt === undefined) throw error;
  } finally {
    unlinkSync(own);
  }
  return readFileSync(path);
}

function tryRead(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
