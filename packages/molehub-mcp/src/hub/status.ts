import { existsSync } from 'node:fs';
import { askUser, formatAdvice, formatHint, formatVisible } from '@dbmole/core';
import type { ConfiguredServer } from '../config/read-config.ts';
import type { HubTool } from '../manifest/listing.ts';
import { type ChangedPart, findChanges, type Manifest } from '../manifest/manifest.ts';
import { plainName } from '../manifest/tool-names.ts';
import { program } from '../options.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { Hub } from './hub.ts';

type Door = Parameters<typeof formatAdvice>[1];
type Hint = NonNullable<Parameters<typeof formatHint>[0]>;

interface Wanted {
  /** This server alone, with its tools. */
  only?: string | undefined;
  /** Who reads it, and so does the next step. */
  door: Door;
}

export const modelDoor: Door = { offers: () => true, readonly: false };

/** What each server does, and what to do next about it: for a model, or for a person at the command line. */
export function formatStatus(hub: Hub, { only, door }: Wanted): string {
  const servers = hub.config.servers.filter(({ name }) => only === undefined || name === only);
  const parts = servers.map((server) => formatServer(hub, server, { isWhole: only !== undefined, door }));
  const problems = only === undefined ? hub.config.problems.map((one) => `Problem: ${formatAdvice(one, door)}`) : [];
  const guard = hub.guard.problem === undefined ? [] : [`Orphans are not watched: ${hub.guard.problem}.`];
  if (parts.length === 0 && problems.length === 0)
    return `No servers are configured. Next: ${formatHint(askUser(`run \`${program.name} import CLIENT\`, or write ${hub.places.own}`), door)}`;
  return [...(only === undefined ? [summarize(hub)] : []), ...problems, ...guard, ...parts].map(formatVisible).join('\n');
}

function summarize(hub: Hub): string {
  const tools = [...hub.listing.tools.values()];
  const withheld = tools.filter(({ isWithheld }) => isWithheld).length;
  const mode = hub.listing.isSearch ? 'found with hub_search' : 'listed';
  const running = hub.enabled.filter((server) => hub.processesOf(server).some(({ state }) => state === 'running')).length;
  return `${count(hub.enabled.length, 'server')}, ${running} running; ${count(tools.length - withheld, 'tool')}, ${mode}${withheld > 0 ? `, ${withheld} withheld` : ''}.`;
}

interface ServerWanted {
  isWhole: boolean;
  door: Door;
}

function formatServer(hub: Hub, server: ConfiguredServer, { isWhole, door }: ServerWanted): string {
  const manifest = hub.manifestFor(server);
  const processes = hub.processesOf(server);
  const tools = [...hub.listing.tools.values()].filter((tool) => tool.server === server.name);
  const changes = manifest === undefined ? [] : findChanges(manifest);
  const facts = [
    inOneLine([manifest?.name, manifest?.version].filter((one) => one !== undefined).join(' ')),
    manifest === undefined ? 'never seen' : countOffers(manifest, tools.length),
    ...processes.flatMap(formatProcess),
  ].filter((fact) => fact !== '');
  const lines = [
    `${server.name}: ${readState(server, processes)}${facts.length > 0 ? `; ${facts.join('; ')}` : ''}`,
    `from ${server.origin}`,
    ...server.shadows.map((path) => `shadows the entry in ${path}`),
    ...processes.flatMap(({ lastError }) => (lastError === undefined ? [] : [`last error: ${inOneLine(lastError)}`])),
    ...(changes.length > 0 ? [formatChanges(changes)] : []),
    ...(isWhole ? [...formatLog(hub, server), ...tools.map(formatTool)] : tools.filter(isRenamed).map(formatTool)),
    ...(server.problem === undefined ? [] : [`problem: ${formatAdvice(server.problem, door)}`]),
    ...nextSteps(server, { manifest, processes, changes }).map((step) => `next: ${formatHint(step, door)}`),
  ];
  return lines.join('\n  ');
}

/** What a server says of itself must not look like another line of the status. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Where the log is, once the server has started. */
export function formatLog(hub: Hub, server: ConfiguredServer): string[] {
  const path = hub.logFile(server);
  return existsSync(path) ? [`log: ${path}`] : [];
}

function readState({ entry, problem }: ConfiguredServer, processes: readonly ManagedServer[]): string {
  if (problem !== undefined) return 'unusable';
  if (entry?.enabled === false) return 'disabled';
  const states = processes.map(({ state }) => state);
  return (['running', 'starting', 'held', 'failing'] as const).find((one) => states.includes(one)) ?? 'stopped';
}

function formatProcess({ state, pid, clientCount, callCount }: ManagedServer): string[] {
  if (state !== 'running') return [];
  return [
    `${pid === undefined ? 'connected' : `pid ${pid}`}, ${count(clientCount, 'client')}${callCount > 0 ? `, ${callCount} calls running` : ''}`,
  ];
}

/** `13 tools, 2 prompts`; what a server has none of is left out. */
export function countOffers({ prompts, resources, templates }: Manifest, tools: number): string {
  const others = [
    ['prompt', prompts.length],
    ['resource', resources.length + templates.length],
  ] as const;
  const counted = others.flatMap(([what, number]) => (number === 0 ? [] : [count(number, what)]));
  return [count(tools, 'tool'), ...counted].join(', ');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function formatChanges(changes: readonly ChangedPart[]): string {
  const words = changes.map(({ kind, name, change }) => {
    if (kind === 'instructions') return 'its instructions changed';
    return `${kind === 'prompt' ? 'prompt ' : ''}${name} ${change}`;
  });
  return `since it was accepted: ${words.join(', ')}`;
}

function isRenamed({ server, name, definition }: HubTool): boolean {
  return definition.name !== plainName({ server, name }) || definition.name !== `${server}__${name}`;
}

function formatTool({ name, definition, isWithheld }: HubTool): string {
  return `${definition.name} = ${name}${isWithheld ? ' (withheld)' : ''}`;
}

interface Found {
  manifest: Manifest | undefined;
  processes: readonly ManagedServer[];
  changes: readonly ChangedPart[];
}

function nextSteps(server: ConfiguredServer, { manifest, processes, changes }: Found): Hint[] {
  const { name, entry } = server;
  const isNew = manifest === undefined && processes.length === 0 && entry?.enabled === true;
  return [
    ...(isNew ? [askUser(`run \`${program.name} check ${name}\`, which starts it and shows its tools`)] : []),
    ...(processes.some(({ state }) => state === 'held') ? ['Correct what its last error says, then call hub_restart.'] : []),
    ...(changes.length > 0 ? [askUser(`read the change with \`${program.name} accept ${name}\``)] : []),
  ];
}
