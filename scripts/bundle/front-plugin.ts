import { join } from 'node:path';
import type { EsbuildPlugin, Metafile } from './esbuild-plugin.ts';
import { builtinsPlugin } from './platform-plugins.ts';
import { packageOf } from './start-graph.ts';

/**
 * Bundles the front of `--shared` into one file of its own. As a chunk it would share parts with the server, and each of these is a file more
 * for both of them to load at the start.
 */
export function frontPlugin(): EsbuildPlugin {
  return {
    name: 'front',
    setup(build) {
      let source: string | undefined;
      build.onResolve({ filter: /\/shared-front\.ts$/ }, ({ path, resolveDir }) => {
        source = join(resolveDir, path);
        return { path: './shared-front.js', external: true };
      });
      build.onEnd(async ({ errors }) => {
        if (source === undefined || errors.length > 0) return undefined;
        const { define = {}, outdir = '' } = build.initialOptions;
        const { metafile } = await build.esbuild.build({
          ...{ platform: 'node', target: 'node20', format: 'esm', bundle: true, minify: true, metafile: true, define },
          entryPoints: [source],
          outfile: join(outdir, 'shared-front.js'),
          plugins: [builtinsPlugin()],
        });
        return { errors: frontProblems(metafile ?? { inputs: {} }).map((text) => ({ text })) };
      });
    },
  };
}

/** A front is small because it is made of our own files alone; empty is good. */
export function frontProblems({ inputs }: Pick<Metafile, 'inputs'>): string[] {
  const packages = new Set(Object.keys(inputs).map(packageOf));
  packages.delete(undefined);
  return [...packages].map((name) => `the front of --shared loads ${name}`);
}
