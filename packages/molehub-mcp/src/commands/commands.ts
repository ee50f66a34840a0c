import type { Terminal } from '@dbmole/core';
import type { StartOptions } from '../hub/start-list.ts';

export interface HubCommandCall {
  terminal: Terminal;
  /** The words after the command's name. */
  words: readonly string[];
  options: StartOptions;
  given: { yes: boolean; project: boolean; keep: boolean };
  /** Options of the server on the command line, as one would write them again. */
  serverArgs: readonly string[];
}

export interface HubCommand {
  name: string;
  takes: string;
  /** How many words may follow, at least and at most. */
  words: readonly [least: number, most: number];
  about: string;
  example: string;
  /** Beside `config`, which every command takes. */
  options: readonly string[];
  load(): Promise<(call: HubCommandCall) => Promise<number>>;
}

const serverOptions = ['shared', 'search', 'pin', 'idle'];
const any = Number.POSITIVE_INFINITY;

/** All commands, in the order of `--help`. */
export const commands: readonly HubCommand[] = [
  {
    name: 'install',
    takes: 'CLIENT',
    words: [1, 1],
    about: "put the hub into a client's configuration, in place of the servers there",
    example: 'install cursor --shared',
    options: ['yes', 'project', 'keep', ...serverOptions],
    load: async () => (await import('./install.ts')).installHub,
  },
  {
    name: 'uninstall',
    takes: 'CLIENT',
    words: [1, 1],
    about: "restore the client's own servers",
    example: 'uninstall cursor',
    options: ['yes', 'project'],
    load: async () => (await import('./install.ts')).uninstallHub,
  },
  {
    name: 'import',
    takes: 'CLIENT',
    words: [1, 1],
    about: "copy a client's servers into your own file, and leave the client as it is",
    example: 'import claude-code',
    options: ['yes', 'project'],
    load: async () => (await import('./import.ts')).importServers,
  },
  {
    name: 'status',
    takes: '[SERVER]',
    words: [0, 1],
    about: 'show what is configured, what was seen and what to do next; starts nothing',
    example: 'status',
    options: ['pin', 'search'],
    load: async () => (await import('./inspect.ts')).status,
  },
  {
    name: 'check',
    takes: '[SERVER…]',
    words: [0, any],
    about: 'start each server once and list its tools; exit code 1 when one fails',
    example: 'check files',
    options: [],
    load: async () => (await import('./inspect.ts')).check,
  },
  {
    name: 'accept',
    takes: 'SERVER',
    words: [1, 1],
    about: 'show which tools of a server changed, and accept them',
    example: 'accept files',
    options: ['yes'],
    load: async () => (await import('./accept.ts')).accept,
  },
  {
    name: 'allow',
    takes: '[FILE]',
    words: [0, 1],
    about: "trust the project's .mole/mcp.json in its present state",
    example: 'allow',
    options: ['yes'],
    load: async () => (await import('./allow.ts')).allow,
  },
  {
    name: 'disallow',
    takes: '[FILE]',
    words: [0, 1],
    about: 'revoke that trust',
    example: 'disallow',
    options: [],
    load: async () => (await import('./allow.ts')).disallow,
  },
];
