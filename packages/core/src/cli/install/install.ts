import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { nearestNames } from '../../nearest.ts';
import { findStorePath } from '../../program/app.ts';
import { formatVisible } from '../../text.ts';
import { type CommandOptions, exitCodes } from '../command.ts';
import { askPerson, confirm } from '../terminal/confirm.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  type ClientFile,
  findInstalled,
  hashSha256,
  type Installed,
  openClientFile,
  readCopy,
  recordPathFor,
  rememberInstalled,
  replaceText,
} from './client-file.ts';
import { type Client, clients, findStart, type Machine } from './clients.ts';
import { canUseUrl, createRemoteEntry, isRemote, type RemoteEntry } from './remote-entry.ts';

interface InstallCall {
  definition: { program: { name: string; app: string } };
  terminal: Terminal;
  words: readonly string[];
  options: CommandOptions;
  /** The options of the command line that are for the server itself: `--readonly`, `--config FILE`. */
  serverArgs: readonly string[];
  platform?: NodeJS.Platform;
  /** Entries of other servers that go away with the change, because this server takes their place. */
  replaces?: readonly string[];
}

interface Place {
  client: Client;
  file: ClientFile;
  recordPath: string;
  platform: NodeJS.Platform;
}

/** Writes configurations of clients for this person: shows each change, asks, keeps everything else, and a copy of it. */
export async function install(call: InstallCall): Promise<number> {
  const codes: number[] = [];
  for (const client of await chooseClients(call)) codes.push(await installOne(findPlace(client, call), call));
  return Math.max(exitCodes.ok, ...codes);
}

async function installOne({ client, file, recordPath, platform }: Place, call: InstallCall): Promise<number> {
  const {
    definition: { program },
    terminal,
  } = call;
  const { entry, advice } = await createEntry({ client, platform }, call);
  const { replaces = [] } = call;
  const changed = file.without(file.with(entry), replaces);
  if (changed === file.text) {
    terminal.print(`${client.title} has it already, in ${file.path}.`);
    return exitCodes.ok;
  }
  showChange(terminal, { file, title: `${client.section}.${program.app}`, after: file.preview(entry) });
  if (replaces.length > 0) terminal.print(`It takes the place of ${formatVisible(replaces.join(', '))}.`);
  if (!(await isWanted(call, 'Write this?'))) return exitCodes.failed;
  const known = findInstalled(recordPath, file.path);
  const before = readBefore(file, known);
  mkdirSync(dirname(file.path), { recursive: true });
  await write(file, changed);
  const replaced = [...new Set([...(known?.replaced ?? []), ...replaces])];
  const record = { path: file.path, after: hashSha256(changed), before };
  await rememberInstalled(recordPath, file.path, replaced.length === 0 ? record : { ...record, replaced });
  const copy = file.exists ? ` The previous version is in ${file.path}.bak.` : '';
  const done = file.shown === undefined ? `Added ${program.name} to` : `Updated ${program.name} in`;
  terminal.print(`${done} ${client.title}, in ${file.path}.${copy} ${[...advice, client.afterwards].join(' ')}`);
  return exitCodes.ok;
}

async function createEntry(
  { client, platform }: Pick<Place, 'client' | 'platform'>,
  call: InstallCall,
): Promise<{ entry: RemoteEntry['entry']; advice: readonly string[] }> {
  const { definition, serverArgs, options } = call;
  if (isRemote(options)) {
    const { entry, advice } = await createRemoteEntry(client, call);
    return { entry, advice: [advice] };
  }
  const start = findStart(definition.program.name, serverArgs, { platform });
  return { entry: { ...client.entry(start), ...readEnvironment(client, options.env ?? []) }, advice: [] };
}

/** An entry that this program wrote before is not the user's original, and neither is a copy of it. */
function readBefore({ exists, shown, text }: ClientFile, known: Installed | undefined): string | null {
  if (!exists) return null;
  if (known === undefined || shown === undefined) return hashSha256(text);
  return known.after === hashSha256(text) ? known.before : '';
}

/** Removes what `install` added: to the byte where the file was not changed since, and the entry alone elsewhere. */
export async function uninstall(call: InstallCall): Promise<number> {
  const [id] = call.words;
  const { client, file, recordPath } = findPlace(findClient(id), call);
  const {
    definition: { program },
    terminal,
  } = call;
  if (file.shown === undefined) {
    terminal.print(`${client.title} does not have ${program.name}; ${file.path} is left alone.`);
    return exitCodes.ok;
  }
  showChange(terminal, { file, title: `${client.section}.${program.app}`, after: undefined });
  if (!(await isWanted(call, 'Remove it?'))) return exitCodes.failed;
  const known = findInstalled(recordPath, file.path);
  const original = findOriginal(file, known);
  if (original === 'no file') rmSync(file.path);
  else await write(file, original?.text ?? withReplaced(file, known));
  await rememberInstalled(recordPath, file.path, undefined);
  terminal.print(`Removed ${program.name} from ${file.path}.`);
  return exitCodes.ok;
}

/** The text without our entry. The entries that it had replaced come back, as they are in the copy. */
function withReplaced(file: ClientFile, known: Installed | undefined): string {
  const copy = known?.replaced === undefined ? undefined : readCopy(file.path);
  const text = file.with(undefined);
  return copy === undefined ? text : file.restored(text, copy, known?.replaced ?? []);
}

