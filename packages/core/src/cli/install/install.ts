import { rmSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import { nearestNames } from '../../nearest.ts';
import { storePathOf } from '../../program/app.ts';
import { formatVisible } from '../../text.ts';
import type { CommandOptions } from '../command.ts';
import { confirm } from '../confirm.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { type ClientFile, openClientFile, readCopy, replaceText } from './client-file.ts';
import { type Client, clients, startOf } from './clients.ts';
import { findInstalled, type Installed, recordPathFor, rememberInstalled, sha256Of } from './record.ts';
import { formatTable } from './toml-file.ts';

interface InstallCall {
  leaf: { name: string; app: string };
  terminal: Terminal;
  words: readonly string[];
  options: CommandOptions;
  /** What else stood on the command line, for the server itself: `--readonly`, `--config FILE`. */
  serverArgs: readonly string[];
  platform?: NodeJS.Platform;
}

/** Writes a client's configuration for this person: shows the change, asks, keeps everything else, and a copy of it. */
export async function install(call: InstallCall): Promise<number> {
  const { client, file, recordPath, platform } = prepare(call);
  const { leaf, terminal, serverArgs } = call;
  const entry = client.entry(startOf(leaf.name, serverArgs, { platform }));
  const changed = file.with(entry);
  if (changed === file.text) {
    terminal.print(`${client.title} has it already, in ${file.path}.`);
    return exitCodes.ok;
  }
  const title = `${client.section}.${leaf.app}`;
  const after = client.form === 'toml' ? formatTable(title, entry, '\n').trimEnd() : JSON.stringify(entry, null, 2);
  showChange(terminal, { file, title, after });
  if (!(await isWanted(call, 'Write this?'))) return exitCodes.failed;
  const before = beforeOf(file, findInstalled(recordPath, file.path));
  await write(file, changed);
  await rememberInstalled(recordPath, file.path, { path: file.path, after: sha256Of(changed), before });
  const copy = file.exists ? ` What was there is in ${file.path}.bak.` : '';
  terminal.print(`${client.title} has ${leaf.name} now, in ${file.path}.${copy} ${client.afterwards}`);
  return exitCodes.ok;
}

/** An entry of ours that is written anew is not what was there before us, and neither is the copy that is made now. */
function beforeOf({ exists, shown, text }: ClientFile, known: Installed | undefined): string | null {
  if (!exists) return null;
  if (known === undefined || shown === undefined) return sha256Of(text);
  return known.after === sha256Of(text) ? known.before : '';
}

/** Takes back what `install` added: to the byte where nobody has changed the file since, and the entry alone elsewhere. */
export async function uninstall(call: InstallCall): Promise<number> {
  const { client, file, recordPath } = prepare(call);
  const { leaf, terminal } = call;
  if (file.shown === undefined) {
    terminal.print(`${client.title} does not have ${leaf.name}; ${file.path} is left alone.`);
    return exitCodes.ok;
  }
  showChange(terminal, { file, title: `${client.section}.${leaf.app}`, after: undefined });
  if (!(await isWanted(call, 'Take it away?'))) return exitCodes.failed;
  const original = originalOf(file, findInstalled(recordPath, file.path));
  if (original === 'no file') rmSync(file.path);
  else await write(file, original?.text ?? file.with(undefined));
  await rememberInstalled(recordPath, file.path, undefined);
  terminal.print(`Took ${leaf.name} out of ${file.path}.`);
  return exitCodes.ok;
}

/** What the file was before; undefined when somebody has changed it since, or the copy of it. */
function originalOf({ path, text }: ClientFile, known: Installed | undefined): 'no file' | { text: string } | undefined {
  if (known?.after !== sha256Of(text)) return undefined;
  if (known.before === null) return 'no file';
  const copy = readCopy(path);
  return copy !== undefined && sha256Of(copy) === known.before ? { text: copy } : undefined;
}

function prepare({ leaf, terminal, words, platform = process.platform }: InstallCall) {
  const client = findClient(words[0]);
  const { home, env } = terminal;
  const file = openClientFile(client, leaf.app, { platform, home, env });
  return { client, file, platform, recordPath: recordPathFor(storePathOf(leaf.app, terminal)) };
}

function findClient(id: string | undefined): Client {
  const ids = clients.map((client) => client.id);
  const found = clients.find((client) => client.id === id);
  if (found !== undefined) return found;
  const hint = `There are ${ids.join(', ')}.`;
  if (id === undefined) throw new Failure('input', 'no client is named', { hint: `Put one behind the command. ${hint}` });
  throw new Failure('input', `no client is called ${JSON.stringify(id)}`, { nearest: nearestNames(id, ids), hint });
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
