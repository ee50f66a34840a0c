import type { Command } from './command.ts';

/** In the order of `--help`. */
export const commands: readonly Command[] = [
  {
    name: 'install',
    forms: [['install CLIENT', 'write this server into the configuration of a client']],
    options: ['yes'],
    load: async () => (await import('./install/install.ts')).install,
  },
  {
    name: 'uninstall',
    forms: [['uninstall CLIENT', 'take it out again']],
    options: ['yes'],
    load: async () => (await import('./install/install.ts')).uninstall,
  },
  {
    name: 'connections',
    forms: [
      ['connections list', 'what is configured, and from where'],
      ['connections test [NAME]', 'which of them answer'],
      ['connections add NAME URL', 'save one in your own store; KEY=VALUE says more, or all'],
      ['connections update NAME KEY=VALUE', 'change one there; an empty value removes the key'],
      ['connections remove NAME', 'delete one there'],
      ['connections import [SOURCE]', 'take over what files of other programs know'],
    ],
    options: ['yes'],
    load: async () => (await import('./connections.ts')).connections,
  },
  {
    name: 'doctor',
    forms: [['doctor', 'what answers, what the accounts could do, what to do next']],
    options: [],
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'query',
    forms: [['query CONNECTION …', 'ask yourself: a table, or CSV in a pipe; Ctrl-C stops it']],
    options: ['format', 'limit', 'database'],
    load: async () => (await import('./query.ts')).query,
  },
  {
    name: 'trust',
    forms: [['trust CONNECTION [SHA256:…]', 'show the keys of its SSH servers, and accept them']],
    options: [],
    load: async () => (await import('./trust.ts')).trust,
  },
  {
    name: 'allow',
    forms: [['allow [FILE]', 'let the project file found here, or FILE, name connections']],
    options: ['yes'],
    load: async () => (await import('./allow.ts')).allow,
  },
  {
    name: 'disallow',
    forms: [['disallow [FILE]', 'take that back']],
    options: [],
    load: async () => (await import('./allow.ts')).disallow,
  },
];
