import type { PersonQuery } from '../program/person-query.ts';
import type { Command } from './command.ts';

/** What the commands are told of the leaf. */
export interface CommandsOf {
  query?: Omit<PersonQuery<never>, 'run'>;
  /** Of a connection that somebody adds. */
  exampleUrl?: string;
}

const any = Number.POSITIVE_INFINITY;
/** What reads connections and uses them. */
const reading = ['config', 'readonly', 'flags'] as const;

const install = async () => (await import('./install/install.ts')).install;
const uninstall = async () => (await import('./install/install.ts')).uninstall;
const connections = () => import('./connections.ts');

/** In the order of `--help`. */
export function commandsOf({ query, exampleUrl = 'host=db.example.com user=me' }: CommandsOf): readonly Command[] {
  return [
    ...clientCommands,
    ...readingCommands,
    addCommand(exampleUrl),
    ...changingCommands,
    doctor,
    ...(query === undefined ? [] : [queryCommand(query)]),
    ...trustCommands,
  ];
}

const clientCommands: readonly Command[] = [
  {
    name: 'install',
    takes: 'CLIENT',
    words: [0, 1],
    about: 'write this server into the configuration of a client',
    example: 'install cursor --readonly',
    options: ['yes'],
    server: 'all',
    load: install,
  },
  {
    name: 'uninstall',
    takes: 'CLIENT',
    words: [0, 1],
    about: 'take it out again',
    example: 'uninstall cursor',
    options: ['yes'],
    load: uninstall,
  },
];

const readingCommands: readonly Command[] = [
  {
    name: 'connections list',
    about: 'what is configured, and from where',
    example: 'connections list',
    server: reading,
    load: async () => (await connections()).list,
  },
  {
    name: 'connections test',
    takes: '[NAME]',
    words: [0, 1],
    about: 'which of them answer',
    example: 'connections test shop',
    server: reading,
    load: async () => (await connections()).test,
  },
];

function addCommand(exampleUrl: string): Command {
  return {
    name: 'connections add',
    takes: 'NAME URL',
    words: [2, any],
    about: 'save one in your own store; KEY=VALUE says more, or all',
    example: `connections add shop ${exampleUrl} readonly=true`,
    server: ['config'],
    load: async () => (await connections()).add,
  };
}

const changingCommands: readonly Command[] = [
  {
    name: 'connections update',
    takes: 'NAME KEY=VALUE',
    words: [2, any],
    about: 'change one there; an empty value removes the key',
    example: 'connections update shop readonly=true ssh=bastion',
    server: ['config'],
    load: async () => (await connections()).update,
  },
  {
    name: 'connections remove',
    takes: 'NAME',
    words: [1, 1],
    about: 'delete one there',
    example: 'connections remove shop',
    options: ['yes'],
    server: ['config'],
    load: async () => (await connections()).remove,
  },
  {
    name: 'connections import',
    takes: '[SOURCE]',
    words: [0, 1],
    about: 'take over what files of other programs know',
    example: 'connections import .env',
    options: ['yes'],
    server: ['config'],
    load: async () => (await import('./import.ts')).importConnections,
  },
];

const doctor: Command = {
  name: 'doctor',
  about: 'what answers, what the accounts could do, what to do next',
  example: 'doctor',
  server: reading,
  load: async () => (await import('./doctor.ts')).doctor,
};

const trustCommands: readonly Command[] = [
  {
    name: 'trust',
    takes: 'CONNECTION [SHA256:…]',
    words: [1, any],
    about: 'show the keys of its SSH servers, and accept them',
    example: 'trust shop',
    server: ['config'],
    load: async () => (await import('./trust.ts')).trust,
  },
  {
    name: 'allow',
    takes: '[FILE]',
    words: [0, 1],
    about: 'let the project file found here, or FILE, name connections',
    example: 'allow',
    options: ['yes'],
    load: async () => (await import('./allow.ts')).allow,
  },
  {
    name: 'disallow',
    takes: '[FILE]',
    words: [0, 1],
    about: 'take that back',
    example: 'disallow',
    load: async () => (await import('./allow.ts')).disallow,
  },
];

function queryCommand({ usage, about, example, options }: Omit<PersonQuery<never>, 'run'>): Command {
  return {
    name: 'query',
    takes: `CONNECTION ${usage}`,
    words: [2, any],
    about,
    example: `query shop ${example}`,
    options,
    server: [...reading, 'timeout'],
    load: async () => (await import('./query.ts')).query,
  };
}
