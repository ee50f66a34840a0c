import type { Command } from './command.ts';

/** In the order of `--help`. */
export const commands: readonly Command[] = [
  {
    name: 'allow',
    usage: 'allow [FILE]',
    summary: 'let the project file found here, or FILE, name connections',
    options: ['yes'],
    load: async () => (await import('./allow.ts')).allow,
  },
  {
    name: 'trust',
    usage: 'trust CONNECTION [SHA256:…]',
    summary: 'show the keys of its SSH servers, and accept them',
    options: [],
    load: async () => (await import('./trust.ts')).trust,
  },
];
