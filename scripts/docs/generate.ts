/** Writes what is made from the code: pages of docs/, parts of the READMEs, manifests. `npm run docs`; a test says when they are out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleManifest, hubServerJson, serverJson } from '../release/manifests.ts';
import { root } from '../steps.ts';
import { clientsPage } from './clients-page.ts';
import { errorsPage } from './errors-page.ts';
import { hub, leaves } from './leaves.ts';
import { withParts } from './readme-parts.ts';
import { toolsPage } from './tools-page.ts';

export const pages: Readonly<Record<string, () => string>> = {
  'docs/clients.md': clientsPage,
  'docs/errors.md': errorsPage,
  'docs/tools.md': toolsPage,
  'README.md': () => withParts('README.md'),
  [`packages/${hub.name}/server.json`]: () => hubServerJson(hub),
  ...Object.fromEntries(
    leaves.flatMap((leaf) => {
      const folder = `packages/${leaf.name}`;
      return [
        [`${folder}/README.md`, () => withParts(`${folder}/README.md`)],
        [`${folder}/server.json`, () => serverJson(leaf)],
        [`${folder}/manifest.json`, () => bundleManifest(leaf)],
      ];
    }),
  ),
};

export function isCurrent(file: string): boolean {
  return readFileSync(join(root, file), 'utf8') === pages[file]?.();
}

if (process.argv[1]?.endsWith('generate.ts')) {
  for (const [file, make] of Object.entries(pages)) writeFileSync(join(root, file), make());
}
