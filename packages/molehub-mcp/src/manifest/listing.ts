import type { ConfiguredServer } from '../config/read-config.ts';
import { restartTool, searchTools, statusTool } from '../hub/own-tools.ts';
import type { ShownLists } from '../session/hub-door.ts';
import { formatInstructions, type ListedServer } from './instructions.ts';
import { type Change, findChanges, type Manifest, type PromptDefinition, type ToolDefinition } from './manifest.ts';
import { toHubUri } from './resource-uris.ts';
import { isWanted, nameParts } from './tool-names.ts';
import { showHidden } from './visible.ts';

/** A tool or a prompt behind the hub. */
export interface HubPart<T> {
  server: string;
  /** The name that its server knows. */
  name: string;
  change: Change | undefined;
  /** `--pin` keeps it back until a person accepts the change. */
  isWithheld: boolean;
  /** What clients are shown. */
  definition: T;
}

export type HubTool = HubPart<ToolDefinition>;
type HubPrompt = HubPart<PromptDefinition>;

/** What is offered. Tools and prompts are by the name that clients use, with those that are withheld. */
export interface Listing {
  tools: ReadonlyMap<string, HubTool>;
  prompts: ReadonlyMap<string, HubPrompt>;
  isSearch: boolean;
  /** What the lists answer. */
  shown: ShownLists;
  instructions: string;
}

export interface ListingOptions {
  search: boolean;
  pin: boolean;
}

/** A longer list costs a model more than the detour of searching it. */
const maxListedTools = 30;

export function buildListing(servers: readonly ListedServer[], { search, pin }: ListingOptions): Listing {
  const seen = servers.flatMap(({ server, manifest }) => (manifest === undefined ? [] : [{ server, manifest }]));
  const tools = nameAll(
    seen.flatMap((one) => {
      const wanted = one.manifest.tools.filter(({ name }) => isWanted(name, one.server.entry?.tools));
      return toParts(one, { kind: 'tool', definitions: wanted, pin });
    }),
  );
  const prompts = nameAll(
    seen
      .filter(({ server }) => server.entry?.prompts)
      .flatMap((one) => toParts(one, { kind: 'prompt', definitions: one.manifest.prompts, pin })),
  );
  const offered = listOffered(tools);
  const isSearch = search || offered.length > maxListedTools;
  const readable = seen.filter(({ server }) => server.entry?.resources);
  return {
    tools,
    prompts,
    isSearch,
    shown: {
      tools: isSearch ? [...searchTools, statusTool, restartTool] : [...offered, statusTool, restartTool],
      prompts: listOffered(prompts),
      resources: readable.flatMap(({ server: { name }, manifest }) =>
        manifest.resources.map((one) => ({ ...showHidden(one, ['name']), uri: toHubUri(name, one.uri) })),
      ),
      resourceTemplates: readable.flatMap(({ server: { name }, manifest }) =>
        manifest.templates.map((one) => ({ ...showHidden(one, ['name']), uriTemplate: toHubUri(name, one.uriTemplate) })),
      ),
    },
    instructions: formatInstructions(servers, { isSearch, pin }),
  };
}

interface PartsOptions<T> {
  kind: 'tool' | 'prompt';
  definitions: readonly T[];
  pin: boolean;
}

function toParts<T extends PromptDefinition>(
  { server, manifest }: { server: ConfiguredServer; manifest: Manifest },
  { kind, definitions, pin }: PartsOptions<T>,
): HubPart<T>[] {
  const changes = new Map(findChanges(manifest).flatMap((one) => (one.kind === kind ? [[one.name, one.change] as const] : [])));
  return definitions.map((definition) => {
    const { name } = definition;
    const change = changes.get(name);
    return { server: server.name, name, change, isWithheld: pin && change !== undefined, definition: showHidden(definition) };
  });
}

function nameAll<T extends PromptDefinition>(parts: readonly HubPart<T>[]): Map<string, HubPart<T>> {
  const named = nameParts(parts);
  for (const [name, part] of named) part.definition = { ...part.definition, name };
  return named;
}

function listOffered<T>(parts: ReadonlyMap<string, HubPart<T>>): T[] {
  return [...parts.values()].filter(({ isWithheld }) => !isWithheld).map(({ definition }) => definition);
}
