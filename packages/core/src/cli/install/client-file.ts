import { chmodSync, existsSync, statSync } from 'node:fs';
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
  const text = image?.bytes.toString('utf8') ?? '';
  const base = { path, exists: image !== undefined, text };
  if (client.form === 'toml') {
    const name = `${client.section}.${server}`;
    return { ...base, shown: readTomlTable(text, name), with: (entry) => writeTomlTable(text, name, entry) };
  }
  const place = [client.section, server];
  const current = readJsonEntry(text, place, path);
  return {
    ...base,
    shown: current === undefined ? undefined : JSON.stringify(current, null, 2),
    with: (entry) => withEntry(text, { place, entry, where: path }),
  };
}

/** A section that is empty afterwards goes as well: nobody would have written it. */
function withEntry(
  text: string,
  { place, entry, where }: { place: readonly string[]; entry: Entry | undefined; where: string },
): string {
  const written = writeJsonEntry(text, place, entry);
  const section = readJsonEntry(written, place.slice(0, 1), where);
  const isEmpty = entry === undefined && typeof section === 'object' && section !== null && Object.keys(section).length === 0;
  return isEmpty ? writeJsonEntry(written, place.slice(0, 1), undefined) : written;
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
