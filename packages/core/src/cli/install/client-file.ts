import { createHash } from 'node:crypto';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../../failure.ts';
import { resolveTarget } from '../../files/atomic-write.ts';
import { changeFile } from '../../files/change-file.ts';
import { readSmallFile } from '../../files/read-file.ts';
import { isFields } from '../../registry/tree.ts';
import type { Client, Machine, SecretInput } from './clients.ts';
import { readJsonEntry, writeJsonEntry, writeJsonItem } from './json-file.ts';
import { readTomlTable, writeTomlTable } from './toml-file.ts';

type Entry = Readonly<Record<string, unknown>>;

/** A client's configuration of one server: read, and changed as a text. */
export interface ClientFile {
  path: string;
  exists: boolean;
  text: string;
  /** What is there for the server, as a person would read it. */
  shown: string | undefined;
  /** The whole text with another entry, which keeps what the person added to the old one; undefined takes it away. */
  with(entry: Entry | undefined): string;
  /** A text of this file without the entries of other servers. */
  without(text: string, servers: readonly string[]): string;
  /** A text of this file with those entries of other servers that `copy` has and it has not. */
  restored(text: string, copy: string, servers: readonly string[]): string;
  /** The entry as it would be. */
  preview(entry: Entry): string;
}

const maxSize = 16 * 1024 * 1024;

export function openClientFile(client: Client, server: string, machine: Machine, project?: string): ClientFile {
  const path = project ?? client.file(machine);
  const image = existsSync(path) ? readSmallFile(path, { maxBytes: maxSize }) : undefined;
  const text = image === undefined ? '' : decode(image.bytes, path);
  return editClientText(client, server, { path, exists: image !== undefined, text });
}

/** A whole file that has only this entry, as a person would copy it. */
export function formatNewFile(client: Client, server: string, entry: Entry): string {
  return editClientText(client, server, { path: client.title, exists: false, text: '' }).with(entry).trim();
}

function editClientText(client: Client, server: string, base: Pick<ClientFile, 'path' | 'exists' | 'text'>): ClientFile {
  const { path, text } = base;
  if (client.form === 'toml') {
    const name = `${client.section}.${server}`;
    const write = (entry: Entry | undefined) => writeTomlTable({ text, name, where: path }, entry && withoutOtherKind(entry));
    const tablePath = (one: string) => `${client.section}.${one}`;
    return {
      ...base,
      ...otherServers(
        (one, where) => readTomlTable(where, tablePath(one)),
        (one, where, table) =>
          table === undefined
            ? writeTomlTable({ text: where, name: tablePath(one), where: path }, undefined)
            : `${where}${where === '' || where.endsWith('\n') ? '\n' : '\n\n'}${table}\n`,
      ),
      shown: readTomlTable(text, name),
      with: write,
      preview: (entry) => readTomlTable(write(entry), name) ?? '',
    };
  }
  const place = [client.section, server] as const;
  const current = readJsonEntry(text, place, path);
  const input = client.secretInput?.(server);
  const write = (entry: unknown) => {
    const written = writeJsonEntry({ text, path: place, where: path }, entry);
    return input === undefined ? written : writeInput({ text: written, path, entry }, input);
  };
  return {
    ...base,
    ...otherServers(
      (one, where) => readJsonEntry(where, [client.section, one], path),
      (one, where, other) => writeJsonEntry({ text: where, path: [client.section, one], where: path }, other),
    ),
    shown: current === undefined ? undefined : formatShown(current, input),
    with: (entry) => write(entry && withOwn(entry, current)),
    preview: (entry) => formatShown(withOwn(entry, current), input),
  };
}

/** Changes of the entries that are not ours; each is taken and given back as it is written. */
function otherServers<T>(
  read: (server: string, text: string) => T | undefined,
  write: (server: string, text: string, entry: T | undefined) => string,
): Pick<ClientFile, 'without' | 'restored'> {
  return {
    without: (text, servers) => servers.reduce((changed, one) => write(one, changed, undefined), text),
    restored: (text, copy, servers) =>
      servers.reduce((changed, one) => {
        const entry = read(one, copy);
        return entry === undefined || read(one, changed) !== undefined ? changed : write(one, changed, entry);
      }, text),
  };
}

/** An input is in the file as long as the entry refers to it. */
function writeInput({ text, path, entry }: { text: string; path: string; entry: unknown }, input: SecretInput): string {
  return writeJsonItem({ text, list: input.list, where: path }, input.item, usesInput(entry, input));
}

