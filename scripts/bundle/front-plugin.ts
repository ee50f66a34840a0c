import { basename, join } from 'node:path';
import type { EsbuildBuild, EsbuildPlugin, Metafile } from './esbuild-plugin.ts';
import { builtinsPlugin } from './platform-plugins.ts';
import { packageOf } from './start-graph.ts';

/**
 * Bundles the front of `--shared`, and the start of a program that answers before it loads the rest, into one piece each. As a chunk,
 * each would share parts with the server, and each of these is a file more for both of them to load at the start. What a front imports
 * lazily is another piece, with a copy of the parts that both need: a warm process is joined without it.
 */
export function frontPlugin(): EsbuildPlugin {
  return {
    name: 'front',
    setup(build) {
      const sources = new Map<string, string>();
      build.onResolve({ filter: /\/(?:shared-front|start)\.ts$/ }, ({ path, resolveDir, kind, importer }) => {
        if (kind !== 'dynamic-import' || !/[\\/]main\.ts$/.test(importer)) return undefined;
        const piece = `./${basename(path, '.ts')}.js`;
        sources.set(piece, join(resolveDir, path));
        return { path: piece, external: true };
      });
      build.onEnd(async ({ errors }) => {
        if (errors.length > 0) return undefined;
        const problems: string[] = [];
        // Bundling one may add others.
        for (const [piece, source] of sources) problems.push(...(await bundlePiece(build, { piece, source, sources })));
        return { errors: problems.map((text) => ({ text })) };
      });
    },
  };
}

interface Piece {
  piece: string;
  source: string;
  sources: Map<string, string>;
}

async function bundlePiece(build: EsbuildBuild, { piece, source, sources }: Piece): Promise<string[]> {
  const { define = {}, outdir = '' } = build.initialOptions;
  const { metafile } = await build.esbuild.build({
    ...{ platform: 'node', target: 'node20', format: 'esm', bundle: true, minify: true, metafile: true, define },
    entryPoints: [source],
    outfile: join(outdir, piece),
    plugins: [builtinsPlugin(), laterPlugin(piece === './start.js' ? undefined : sources)],
  });
  return frontProblems(metafile ?? { inputs: {} });
}

/** What a start loads later is an entry of its own in the main bundle, by the name of its file; what a front loads later is added to `pieces`. */
function laterPlugin(pieces?: Map<string, string>): EsbuildPlugin {
  return {
    name: 'later',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const piece = `./${basename(path, '.ts')}.js`;
        pieces?.set(piece, join(resolveDir, path));
        return { path: piece, external: true };
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
