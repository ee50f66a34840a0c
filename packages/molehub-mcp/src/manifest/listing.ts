import { formatVisible } from '@dbmole/core';
import type { ConfiguredServer } from '../config/read-config.ts';
import { restartTool, searchTools, statusTool } from '../hub/own-tools.ts';
import { type Change, findChanges, type Manifest, type ToolDefinition } from './manifest.ts';
import { isWanted, nameTools, plainName } from './tool-names.ts';
import { showHidden } from './visible.ts';

/** A server that is enabled, and what it said when it was last seen. */
export interface ListedServer {
  server: ConfiguredServer;
  manifest: Manifest | undefined;
}

/** A tool behind the hub. */
export interface HubTool {
  server: string;
  /** The name that its server knows. */
  tool: string;
  change: Change | undefined;
  /** `--pin` keeps it back until a person accepts the change. */
  isWithheld: boolean;
  /** What clients are shown. */
  definition: ToolDefinition;
}

export interface Listing {
  /** By the name that clients use; what is withheld is here as well. */
  tools: ReadonlyMap<string, HubTool>;
  isSearch: boolean;
  /** What `tools/list` answers. */
  shown: readonly ToolDefinition[];
  instructions: string;
}

export interface ListingOptions {
  search: boolean;
  pin: boolean;
}

/** A longer list costs a model more than the detour of searching it. */
export const maxListedTools = 30;
const maxInstructions = 2_000;
const maxServerInstructions = 300;

export function buildListing(servers: readonly ListedServer[], { search, pin }: ListingOptions): Listing {
  const all = servers.flatMap(({ server, manifest }) => listTools(server, manifest, pin));
  const tools = nameTools(all);
  for (const [name, tool] of tools) tool.definition = { ...tool.definition, name };
  const offered = [...tools.values()].filter(({ isWithheld }) => !isWithheld).map(({ definition }) => definition);
  const isSearch = search || offered.length > maxListedTools;
  return {
    tools,
    isSearch,
    shown: isSearch ? [...searchTools, statusTool, restartTool] : [...offered, statusTool, restartTool],
    instructions: formatInstructions(servers, { isSearch, pin }),
  };
}

function listTools(server: ConfiguredServer, manifest: Manifest | undefined, pin: boolean): HubTool[] {
  if (manifest === undefined) return [];
  const changes = findChanges(manifest);
  return manifest.tools
    .filter(({ name }) => isWanted(name, server.entry?.tools))
    .map((tool) => {
      const change = changes.get(tool.name);
      const definition = { ...showHidden(tool), name: plainName(server.name, tool.name) };
      return { server: server.name, tool: tool.name, change, isWithheld: pin && change !== undefined, definition };
    });
}

function formatInstructions(servers: readonly ListedServer[], { isSearch, pin }: { isSearch: boolean; pin: boolean }): string {
  const use = isSearch
    ? 'Find tools with hub_search, read their arguments with hub_describe, and call them with hub_call.'
    : 'A tool SERVER__TOOL belongs to the server SERVER.';
  const lines = [
    `Several MCP servers behind one. ${use} A server starts at the first call of one of its tools; hub_status says what is wrong with one.`,
    ...servers.map((one) => formatServer(one, pin)),
  ];
  const kept: string[] = [];
  for (const line of lines) if ([...kept, line].join('\n').length <= maxInstructions) kept.push(line);
  return kept.join('\n');
}

/** What a server says of itself counts like the description of a tool: changed, it is not passed on when tools are pinned. */
function formatServer({ server, manifest }: ListedServer, pin: boolean): string {
  const isHeld = manifest !== undefined && pin && findChanges(manifest).has('');
  const said = isHeld ? undefined : manifest?.instructions;
  const text = formatVisible(said ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const short = text.length <= maxServerInstructions ? text : `${text.slice(0, maxServerInstructions - 1)}…`;
  return `- ${formatVisible(server.name)}${short === '' ? '' : `: ${short}`}`;
}
