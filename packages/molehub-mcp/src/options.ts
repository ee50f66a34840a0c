import type { ProgramFlag, ProgramSetting } from '@dbmole/core/settings';

declare const PACKAGE_VERSION: string;

/** What the front, the program and the pages say of it. Nothing here loads a library. */
export const program = {
  name: 'molehub-mcp',
  app: 'molehub',
  summary: 'one MCP server in front of all your others',
  version: typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : '0.0.0',
} as const;

export const settings: readonly ProgramSetting[] = [
  { name: 'config', value: 'FILE', help: 'read servers from FILE first; its names win', isPath: true },
  {
    name: 'idle',
    value: 'TIME',
    help: 'with --shared: end the process this long after its last client: 5m (default)',
    isPath: false,
  },
];

export const flags: readonly ProgramFlag[] = [
  { name: 'search', help: 'offer hub_search, hub_describe and hub_call instead of all tools (default above 30 tools)' },
  { name: 'pin', help: 'withhold tools and prompts that changed until `molehub-mcp accept SERVER`' },
];

export const files = {
  /** The person's own file, in the configuration folder. */
  store: 'mcp.json',
  /** The project's file, in its folder. */
  project: '.mole/mcp.json',
  /** A secret's program, a keychain or an escape: then any variable may be used. */
  usesAny: /"command"\s*:\s*\[|"keychain"|op:\/\/|\\u/i,
} as const;

/** Milliseconds in which servers that do not end by themselves are ended. */
export const disposeMs = 4_500;
