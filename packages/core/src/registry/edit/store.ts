import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { askUser, Failure, toFailure } from '../../failure.ts';
import { changeFile } from '../../files/change-file.ts';
import { createFileCell } from '../../files/file-cell.ts';
import { type FileImage, maxFileBytes, readSmallFile } from '../../files/read-file.ts';
import type { Log } from '../../log.ts';
import { type ConnectionDocument, documentVersion, parseDocument, type RawConnection } from '../sources/document.ts';
import { createFileSource, type SourceState } from '../sources/sources.ts';
import type { Fields } from '../tree.ts';

interface StoreOptions {
  path: string;
  log?: Log;
  lockWaitMs?: number;
}

/** The user's own connections: one versioned JSON file, for its owner only, shared by every server that runs. */
export interface Store {
  readonly path: string;
  /** What the file holds now; what it held before while it cannot be read. Costs a stat when nothing changed. */
  read(): SourceState;
  /**
   * Changes the file as one step. `edit` gets what it holds at that moment, under the lock, and returns the top-level keys that
   * change; throwing or undefined changes nothing, and so does a signal that is aborted before it is this change's turn. Fields we do not know
   * stay, in the file and in every connection.
   */
  change(edit: (held: Held) => Fields | undefined, signal?: AbortSignal): Promise<void>;
}

export interface Held {
  /** The whole file. */
  value: Fields;
  /** Everything in the list, also what is not a connection we understand. */
  list: readonly unknown[];
  /** The elements of `list` that have a name; `raw` is the element itself. */
  connections: readonly RawConnection[];
}

export function createStore(options: StoreOptions): Store {
  const { path, log } = options;
  const origin = { kind: 'store', where: path } as const;
  const cell = createFileCell(path, (name) => openPrivately(name, log));
  const source = createFileSource({ origin, base: dirname(path), read: () => cell.read(), backup: `${path}.bak` });
  return {
    path,
    read: () => source.read(),
    change: (edit, signal) =>
      changeFile({
        path,
        backup: true,
        signal,
        ...(options.lockWaitMs !== undefined && { lockWaitMs: options.lockWaitMs }),
        edit: (image) => changeDocument(path, image, edit),
      }),
  };
}

/** A store for a program that brings all its connections: it is empty, and nothing reads or writes the file. */
export function createClosedStore(path: string): Store {
  const state: SourceState = { origin: { kind: 'store', where: path }, candidates: [], problems: [] };
  const refusal = 'the connections of this server are fixed';
  return {
    path,
    read: () => state,
    change: () => Promise.reject(new Failure('refused', refusal, { code: 'E_NOT_EDITABLE' })),
  };
}

function changeDocument(path: string, image: FileImage | undefined, edit: Parameters<Store['change']>[0]): string | undefined {
  if (image) checkOthers(image);
  const document = image ? readable(path, image) : emptyDocument();
  if (document.newer) {
    throw new Failure('config', `${path} was written by a later version of this server, so this one does not change it`, {
      code: 'E_CONFIG_VERSION',
      hint: 'Update this server.',
    });
  }
  const held = document.value.connections;
  const list: readonly unknown[] = Array.isArray(held) ? held : [];
  const changes = edit({ value: document.value, list, connections: document.connections });
  return changes && checkSize(path, `${JSON.stringify({ ...document.value, ...changes }, null, 2)}\n`);
}

/** What is too large to be read again would take all connections with it, until a person mends the file. */
function checkSize(path: string, text: string): string {
  if (Buffer.byteLength(text) <= maxFileBytes) return text;
  throw new Failure('limit', `${path} would become larger than ${maxFileBytes} bytes; nothing was changed`, {
    code: 'E_STORE_FULL',
    hint: 'Use shorter values, or remove unused connections.',
  });
}

/** We never overwrite what we cannot read: it may be a typing error of a person, with all their connections around it. */
function readable(path: string, image: FileImage): ConnectionDocument {
  try {
    return parseDocument(image.bytes.toString('utf8'), path);
  } catch (error) {
    const failure = toFailure(error);
    throw new Failure('config', `${failure.message}; the store is not changed while it cannot be read`, {
      code: failure.code,
      hint: failure.next,
      cause: error,
    });
  }
}

function emptyDocument(): ConnectionDocument {
  return { value: { version: documentVersion }, connections: [], problems: [], newer: false };
}

/** Reads the store; one that others may read is closed to them, because it may hold passwords. */
function openPrivately(path: string, log: Log | undefined): FileImage | undefined {
  const image = readSmallFile(path);
  if (!image || process.platform === 'win32') return image;
  checkOthers(image);
  if ((image.mode & 0o077) !== 0) tighten(image, log);
  return image;
}

/** Connections that another user wrote are not the user's, and neither are the commands in them. */
function checkOthers(image: FileImage): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (image.uid !== user && image.uid !== 0) {
    throw new Failure(
      'config',
      `${image.path} belongs to another user (uid ${image.uid}, this server runs as ${user}) and is not used`,
      { hint: askUser(`run \`chown ${user} ${image.path}\``) },
    );
  }
  if ((image.mode & 0o002) === 0) return;
  throw new Failure('config', `${image.path} can be written by every user of this machine and is not used`, {
    hint: askUser(`review it, above all its commands, then run \`chmod 600 ${image.path}\``),
  });
}

function tighten(image: FileImage, log: Log | undefined): void {
  const fields = { path: image.path, mode: image.mode.toString(8) };
  try {
    chmodSync(image.path, 0o600);
    log?.('warn', 'the store was open to other users and is closed now; change the passwords it holds', fields);
  } catch {
    log?.('warn', 'the store is open to other users and its mode cannot be changed', fields);
  }
}
