import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { canonical, changeFile, type Fields, isFields, parseJson, readSmallFile } from '@dbmole/core';

/** A tool as its server describes it, with everything that this server wrote. */
export interface ToolDefinition extends Fields {
  name: string;
  description?: string;
  inputSchema: Fields;
}

/** What a server said when it was last seen. */
export interface Seen {
  name: string | undefined;
  version: string | undefined;
  /** The era of the protocol that it speaks. */
  era: 'legacy' | 'modern';
  instructions: string | undefined;
  tools: readonly ToolDefinition[];
}

export interface Manifest extends Seen {
  /** The server in the configuration, and the fingerprint of its entry then. */
  server: string;
  origin: string;
  fingerprint: string;
  seenAt: string;
  /** Digests of the tools as they were accepted; the key of the instructions is empty. */
  accepted: Readonly<Record<string, string>>;
}

const version = 1;
const maxBytes = 16 * 1024 * 1024;
const instructionsKey = '';

/** One file for each server of each configuration file. */
export function manifestPath(folder: string, { server, origin }: Pick<Manifest, 'server' | 'origin'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([origin, server]))
    .digest('hex')
    .slice(0, 12);
  return join(folder, `${server.replace(/[^\w-]/g, '_').slice(0, 40)}-${hash}.json`);
}

/** Undefined when the server was never seen, or the file cannot be used: then it is made again. */
export function readManifest(path: string): Manifest | undefined {
  try {
    return parseManifest(readSmallFile(path, { maxBytes })?.bytes);
  } catch {
    return undefined;
  }
}

function parseManifest(bytes: Uint8Array | undefined): Manifest | undefined {
  const value = bytes === undefined ? undefined : parseJson(Buffer.from(bytes).toString('utf8'));
  if (!isFields(value) || value.version !== version || !isFields(value.manifest)) return undefined;
  const { tools, accepted, server, origin, fingerprint } = value.manifest;
  const isWhole = Array.isArray(tools) && tools.every(isTool) && isFields(accepted);
  const hasPlace = [server, origin, fingerprint].every((one) => typeof one === 'string');
  // Written by `saveManifest`, and the parts that are used without a further check have just been checked.
  return isWhole && hasPlace ? (value.manifest as unknown as Manifest) : undefined;
}

export function isTool(value: unknown): value is ToolDefinition {
  return isFields(value) && typeof value.name === 'string' && isFields(value.inputSchema);
}

/** Remembers what a server says now. What it said first counts as accepted; what it changed later does not. */
export async function saveManifest(
  path: string,
  { server, origin, fingerprint }: Pick<Manifest, 'server' | 'origin' | 'fingerprint'>,
  seen: Seen,
): Promise<Manifest> {
  const build = (before: Manifest | undefined): Manifest => ({
    ...{ server, origin, fingerprint, seenAt: new Date().toISOString(), ...seen },
    accepted: before?.accepted ?? digestAll(seen),
  });
  const manifest = build(readManifest(path));
  return (await change(path, build)) ?? manifest;
}

/** A person has read what changed. Undefined when the server has said something else since. */
export async function acceptManifest(path: string, seenAt: string): Promise<Manifest | undefined> {
  let isSame = true;
  const manifest = await change(path, (before) => {
    isSame = before?.seenAt === seenAt;
    return before === undefined || !isSame ? before : { ...before, accepted: digestAll(before) };
  });
  return isSame ? manifest : undefined;
}

async function change(
  path: string,
  build: (before: Manifest | undefined) => Manifest | undefined,
): Promise<Manifest | undefined> {
  let manifest: Manifest | undefined;
  await changeFile({
    path,
    edit: (image) => {
      manifest = build(parseManifest(image?.bytes));
      return manifest && `${JSON.stringify({ version, manifest })}\n`;
    },
  });
  return manifest;
}

export type Change = 'new' | 'changed';

/** Tools that differ from what was accepted, by name; the key of the instructions is empty. */
export function findChanges(manifest: Manifest): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  for (const [key, digest] of Object.entries(digestAll(manifest))) {
    const accepted = Object.hasOwn(manifest.accepted, key) ? manifest.accepted[key] : undefined;
    if (accepted !== digest) changes.set(key, accepted === undefined ? 'new' : 'changed');
  }
  return changes;
}

function digestAll({ tools, instructions }: Pick<Seen, 'tools' | 'instructions'>): Record<string, string> {
  const pairs = tools.map((tool): [string, string] => [tool.name, digest(tool)]);
  return Object.fromEntries([...pairs, [instructionsKey, digest(instructions ?? '')]]);
}

/** The order of keys and what a client keeps to itself do not count. */
function digest(value: unknown): string {
  const { _meta, ...shown }: Fields = isFields(value) ? value : { value };
  return createHash('sha256').update(canonical(shown)).digest('hex').slice(0, 32);
}
