import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandOptions } from '../../packages/core/src/cli/command.ts';
import { serveOptionNames } from '../../packages/core/src/cli/serve-options.ts';
import { readonlyFlag, serverSettings } from '../../packages/core/src/program/settings.ts';
import { root } from '../steps.ts';

const pages = ['docs/serve.md', 'docs/serve-deployment.md'];
const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');

/** Options of our programs, not those of `openssl` or of a proxy: after a space, a quote, a list mark or at the start of a line. */
function listOptions(): string[] {
  const ours = text.split('\n').filter((line) => !/\b(openssl|systemctl|docker)\b/.test(line));
  return [
    ...new Set(ours.flatMap((line) => [...line.matchAll(/(?:^|[\s`(])--([a-z][a-z-]*[a-z])/g)].map(([, name = '']) => name))),
  ];
}

describe('the pages about serve', () => {
  it('name only options that exist', () => {
    const known = [...Object.keys(commandOptions), ...serverSettings.map(({ name }) => name), readonlyFlag.name];
    expect(listOptions().filter((name) => !known.includes(name))).toEqual([]);
    expect(listOptions().length).toBeGreaterThan(15);
  });

  it('name every option of serve', () => {
    const elsewhere = readFileSync(join(root, 'docs/projects.md'), 'utf8');
    expect(serveOptionNames.filter((name) => !`${text}${elsewhere}`.includes(`--${name}`))).toEqual([]);
  });
});
