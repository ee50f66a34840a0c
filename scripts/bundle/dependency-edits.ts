import { readFile } from 'node:fs/promises';
import type { EsbuildPlugin } from './esbuild-plugin.ts';

interface Edit {
  package: string;
  file: RegExp;
  from: string;
  to: string;
}

const edits: readonly Edit[] = [
  {
    package: 'ssh2',
    // A native module that a developer has built must not get into the bundle. Not by its ending `.node`: tsup claims that
    // for a plugin of its own, which comes first and copies the module into the output. ssh2 catches the error.
    file: /[\\/]ssh2[\\/]lib[\\/]protocol[\\/]crypto\.js$/,
    from: "require('./crypto/build/Release/sshcrypto.node')",
    to: "(() => { throw new Error('not part of this build'); })()",
  },
  {
    package: 'zod',
    // zod writes and compiles a function for every object it checks. That pays after many checks; a server checks a few
    // dozen messages. Set here, because it must be set before the SDK makes its first schema.
    file: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/,
    from: '(_a.__zod_globalConfig = {})',
    to: '(_a.__zod_globalConfig = { jitless: true })',
  },
  {
    package: 'pg',
    // The driver asks whether this is a Cloudflare worker. To make a Response loads the whole HTTP client of Node, which blocks the
    // first call for 13 ms and stays in memory.
    file: /[\\/]pg[\\/]lib[\\/]stream\.js$/,
    from: "typeof Response === 'function'",
    to: 'false',
  },
];

/** Small changes to single lines of dependencies. A line that is not there exactly once fails the build. */
export function dependencyEditsPlugin(): EsbuildPlugin {
  return {
    name: 'dependency-edits',
    setup(build) {
      const done = new Set<string>();
      for (const edit of edits) {
        build.onLoad({ filter: edit.file }, async ({ path }) => {
          done.add(edit.package);
          return { contents: replaceOnce(await readFile(path, 'utf8'), edit, path), loader: 'js' };
        });
      }
      build.onEnd(({ errors, metafile }) => {
        if (errors.length > 0) return undefined;
        const files = Object.keys(metafile?.inputs ?? {});
        const isUsed = (name: string) => files.some((file) => file.includes(`node_modules/${name}/`));
        const missing = edits.map((edit) => edit.package).filter((name) => !done.has(name) && isUsed(name));
        return { errors: missing.map((name) => ({ text: `${name} changed: the file that we edit was not found` })) };
      });
    },
  };
}

function replaceOnce(source: string, { from, to }: Pick<Edit, 'from' | 'to'>, file: string): string {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(`${file} changed: it contains ${JSON.stringify(from)} ${parts.length - 1} times, not once`);
  return parts.join(to);
}
