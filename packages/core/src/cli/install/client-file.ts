import { chmodSync, existsSync, statSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import { resolveTarget } from '../../files/atomic-write.ts';
import { changeFile } from '../../files/change-file.ts';
import { readSmallFile } from '../../files/read-file.ts';
import type { Client, Machine } from './clients.ts';
import { readJsonEntry, writeJsonEntry } from './json-file.ts';
import { readTomlTable, writeTomlTable } from './toml-file.ts';

type Entry = Readonly<Record<string, unknown>>;

/** A client's configuration of one server: read, and changed as a text. */
export interface ClientFile {
  path: string;
  exists: boolean;
  text: string;
  /** What is there for the server, as a person would read it. */
  shown: string | undefined;
  /** The whole text with another entry; undefined takes it away. */
  with(entry: Entry | undefined): string;
}

const mostBytes = 16 * 1024 * 1024;

export function openClientFile(client: Client, server: string, machine: Machine): ClientFile {
  const path = client.file(machine);
  const image = existsSync(path) ? readSmallFile(path, { maxBytes: mostBytes }) : undefined;
  const text = image === undefined ? '' : decode(image.bytes, path);
  const base = { path, exists: image !== undefined, text };
  if (client.form === 'toml') {
    const name = `${client.section}.${server}`;
    return { ...base, shown: readTomlTable(text, name), with: (entry) => writeTomlTable({ text, name, where: path }, entry) };
  }
  const place = [client.section, server] as const;
  const current = readJsonEntry(text, place, path);
  return {
    ...base,
    shown: current === undefined ? undefined : JSON.stringify(current, null, 2),
    with: (entry) => writeJsonEntry({ text, path: place, where: path }, entry),
  };
}

/** A file in another encoding would come back with other letters. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('config', `${path} is not UTF-8`, { hint: 'Save it as UTF-8; nothing was changed.' });
  }
}

/** What `replaceText` keeps beside the file. */
export function readCopy(path: string): string | undefined {
  return readSmallFile(`${resolveTarget(path)}.bak`, { maxBytes: mostBytes })?.bytes.toString('utf8');
}

/** As one step, with the old text beside it; what others may do with the file stays as it was. */
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
