import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import type { EsbuildPlugin } from './esbuild-plugin.ts';

/**
 * Every chunk begins with what CommonJS code expects to find. Without a static import, and written so that a Node too old
 * for it gets as far as the version check of the program. The real `require` is made at the first call: it costs the start half a
 * millisecond, and most starts never call it.
 */
export const commonJsBanner = [
  'function require(name){return(require.real||(require.real=process.getBuiltinModule("module").createRequire(import.meta.url)))(name)}',
  'const __filename=process.getBuiltinModule?.("url").fileURLToPath(import.meta.url),__dirname=process.getBuiltinModule?.("path").dirname(__filename);',
].join('');

/**
 * Takes Node's own modules from `process.getBuiltinModule` where they are imported: an `import` of each costs the loader half
 * a millisecond and a copy of all its exports. `require` of CommonJS code is left alone, it has no such price.
 */
export function builtinsPlugin(): EsbuildPlugin {
  return {
    name: 'builtins',
    setup(build) {
      build.onResolve({ filter: /^[a-z]|^node:/ }, ({ path, kind, importer }) => {
        if (kind !== 'import-statement' || !isBuiltin(path)) return undefined;
        // One module for each importer, because a shared one would become a chunk, which is a file to load, of one line.
        return { path: path.startsWith('node:') ? path : `node:${path}`, suffix: `?${importer}`, namespace: 'builtin' };
      });
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: builtinModule(path), loader: 'js' }));
    },
  };
}

/** Plain functions of modules that cost the start two milliseconds each; the module is loaded when one is first called. */
const lateFunctions: Record<string, readonly string[]> = {
  'node:crypto': ['createHash', 'createHmac', 'randomBytes', 'randomUUID', 'timingSafeEqual'],
  'node:child_process': ['spawn'],
};

/** All exports of one of Node's modules, each written so that the bundler drops it when it is not imported. */
function builtinModule(path: string): string {
  const load = `process.getBuiltinModule(${JSON.stringify(path)})`;
  const builtin: unknown = process.getBuiltinModule(path);
  const names = Object.keys(Object(builtin)).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default');
  const late = lateFunctions[path] ?? [];
  return [
    `const builtin = /* @__PURE__ */ ${load};`,
    'export default builtin;',
    ...names.map((name) =>
      late.includes(name)
        ? `export const ${name} = (...given) => ${load}.${name}(...given);`
        : `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`,
    ),
  ].join('\n');
}

/** Optional packages, most of them native. Their users catch the error of a missing one and go on without. */
const optionalPackages = /^(cpu-features|pg-native|cardinal)$/;

export function optionalPackagesPlugin(): EsbuildPlugin {
  return {
    name: 'optional-packages',
    setup(build) {
      build.onResolve({ filter: optionalPackages }, ({ path }) => ({ path, namespace: 'left-out' }));
      build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
        contents: `throw new Error(${JSON.stringify(`${path} is not part of this build`)});`,
        loader: 'js',
      }));
    },
  };
}

/** The program's own file can be executed; the line may be in the source as well. */
export function shebangPlugin(): EsbuildPlugin {
  return {
    name: 'shebang',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]main\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: source.startsWith('#!') ? source : `#!/usr/bin/env node\n${source}`, loader: 'ts' };
      });
    },
  };
}