/** What the file was before; undefined when it was changed since, or the copy of it. */
function findOriginal({ path, text }: ClientFile, known: Installed | undefined): 'no file' | { text: string } | undefined {
  if (known?.after !== hashSha256(text)) return undefined;
  if (known.before === null) return 'no file';
  const copy = readCopy(path);
  return copy !== undefined && hashSha256(copy) === known.before ? { text: copy } : undefined;
}

function findPlace(
  client: Client,
  { definition: { program }, terminal, options, platform = process.platform }: InstallCall,
): Place {
  const { home, env, cwd } = terminal;
  const project = options.project ? findProjectFile(client, cwd) : undefined;
  const file = openClientFile(client, program.app, { platform, home, env }, project);
  return { client, file, platform, recordPath: recordPathFor(findStorePath(program.app, terminal)) };
}

function findProjectFile({ title, projectFile }: Client, cwd: string): string {
  if (projectFile !== undefined) return resolve(cwd, projectFile);
  const able = clients.flatMap((client) => (client.projectFile === undefined ? [] : client.id));
  throw new Failure('input', `${title} has no project file`, { hint: `Use --project with ${able.join(', ')}.` });
}

/** Those that are named; of those that are found on this machine, what the person answers. */
async function chooseClients(call: InstallCall): Promise<readonly Client[]> {
  const { words, terminal, options, platform = process.platform } = call;
  if (words.length > 0) return words.map(findClient);
  const machine = { platform, home: terminal.home, env: terminal.env };
  const found = clients.filter((client) => isThere(client, machine) && (!isRemote(options) || canUseUrl(client)));
  const ids = found.map(({ id }) => id).join(', ');
  if (found.length === 0 || options.yes) throw noClient(found);
  terminal.print(`Found here: ${found.map(({ id, title }) => `${id} (${title})`).join(', ')}`);
  const answer = await askPerson(terminal, {
    question: 'Add it to which ones? (all, names, or Enter for none)',
    instead: `name them: ${ids}`,
  });
  const names = answer.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 1 && names[0] === 'all' ? found : names.map(findClient);
}

/** Its file, or the folder that it keeps it in. */
function isThere(client: Client, machine: Machine): boolean {
  const file = client.file(machine);
  return existsSync(file) || existsSync(client.trace?.(machine) ?? dirname(file));
}

function findClient(id: string | undefined): Client {
  const ids = clients.map((client) => client.id);
  const found = clients.find((client) => client.id === id);
  if (found !== undefined) return found;
  if (id === undefined) throw noClient([]);
  const hint = `Use one of ${ids.join(', ')}.`;
  throw new Failure('input', `unknown client ${JSON.stringify(id.slice(0, 60))}`, { nearest: nearestNames(id, ids), hint });
}

function noClient(found: readonly Client[]): Failure {
  const ids = (found.length === 0 ? clients : found).map((client) => client.id);
  const which = found.length === 0 ? 'one of' : 'one of those found here:';
  return new Failure('input', 'no client is named', { hint: `Name ${which} ${ids.join(', ')}.` });
}

interface Change {
  file: ClientFile;
  title: string;
  after: string | undefined;
}

function showChange(terminal: Terminal, { file, title, after }: Change): void {
  const marked = (text: string | undefined, mark: string) =>
    text === undefined ? [] : text.split(/\r?\n/).map((line) => `${mark} ${formatVisible(line)}`);
  const lines = [...marked(file.shown, '-'), ...marked(after, '+')];
  terminal.print(`${file.path}${file.exists ? '' : ' (a new file)'}, ${title}:\n${lines.join('\n')}`);
}

async function isWanted({ terminal, options }: InstallCall, question: string): Promise<boolean> {
  if (await confirm(terminal, { question, yes: options.yes })) return true;
  terminal.print('Nothing was changed.');
  return false;
}

async function write(file: ClientFile, text: string): Promise<void> {
  if (await replaceText(file, text)) return;
  throw new Failure('config', `${file.path} was changed while you were asked`, { hint: 'Nothing was written. Run this again.' });
}

/**
 * What an entry says of variables. `NAME=VALUE` is written as it is; `NAME` alone is passed on from the client's own environment, so
 * that a secret stays out of the file.
 */
function readEnvironment(client: Client, given: readonly string[]): Readonly<Record<string, unknown>> {
  const pairs = given.map((text) => parse(text, client));
  const values = pairs.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const passed = pairs.filter(({ value }) => value === undefined).map(({ name }) => name);
  return {
    ...(values.length > 0 && { [client.envKey ?? 'env']: Object.fromEntries(values) }),
    ...(passed.length > 0 && client.envList !== undefined && { [client.envList]: passed }),
  };
}

function parse(text: string, client: Client): { name: string; value: string | undefined } {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) {
    throw new Failure('input', `invalid --env ${JSON.stringify(text.slice(0, 60))}: expected NAME or NAME=VALUE`);
  }
  if (value !== undefined || client.envList !== undefined) return { name, value };
  if (client.envValue !== undefined) return { name, value: client.envValue(name) };
  throw new Failure('input', `${client.title} cannot pass on its own variable ${name}`, { hint: `Write --env ${name}=VALUE.` });
}
