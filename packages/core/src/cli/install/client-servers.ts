import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { getNodeValue, parseTree } from 'jsonc-parser';
import { Failure } from '../../failure.ts';
import { readSmallFile } from '../../files/read-file.ts';
import { nearestNames } from '../../nearest.ts';
import { type Fields, isFields } from '../../registry/tree.ts';
import { type Client, clients, type Machine } from './clients.ts';
import { parseTomlTables } from './toml-tables.ts';

/** The servers that a client's own file lists, as they are written there. */
export interface ClientServers {
  client: Client;
  path: string;
  servers: readonly { name: string; entry: Fields }[];
}

const maxBytes = 16 * 1024 * 1024;

/** Reads the file of a client; `project` is the working directory where the project's file is meant. */
export function readClientServers(id: string, machine: Machine, project?: string): ClientServers {
  const ids = clients.map((one) => one.id);
  const client = clients.find((one) => one.id === id);
  if (client === undefined) {
    throw new Failure('input', `unknown client ${JSON.stringify(id.slice(0, 60))}`, {
      nearest: nearestNames(id, ids),
      hint: `Use one of ${ids.join(', ')}.`,
    });
  }
  if (project !== undefined && client.projectFile === undefined) {
    throw new Failure('input', `${client.title} has no project file`, { hint: 'Leave out --project.' });
  }
  const path = project === undefined ? client.file(machine) : resolve(project, client.projectFile ?? '');
  const image = existsSync(path) ? readSmallFile(path, { maxBytes }) : undefined;
  const text = image?.bytes.toString('utf8').replace(/^\uFEFF/, '') ?? '';
  const section = client.form === 'toml' ? parseTomlTables(text)[client.section] : readSection(text, client, path);
  const servers = Object.entries(isFields(section) ? section : {}).flatMap(([name, entry]) =>
    isFields(entry) ? [{ name, entry }] : [],
  );
  return { client, path, servers };
}

function readSection(text: string, { section }: Client, path: string): unknown {
  if (text.trim() === '') return undefined;
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const value: unknown = tree === undefined ? undefined : getNodeValue(tree);
  if (isFields(value)) return value[section];
  throw new Failure('config', `${path} does not hold an object`, { hint: 'Correct it in the client.' });
}
