import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EsbuildPlugin, Metafile } from './esbuild-plugin.ts';
import { inputsOf } from './start-graph.ts';

/** The loader of the PostgreSQL parser, which reads its module from the folder that it is in itself. */
const loader = /[\\/]libpg-query[\\/]wasm[\\/]libpg-query\.js$/;

/** Puts the module of WebAssembly beside the chunk that loads it, in bundles that have that chunk. */
export function wasmPlugin(): EsbuildPlugin {
  return {
    name: 'wasm',
    setup(build) {
      const { absWorkingDir = process.cwd(), outdir = '' } = build.initialOptions;
      build.onEnd(({ metafile, errors }) => {
        if (metafile === undefined || errors.length > 0) return undefined;
        const modules = wasmFiles(metafile).map((file) => join(absWorkingDir, file));
        const missing = modules.filter((file) => !existsSync(file));
        mkdirSync(outdir, { recursive: true });
        if (missing.length === 0) for (const file of modules) copyFileSync(file, join(outdir, 'libpg-query.wasm'));
        return { errors: missing.map((file) => ({ text: `${file} is not there` })) };
      });
    },
  };
}

function wasmFiles(metafile: Metafile): string[] {
  const inputs = inputsOf(metafile, Object.keys(metafile.outputs));
  return inputs.filter((input) => loader.test(input)).map((input) => input.replace(/\.js$/, '.wasm'));
}