function usesInput(entry: unknown, { reference }: SecretInput): boolean {
  return entry !== undefined && JSON.stringify(entry).includes(reference);
}

function formatShown(entry: unknown, input: SecretInput | undefined): string {
  const shown = JSON.stringify(entry, null, 2);
  if (input === undefined || !usesInput(entry, input)) return shown;
  return `${shown}\n"${input.list}": [${JSON.stringify(input.item)}]`;
}

/** What starts or finds the server is ours; the rest of an entry is the person's: variables, a time limit, whether it is enabled. */
const addressKeys: readonly string[] = ['url', 'httpUrl', 'serverUrl'];
const ours: readonly string[] = ['type', 'command', 'args', ...addressKeys];
/** A TOML client refuses an entry with keys of both kinds. */
const startKeys: readonly string[] = ['command', 'args', 'env', 'env_vars'];
const remoteKeys: readonly string[] = ['url', 'bearer_token_env_var', 'http_headers'];

function withOwn(entry: Entry, current: unknown): Entry {
  // An entry of another kind has nothing that suits this one.
  if (!isFields(current) || !isSameKind(entry, current)) return entry;
  const own = Object.entries(current).filter(([key]) => !ours.includes(key));
  const kept = own.map(([key, value]) => [key, isFields(value) && isFields(entry[key]) ? { ...value, ...entry[key] } : value]);
  return { ...entry, ...Object.fromEntries(kept) };
}

function isSameKind(entry: Entry, current: Entry): boolean {
  return 'command' in entry ? 'command' in current : addressKeys.some((key) => key in current);
}

/** A key whose value is undefined is removed from the table. */
function withoutOtherKind(entry: Entry): Entry {
  const others = 'command' in entry ? remoteKeys : startKeys;
  return { ...entry, ...Object.fromEntries(others.map((key) => [key, undefined])) };
}

/** A file in another encoding would come back with other letters. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('config', `${path} is not UTF-8`, { hint: 'Save it as UTF-8. Nothing was changed.' });
  }
}

/** What `replaceText` keeps beside the file. */
export function readCopy(path: string): string | undefined {
  return readSmallFile(`${resolveTarget(path)}.bak`, { maxBytes: maxSize })?.bytes.toString('utf8');
}

/** Replaces the file in one step and keeps the old text beside it; its owner and permissions stay as they were. */
export async function replaceText({ path, text, exists }: ClientFile, changed: string): Promise<boolean> {
  const mode = exists ? statSync(path).mode & 0o777 : undefined;
  let isSame = true;
  await changeFile({
    path,
    backup: true,
    edit: (image) => {
      isSame = (image?.bytes.toString('utf8') ?? '') === text;
      return isSame ? changed : undefined;
    },
  });
  if (mode !== undefined) chmodSync(path, mode);
  return isSame;
}

/** What a file was before we changed it, so that it can be restored exactly as long as only we have changed it. */
export interface Installed {
  path: string;
  /** The hash of the text that we wrote; the text itself is kept only in the copy beside it. */
  after: string;
  /** The hash of the earlier file; null if there was no file. */
  before: string | null;
  /** Entries of other servers that ours has replaced. */
  replaced?: readonly string[] | undefined;
}

const shape = z.object({
  version: z.literal(1),
  installed: z.array(
    z.object({
      path: z.string(),
      after: z.string(),
      before: z.string().nullable(),
      replaced: z.array(z.string()).optional(),
    }),
  ),
});

export function recordPathFor(storePath: string): string {
  return join(dirname(storePath), 'installed.json');
}

export function hashSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function findInstalled(recordPath: string, path: string): Installed | undefined {
  return parse(readSmallFile(recordPath)?.bytes).find((one) => one.path === path);
}

/** Undefined forgets it. */
export async function rememberInstalled(recordPath: string, path: string, entry: Installed | undefined): Promise<void> {
  await changeFile({
    path: recordPath,
    edit: (image) => {
      const others = parse(image?.bytes).filter((one) => one.path !== path);
      const installed = entry === undefined ? others : [...others, entry];
      return `${JSON.stringify({ version: 1, installed }, null, 2)}\n`;
    },
  });
}

/** A record that cannot be read is as good as none: it only makes taking back more exact. */
function parse(bytes: Uint8Array | undefined): Installed[] {
  if (bytes === undefined) return [];
  try {
    return shape.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).installed;
  } catch {
    return [];
  }
}
