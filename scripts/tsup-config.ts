import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Options } from 'tsup';
import { dependencyEditsPlugin } from './bundle/dependency-edits.ts';
import type { Metafile } from './bundle/esbuild-plugin.ts';
import { builtinsPlugin, commonJsBanner, optionalPackagesPlugin, shebangPlugin } from './bundle/platform-plugins.ts';
import { sdkPlugin } from './bundle/sdk-plugin.ts';
import { startGraphPlugin } from './bundle/start-graph.ts';
import { wasmPlugin } from './bundle/wasm-plugin.ts';
import { formatNotices } from './notices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files that threads of their own load; they are beside the chunks, where the code that starts a thread looks for them. */
const coreWorkers = {
  'key-worker': `${root}packages/core/src/tunnel/key-worker.js`,
  'watchdog-worker': `${root}packages/core/src/program/watchdog-worker.js`,
};

interface Bundle {
  /** An absolute path that ends with `src/main.ts`. */
  entry: string;
  /** Of this package alone, by the names of their files. */
  workers?: Readonly<Record<string, string>>;
  outDir: string;
  version: string;
  /** Gets what is in the bundle; not called when the build failed. */
  use(metafile: Metafile): void;
}

/**
 * One program file and lazy chunks, with every dependency inside: the published package installs as one package. The
 * reasons are in docs/decisions/bundling.md.
 */
export function bundleOptions({ entry, workers = {}, outDir, version, use }: Bundle): Options {
  return {
    entry: { main: entry, ...coreWorkers, ...workers },
    outDir,
    clean: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: true,
    minify: true,
    noExternal: [/.*/],
    removeNodeProtocol: false,
    define: { PACKAGE_VERSION: JSON.stringify(version) },
    banner: { js: commonJsBanner },
    esbuildPlugins: [
      shebangPlugin(),
      builtinsPlugin(),
      optionalPackagesPlugin(),
      dependencyEditsPlugin(),
      sdkPlugin(),
      wasmPlugin(),
      startGraphPlugin(use),
    ],
  };
}

export function leafConfig({ name }: { name: string }): Options {
  const folder = `${root}packages/${name}`;
  // Our own manifest; it has a version.
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
  return bundleOptions({
    entry: `${folder}/src/main.ts`,
    workers: findWorkers(folder),
    outDir: `${folder}/dist`,
    version,
    use: (metafile) => writeFileSync(`${folder}/THIRD_PARTY_NOTICES.md`, formatNotices(name, metafile, root)),
  });
}

/** The checks of statements, in a package whose engines have them. */
function findWorkers(folder: string): Readonly<Record<string, string>> {
  const guard = `${folder}/src/engines/postgres/guard/guard-worker.ts`;
  return existsSync(guard) ? { 'guard-worker': guard } : {};
}
