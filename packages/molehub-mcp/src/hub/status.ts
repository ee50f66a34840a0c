import { existsSync } from 'node:fs';
import { formatAdvice, formatVisible } from '@dbmole/core';
import type { ConfiguredServer } from '../config/read-config.ts';
import type { HubTool } from '../manifest/listing.ts';
import { type ChangedPart, findChanges, type Manifest } from '../manifest/manifest.ts';
import { plainName } from '../manifest/tool-names.ts';
import { program } from '../options.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { Hub } from './hub.ts';

/** What each server does, and what to do next about it: for a model and for a person. */
export function formatStatus(hub: Hub, only?: string): string {
  const servers = hub.config.servers.filter(({ name }) => only === undefined || name === only);
  const parts = servers.map((server) => formatServer(hub, server, only !== undefined));
  const problems = only === undefined ? hub.config.problems.map((one) => `Problem: ${advise(one)}`) : [];
  const guard = hub.guard.problem === undefined ? [] : [`Orphans are not watched: ${hub.guard.problem}.`];
  if (parts.length === 0 && problems.length === 0)
    return `No servers are configured. Next: ask the user to run \`${program.name} import CLIENT\` or to write ${hub.places.own}.`;
  return [...(only === undefined ? [summarize(hub)] : []), ...problems, ...guard, ...parts].map(formatVisible).join('\n');
}

function summarize(hub: Hub): string {
  const tools = [...hub.listing.tools.values()];
  const withheld = tools.filter(({ isWithheld }) => isWithheld).length;
  const mode = hub.listing.isSearch ? 'found with hub_search' : 'listed';
  const running = hub.enabled.filter((server) => hub.processesOf(server).some(({ state }) => state === 'running')).length;
  return `${count(hub.enabled.length, 'server')}, ${running} running; ${count(tools.length - withheld, 'tool')}, ${mode}${withheld > 0 ? `, ${withheld} withheld` : ''}.`;
}

function formatServer(hub: Hub, server: ConfiguredServer, isWhole: boolean): string {
  const manifest = hub.manifestFor(server);
  const processes = hub.processesOf(server);
  const tools = [...hub.listing.tools.values()].filter((tool) => tool.server === server.name);
  const changes = manifest === undefined ? [] : findChanges(manifest);
  const facts = [
    [manifest?.name, manifest?.version].filter((one) => one !== undefined).join(' '),
    manifest === undefined ? 'never seen' : countOffers(manifest, tools.length),
    ...processes.flatMap(formatProcess),
  ].filter((fact) => fact !== '');
  const lines = [
    `${server.name}: ${stateOf(server, processes)}${facts.length > 0 ? `; ${facts.join('; ')}` : ''}`,
    `from ${server.origin}`,
    ...server.shadows.map((path) => `shadows the entry in ${path}`),
    ...processes.flatMap(({ lastError }) => (lastError === undefined ? [] : [`last error: ${lastError}`])),
    ...(changes.length > 0 ? [formatChanges(changes)] : []),
    ...(isWhole ? [...formatLog(hub, server), ...tools.map(formatTool)] : tools.filter(isRenamed).map(formatTool)),
    ...nextStep(server, { manifest, processes, changes }).map((step) => `next: ${step}`),
  ];
  return lines.join('\n  ');
}

/** Where the log is, once the server has started. */
export function formatLog(hub: Hub, server: ConfiguredServer): string[] {
  const path = hub.logFile(server);
  return existsSync(path) ? [`log: ${path}`] : [];
}

function stateOf({ entry, problem }: ConfiguredServer, processes: readonly ManagedServer[]): string {
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

function nextStep(server: ConfiguredServer, { manifest, processes, changes }: Found): string[] {
  if (server.problem !== undefined) return [advise(server.problem)];
  const steps: string[] = [];
  if (manifest === undefined && processes.length === 0 && server.entry?.enabled)
    steps.push(`ask the user to run \`${program.name} check ${server.name}\`, which starts it and shows its tools`);
  if (processes.some(({ state }) => state === 'held')) steps.push('correct what its last error says, then call hub_restart');
  if (changes.length > 0) steps.push(`ask the user to read the change with \`${program.name} accept ${server.name}\``);
  return steps;
}

function advise(failure: Parameters<typeof formatAdvice>[0]): string {
  return formatAdvice(failure, { offers: () => true, readonly: false });
}
