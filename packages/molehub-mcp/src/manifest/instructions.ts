import { formatVisible } from '@dbmole/core';
import type { ConfiguredServer } from '../config/read-config.ts';
import { findChanges, type Manifest } from './manifest.ts';

/** A server that is enabled, and what it said when it was last seen. */
export interface ListedServer {
  server: ConfiguredServer;
  manifest: Manifest | undefined;
}

const maxInstructions = 2_000;
const maxServerInstructions = 300;

/** What a model reads first: how the hub is used, and what each server says of itself, shortened. */
export function formatInstructions(
  servers: readonly ListedServer[],
  { isSearch, pin }: { isSearch: boolean; pin: boolean },
): string {
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
  const isHeld = manifest !== undefined && pin && findChanges(manifest).some(({ kind }) => kind === 'instructions');
  const said = isHeld ? undefined : manifest?.instructions;
  const text = formatVisible(said ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const short = text.length <= maxServerInstructions ? text : `${text.slice(0, maxServerInstructions - 1)}…`;
  return `- ${formatVisible(server.name)}${short === '' ? '' : `: ${short}`}`;
}
