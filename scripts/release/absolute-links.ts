/**
 * Makes the links of the packages' READMEs absolute before they are packed: on npm there are no other files to link to. Which
 * repository that is, only the build knows: `absolute-links.ts OWNER/NAME`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { hub, leaves } from '../docs/leaves.ts';
import { root } from '../steps.ts';

/** `folder` is where the text lies in the repository. */
export function withAbsoluteLinks(text: string, { repository, folder }: { repository: string; folder: string }): string {
  return text.replace(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, target: string) => {
    const path = posix.join(folder, target);
    return `](https://github.com/${repository}/blob/HEAD/${path})`;
  });
}

const [, script, repository] = process.argv;
if (script?.endsWith('absolute-links.ts')) {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository ?? '')) throw new Error(`invalid repository "${repository}": expected OWNER/NAME`);
  for (const { name } of [...leaves, hub]) {
    const folder = `packages/${name}`;
    const file = join(root, folder, 'README.md');
    writeFileSync(file, withAbsoluteLinks(readFileSync(file, 'utf8'), { repository: repository ?? '', folder }));
  }
}
