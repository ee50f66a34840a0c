import { createHash } from 'node:crypto';
import {
  askUser,
  canonical,
  createTrust,
  Failure,
  type Fields,
  formatIssues,
  isFields,
  nearestNames,
  parseJsonText,
  readSmallFile,
  toFailure,
  toProjectFile,
} from '@dbmole/core';
import { baseFor, type Places } from './places.ts';
import { knownKeys, type ServerEntry, schemaFor } from './server-entry.ts';

/** One server as it is configured. */
export interface ConfiguredServer {
  name: string;
  /** The file that defines it. */
  origin: string;
  isProject: boolean;
  /** Where its relative paths begin. */
  base: string;
  /** Absent when `problem` is set. */
  entry?: ServerEntry;
  problem?: Failure;
  /** Weaker files that define the same name. */
  shadows: readonly string[];
  /** Changes with the entry and its place. */
  fingerprint: string;
}

export interface Config {
  servers: readonly ConfiguredServer[];
  /** What is wrong with files as a whole. */
  problems: readonly Failure[];
}

/** Reads the three files, strongest first. A broken file or entry never hides the others. */
export function readConfig(places: Places): Config {
  const servers = new Map<string, ConfiguredServer>();
  const problems: Failure[] = [];
  for (const path of [places.named, places.project, places.own]) {
    if (path === undefined) continue;
    try {
      const raw = readFile(path, places);
      for (const [name, entry] of Object.entries(raw)) add(servers, readServer({ name, entry, path, places }));
    } catch (error) {
      problems.push(toFailure(error));
    }
  }
  return { servers: [...servers.values()], problems };
}

function add(servers: Map<string, ConfiguredServer>, server: ConfiguredServer): void {
  const stronger = servers.get(server.name);
  if (stronger === undefined) servers.set(server.name, server);
  else servers.set(server.name, { ...stronger, shadows: [...stronger.shadows, server.origin] });
}

/** The entries of a file by name; nothing for an own file that does not exist. */
function readFile(path: string, places: Places): Fields {
  const image = readSmallFile(path);
  if (image === undefined) {
    if (path === places.named) throw new Failure('config', `${path} does not exist`, { hint: askUser('correct --config') });
    return {};
  }
  if (path === places.project) requireAllowed(image, places);
  return parseServers(image.bytes.toString('utf8'), path);
}

type FileImage = NonNullable<ReturnType<typeof readSmallFile>>;

/** A project's file came with a repository: it counts as it was when the person allowed it. */
function requireAllowed(image: FileImage, { trust: memory, project: path = image.path }: Places): void {
  const trust = createTrust(memory);
  const problem = trust.problem();
  if (problem !== undefined) throw problem;
  // This is the image that is used: the file may have changed since.
  if (trust.isAllowed({ path: image.path, sha256: toProjectFile(image).sha256 })) return;
  const state = trust.lastAllowed(path) === undefined ? 'is not allowed yet' : 'has changed since it was allowed';
  throw new Failure('refused', `${path} ${state}, so its servers are not used`, {
    code: 'E_NOT_ALLOWED',
    hint: askUser('run `molehub-mcp allow` in the project'),
  });
}

/** Reads `{ "mcpServers": { … } }`; VS Code writes `servers`. */
export function parseServers(text: string, path: string): Fields {
  const { value } = parseJsonText(text, path, { comments: true });
  const form = 'Write it as { "mcpServers": { "NAME": { "command": …, "args": […] } } }.';
  if (!isFields(value)) throw new Failure('config', `${path} does not hold an object`, { hint: form });
  const servers = value.mcpServers ?? value.servers ?? {};
  if (!isFields(servers)) throw new Failure('config', `${path} has "mcpServers" that are not an object`, { hint: form });
  return servers;
}

interface RawServer {
  name: string;
  entry: unknown;
  path: string;
  places: Places;
}

function readServer({ name, entry: raw, path, places }: RawServer): ConfiguredServer {
  const base = baseFor(path, places);
  const fingerprint = createHash('sha256')
    .update(canonical([name, path, raw]))
    .digest('hex')
    .slice(0, 16);
  const server = { name, origin: path, isProject: path === places.project, base, shadows: [], fingerprint };
  const fail = (what: string) => ({
    ...server,
    problem: new Failure('config', `server "${name}" in ${path} cannot be used: ${what}`, {
      hint: [askUser(`correct it in ${path}`), 'The other servers are not affected.'],
    }),
  });
  if (!/^[^\p{Cc}]{1,64}$/u.test(name)) return fail('expected a name of 1 to 64 characters without control characters');
  if (!isFields(raw)) return fail('it is not an object');
  if (!('command' in raw) && !('url' in raw)) return fail('it has neither "command" nor "url"');
  // Cline and Windsurf write it so.
  const written = raw.disabled === true ? { ...raw, enabled: false } : raw;
  const schema = schemaFor(written);
  const parsed = schema.safeParse(written);
  if (!parsed.success) return fail(formatIssues(parsed.error.issues, written, schema));
  const misspelled = findMisspelled(raw);
  if (misspelled !== undefined) return fail(misspelled);
  return { ...server, entry: parsed.data };
}

/** Other programs' keys are let pass; one that is nearly ours is a mistake. */
function findMisspelled(raw: Fields): string | undefined {
  for (const key of Object.keys(raw)) {
    const [meant] = knownKeys.includes(key) || key === 'disabled' ? [] : nearestNames(key, knownKeys, 1);
    if (meant !== undefined) return `it has the unknown key "${key.slice(0, 60)}" (did you mean "${meant}"?)`;
  }
  return undefined;
}
