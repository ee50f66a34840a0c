import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EsbuildPlugin, Metafile } from './esbuild-plugin.ts';

export interface PagePluginOptions {
  /** The first module of the page; its style and its HTML are beside it. */
  entry: string;
  /** The server speaks SQL, so its page has an editor. */
  hasSql: boolean;
  /** Gets what is in the bundle of the page. */
  use(metafile: Metafile): void;
}

/**
 * Bundles the page for browsers into the folder `page` of the output: its first view, and a chunk for each panel that is loaded later.
 * The program reads these files only when a browser asks for them.
 */
export function pagePlugin({ entry, hasSql, use }: PagePluginOptions): EsbuildPlugin {
  return {
    name: 'page',
    setup(build) {
      build.onEnd(async ({ errors }) => {
        if (errors.length > 0) return undefined;
        const folder = dirname(entry);
        const outdir = join(build.initialOptions.outdir ?? '', 'page');
        const { metafile } = await build.esbuild.build({
          ...{
            platform: 'browser',
            target: 'es2022',
            format: 'esm',
            bundle: true,
            splitting: true,
            minify: true,
            metafile: true,
          },
          ...{ jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', charset: 'utf8' },
          entryPoints: { main: entry, style: join(folder, 'style.css') },
          define: { PAGE_HAS_SQL: String(hasSql) },
          chunkNames: '[name]-[hash]',
          outdir,
        });
        for (const file of ['index.html', 'icon.svg']) copyFileSync(join(folder, file), join(outdir, file));
        if (metafile !== undefined) use(metafile);
        return undefined;
      });
    },
  };
}

/** One bundle that has the inputs and outputs of both, for what asks what was bundled. */
export function joinMetafiles(one: Metafile, other: Metafile | undefined): Metafile {
  if (other === undefined) return one;
  return { inputs: { ...one.inputs, ...other.inputs }, outputs: { ...one.outputs, ...other.outputs } };
}
