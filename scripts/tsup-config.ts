import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from 'tsup';
import { dependencyEditsPlugin } from './bundle/dependency-edits.ts';
import type { Metafile } from './bundle/esbuild-plugin.ts';
import { frontPlugin } from './bundle/front-plugin.ts';
import { joinMetafiles, type PagePluginOptions, pagePlugin } from './bundle/page-plugin.ts';
import { builtinsPlugin, commonJsBanner, optionalPackagesPlugin, shebangPlugin } from './bundle/platform-plugins.ts';
import { sdkPlugin } from './bundle/sdk-plugin.ts';
import { startGraphPlugin } from './bundle/start-graph.ts';
import { wasmPlugin } from './bundle/wasm-plugin.ts';
import { formatNotices } from './notices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files that threads of a server load; they are beside the chunks, where the code that starts a thread looks for them. */
const coreWorkers = {
  'key-worker': `${root}packages/core/src/tunnel/keys/key-worker.js`,
  'watchdog-worker': `${root}packages/core/src/program/watchdog-worker.js`,
};

interface Bundle {
  /** An absolute path that ends with `src/main.ts`. */
  entry: string;
  /** What a program imports, where there is such a file. */
  library?: string;
  /** Workers, by file name: those of core are there unless others are named. */
  workers?: Readonly<Record<string, string>>;
  /** The first module of the page; left out where there is no page. */
  page?: Pick<PagePluginOptions, 'entry' | 'hasSql'>;
  outDir: string;
  version: string;
  /** Gets what is in the bundle; not called when the build failed. */
  use(metafile: Metafile): void;
}

/**
 * One program file and lazy chunks, with every dependency inside: the published package installs as one package. The
 * reasons are in docs/decisions/bundling.md.
 */
export function bundleOptions({ entry, library, workers = coreWorkers, page, outDir, version, use }: Bundle): Options {
  return {
    entry: { main: entry, ...(library !== undefined && { library }), ...workers },
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
      frontPlugin(),
      ...finishPlugins(page, use),
    ],
  };
}

/** The notices name what is in the program and in its page, whichever of the two is bundled last. */
function finishPlugins(page: Bundle['page'], use: (metafile: Metafile) => void) {
  if (page === undefined) return [startGraphPlugin(use)];
  let inPage: Metafile | undefined;
  const plugin = pagePlugin({
    ...page,
    use: (metafile) => {
      inPage = metafile;
    },
  });
  return [plugin, startGraphPlugin((metafile) => use(joinMetafiles(metafile, inPage)))];
}

export function leafConfig({ name }: { name: string }): Options {
  const folder = `${root}packages/${name}`;
  // Our own manifest; it has a version.
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
  return bundleOptions({
    entry: `${folder}/src/main.ts`,
    ...findParts(folder),
    outDir: `${folder}/dist`,
    version,
    use: (metafile) => writeFileSync(`${folder}/THIRD_PARTY_NOTICES.md`, formatNotices(name, metafile, root)),
  });
}

/** A package without connections is no library either, and starts no thread; its start loads the rest later, by these names. */
function findParts(folder: string): Pick<Bundle, 'library' | 'workers' | 'page'> {
  const library = `${folder}/src/library.ts`;
  const page = { entry: `${root}packages/page/src/main.tsx`, hasSql: existsSync(`${folder}/src/engines`) };
  return existsSync(library)
    ? { library, page, workers: { ...coreWorkers, ...findWorkers(folder) } }
    : { workers: findLater(folder) };
}

function findLater(folder: string): Readonly<Record<string, string>> {
  const files = ['hub/open-hub', 'session/modern-session', 'commands/command-line'].map((file) => `${folder}/src/${file}.ts`);
  return Object.fromEntries(files.filter((file) => existsSync(file)).map((file) => [basename(file, '.ts'), file]));
}

/** The checks of statements, the process that opens files, in a package whose engines have them, and what keeps the sample database. */
function findWorkers(folder: string): Readonly<Record<string, string>> {
  const workers = {
    'guard-worker': `${folder}/src/engines/postgres/guard/thread/guard-worker.ts`,
    'database-program': `${folder}/src/engines/sqlite/process/database-program.ts`,
    'fill-program': `${folder}/src/demo/sqlite/fill-program.ts`,
    ...(existsSync(`${folder}/src/demo`) && { supervisor: `${root}packages/local-engine/src/supervisor.js` }),
  };
  return Object.fromEntries(Object.entries(workers).filter(([, file]) => existsSync(file)));
}
