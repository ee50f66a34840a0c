import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { canonical, changeFile, type Fields, isFields, parseJson, readSmallFile } from '@dbmole/core';

/** A tool as its server describes it, with everything that this server wrote. */
export interface ToolDefinition extends Fields {
  name: string;
  description?: string;
  inputSchema: Fields;
}

/** What a client may ask for by name, and the model gets to read. */
export interface PromptDefinition extends Fields {
  name: string;
}

interface ResourceDefinition extends Fields {
  uri: string;
}

interface TemplateDefinition extends Fields {
  uriTemplate: string;
}

/** What a server offers. */
export interface Offers {
  tools: readonly ToolDefinition[];
  prompts: readonly PromptDefinition[];
  resources: readonly ResourceDefinition[];
  templates: readonly TemplateDefinition[];
}

/** What a server said when it was last seen. */
export interface Seen extends Offers {
  name: string | undefined;
  version: string | undefined;
  /** The era of the protocol that it speaks. */
  era: 'legacy' | 'modern';
  instructions: string | undefined;
}

export interface Manifest extends Seen {
  /** The server in the configuration, and the fingerprint of its entry then. */
  server: string;
  origin: string;
  fingerprint: string;
  seenAt: string;
  /** Digests of tools, prompts and instructions as they were accepted. */
  accepted: Readonly<Record<string, string>>;
}

const version = 1;
const maxBytes = 16 * 1024 * 1024;
/** A name is not empty and has no line break: these are keys of nothing else. */
const instructionsKey = '';
const promptPrefix = 'prompt\n';

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
  const { tools, prompts, resources, templates, accepted, server, origin, fingerprint } = value.manifest;
  if (!isShallow(value)) return undefined;
  const isWhole = isListOf(tools, isTool) && isListOf(prompts, isPrompt) && isFields(accepted);
  const hasUris = isListOf(resources, isResource) && isListOf(templates, isTemplate);
  const hasPlace = [server, origin, fingerprint].every((one) => typeof one === 'string');
  // `saveManifest` wrote it, and the parts that are used without a further check have just been checked.
  return isWhole && hasUris && hasPlace ? (value.manifest as unknown as Manifest) : undefined;
}

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is T[] {
  return Array.isArray(value) && value.every(is);
}

/** Deeper definitions could be written and not be read again: what reads them runs into the end of the stack. */
const maxDepth = 100;

/** Whether nothing in it is nested too deeply to be a definition. */
export function isShallow(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth < maxDepth && Object.values(value).every((one) => isShallow(one, depth + 1));
}

export function isTool(value: unknown): value is ToolDefinition {
  return isPrompt(value) && isFields(value.inputSchema);
}

export function isPrompt(value: unknown): value is PromptDefinition {
  return isFields(value) && typeof value.name === 'string' && /^[^\p{Cc}]+$/u.test(value.name);
}

export function isResource(value: unknown): value is ResourceDefinition {
  return isFields(value) && typeof value.uri === 'string';
}

export function isTemplate(value: unknown): value is TemplateDefinition {
  return isFields(value) && typeof value.uriTemplate === 'string';
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

/** Something that a model reads and that differs from what was accepted. */
export interface ChangedPart {
  kind: 'tool' | 'prompt' | 'instructions';
  /** The name is empty for the instructions. */
  name: string;
  change: Change;
  shown: unknown;
}

interface Part extends Omit<ChangedPart, 'change'> {
  key: string;
}

/** Resources do not count: their list is content, and changes like the content of a tool's answer. */
export function findChanges(manifest: Manifest): readonly ChangedPart[] {
  return listParts(manifest).flatMap(({ key, ...part }) => {
    const accepted = Object.hasOwn(manifest.accepted, key) ? manifest.accepted[key] : undefined;
    if (accepted === digest(part.shown)) return [];
    return [{ ...part, change: accepted === undefined ? ('new' as const) : ('changed' as const) }];
  });
}

function digestAll(seen: Seen): Record<string, string> {
  return Object.fromEntries(listParts(seen).map(({ key, shown }) => [key, digest(shown)]));
}

function listParts({ tools, prompts, instructions = '' }: Seen): Part[] {
  return [
    ...tools.map((shown): Part => ({ kind: 'tool', name: shown.name, key: shown.name, shown })),
    ...prompts.map((shown): Part => ({ kind: 'prompt', name: shown.name, key: `${promptPrefix}${shown.name}`, shown })),
    { kind: 'instructions', name: '', key: instructionsKey, shown: instructions },
  ];
}

/** The order of keys and what a client keeps to itself do not count. */
function digest(value: unknown): string {
  const { _meta, ...shown }: Fields = isFields(value) ? value : { value };
  return createHash('sha256').update(canonical(shown)).digest('hex').slice(0, 32);
}
