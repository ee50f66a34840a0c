import { changeFile, confirm, type Fields, formatVisible, isFields, readSmallFile } from '@dbmole/core';
import { type ClientServers, readClientServers } from '@dbmole/core/client-servers';
import { writeJsonEntry } from '@dbmole/core/json-entries';
import { findPlaces } from '../config/places.ts';
import { parseServers } from '../config/read-config.ts';
import { program } from '../options.ts';
import type { HubCommandCall } from './commands.ts';
import { convertEntry } from './convert-entry.ts';

export interface ImportPlan {
  from: ClientServers;
  /** Our own file. */
  into: string;
  /** Entries in our form. */
  taken: readonly { name: string; entry: Fields }[];
  /** Names that our file has in the same form already. */
  known: readonly string[];
  /** What stays where it is, and why. */
  left: readonly string[];
}

/** What would be copied. Nothing that is there is replaced. */
export function planImport({ terminal, words: [id = ''], options, given }: HubCommandCall): ImportPlan {
  const machine = { platform: process.platform, home: terminal.home, env: terminal.env };
  const from = readClientServers(id, machine, given.project ? terminal.cwd : undefined);
  const { own: into } = findPlaces(options, options.config);
  const existing = readOwn(into);
  const taken: { name: string; entry: Fields }[] = [];
  const known: string[] = [];
  const left: string[] = [];
  for (const { name, entry } of from.servers) {
    const converted = convertEntry(entry, from.client);
    if (name === program.app || isHub(converted)) continue;
    if (typeof converted === 'string') left.push(`${name}: ${converted}`);
    else if (!Object.hasOwn(existing, name)) taken.push({ name, entry: converted });
    else if (JSON.stringify(existing[name]) === JSON.stringify(converted)) known.push(name);
    else left.push(`${name}: ${into} has another server of this name`);
  }
  return { from, into, taken, known, left };
}

/** A hub behind a hub would start itself. */
function isHub(entry: Fields | string): boolean {
  if (typeof entry === 'string') return false;
  const words = [entry.command, ...(Array.isArray(entry.args) ? entry.args : [])].map(String);
  return words.some((word) => /(?:^|[\\/])molehub-mcp(?:@[\w.-]+|[\\/]dist[\\/]main\.js)?$/.test(word));
}

/** Throws for a file that cannot be read: it is a person's, and nothing of it may be lost. */
function readOwn(path: string): Fields {
  const text = readSmallFile(path)?.bytes.toString('utf8') ?? '';
  return text.trim() === '' ? {} : parseServers(text, path);
}

export async function importServers(call: HubCommandCall): Promise<number> {
  const { terminal, given } = call;
  const plan = planImport(call);
  showPlan(call, plan);
  if (plan.taken.length === 0) return 0;
  if (!(await confirm(terminal, { question: `Write these to ${plan.into}?`, yes: given.yes }))) {
    terminal.print('Nothing was changed.');
    return 1;
  }
  await writePlan(plan);
  terminal.print(`Wrote ${plan.into}. Run \`${program.name} check\` to start each once.`);
  return 0;
}

export function showPlan({ terminal }: Pick<HubCommandCall, 'terminal'>, { from, taken, known, left }: ImportPlan): void {
  if (from.servers.length === 0) terminal.print(`${from.client.title} has no servers in ${from.path}.`);
  for (const { name, entry } of taken) terminal.print(formatVisible(`+ ${name}: ${JSON.stringify(hideSecrets(entry))}`));
  for (const name of known) terminal.print(formatVisible(`= ${name}: is there already`));
  for (const line of left) terminal.print(formatVisible(`- ${line}`));
}

/** Values of variables and headers may be secrets; a person knows them by their names. */
function hideSecrets(entry: Fields): Fields {
  const hide = (values: unknown) =>
    isFields(values) ? Object.fromEntries(Object.keys(values).map((key) => [key, '…'])) : values;
  return {
    ...entry,
    ...(entry.env !== undefined && { env: hide(entry.env) }),
    ...(entry.headers !== undefined && { headers: hide(entry.headers) }),
  };
}

export async function writePlan({ into, taken }: ImportPlan): Promise<void> {
  await changeFile({
    path: into,
    backup: true,
    edit: (image) => {
      const before = image?.bytes.toString('utf8') ?? '';
      return taken.reduce(
        (text, { name, entry }) => writeJsonEntry({ text, path: ['mcpServers', name], where: into }, entry),
        before,
      );
    },
  });
}
