/** What the registry of MCP servers and the one-file bundles of desktop clients want to know: said by package.json and the server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findVariable, readonlyFlag, serverSettings } from '../../packages/core/src/program/settings.ts';
import type { ShownLeaf } from '../docs/leaves.ts';
import { definitionsOf } from '../docs/tools-page.ts';
import { root } from '../steps.ts';
import { formatJson } from './format-json.ts';

interface PackageManifest {
  name: string;
  version: string;
  description: string;
  license: string;
  mcpName: string;
  engines: { node: string };
  bin: Readonly<Record<string, string>>;
  files: readonly string[];
  repository?: { type: string; url: string; directory?: string };
}

export function readPackage(name: string): PackageManifest {
  // Our own manifest; a test looks at what is in it.
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as PackageManifest;
}

const connectionsHelp = 'connections as a JSON list; wins over every file';

interface Variable {
  name: string;
  description: string;
  format?: 'filepath' | 'boolean';
  isSecret?: true;
}

export function serverJson(leaf: ShownLeaf): string {
  const connections: Variable = { name: findVariable(leaf.app, 'connections'), description: connectionsHelp, isSecret: true };
  const { settings = [], flags = [] } = leaf;
  const own = { app: leaf.app, settings: [...serverSettings, ...settings], flags: [readonlyFlag, ...flags] };
  return formatServer(leaf, [connections, ...listVariables(own)]);
}

export function hubServerJson(hub: ShownLeaf): string {
  return formatServer(hub, listVariables(hub));
}

function listVariables({ app, settings = [], flags = [] }: Pick<ShownLeaf, 'app' | 'settings' | 'flags'>): Variable[] {
  return [
    ...settings.map((one): Variable => {
      const variable = { name: findVariable(app, one.name), description: one.help };
      return one.isPath ? { ...variable, format: 'filepath' } : variable;
    }),
    ...flags.map((one): Variable => ({ name: findVariable(app, one.name), description: one.help, format: 'boolean' })),
  ];
}

function formatServer(leaf: ShownLeaf, environmentVariables: readonly Variable[]): string {
  const { name, version, description, mcpName, repository } = readPackage(leaf.name);
  return formatJson({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: leaf.app,
    description,
    ...(repository === undefined ? {} : { repository: { url: cloneless(repository.url), source: 'github' } }),
    version,
    packages: [{ registryType: 'npm', identifier: name, version, transport: { type: 'stdio' }, environmentVariables }],
  });
}

/** Clients ask the user for the values of a bundle; an empty one counts as unset. */
export function bundleManifest(leaf: ShownLeaf): string {
  const { name, version, description, license, engines, bin } = readPackage(leaf.name);
  const entry = bin[name] ?? '';
  const flags = [readonlyFlag, ...(leaf.flags ?? [])];
  const flagEnv = flags.map((flag) => [findVariable(leaf.app, flag.name), `\${user_config.${flag.name}}`]);
  const connections = {
    type: 'string',
    title: 'Connections',
    description: `${connectionsHelp}. Leave it empty to use your own store`,
    sensitive: true,
    required: false,
    default: '',
  };
  return formatJson({
    manifest_version: '0.3',
    name,
    display_name: leaf.app,
    version,
    description,
    author: { name: 'the mole authors' },
    license,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entry}`],
        env: { [findVariable(leaf.app, 'connections')]: '${user_config.connections}', ...Object.fromEntries(flagEnv) },
      },
    },
    tools: definitionsOf(leaf).map((tool) => ({ name: tool.name, description: tool.description })),
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: {
      connections,
      ...Object.fromEntries(
        flags.map((flag) => [
          flag.name,
          { type: 'boolean', title: flag.name, description: flag.help, required: false, default: false },
        ]),
      ),
    },
  });
}

/** The URL for a browser. */
function cloneless(url: string): string {
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}
