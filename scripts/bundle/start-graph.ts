import { isBuiltin } from 'node:module';
import type { EsbuildPlugin, Metafile } from './esbuild-plugin.ts';

/** These are loaded when a connection needs them: they are 15 MB and half of the start otherwise. */
const lazyPackages = new Set(['pg', 'pg-protocol', 'mysql2', 'ssh2', 'undici', 'libpg-query', 'jose']);
/** Files that only a server over HTTP needs: ours, and the copy of the SDK's main file that they have; and those that record calls. */
const lazyFile = /[\\/]src[\\/](?:doors[\\/]http|recording)[\\/]|\?http$/;
/** Bundled apart; see front-plugin.ts. */
const apartFiles: readonly string[] = ['./shared-front.js', './start.js'];
/** Modules of Node that cost the start 2 ms and more. */
const slowBuiltins = new Set(['node:tls', 'node:https', 'node:http', 'node:http2', 'node:inspector', 'node:sqlite']);

/** The outputs that are loaded before the first answer, in no order. */
export function startOutputs(metafile: Metafile): string[] {
  const entry = Object.keys(metafile.outputs).find((name) => metafile.outputs[name]?.entryPoint?.endsWith('src/main.ts'));
  if (entry === undefined) throw new Error('no output has src/main.ts as its entry point');
  const found = new Set<string>();
  const follow = (name: string, withLazy: boolean): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path, kind } of metafile.outputs[name]?.imports ?? []) {
      // What main.ts itself imports lazily is the program, behind the check of Node's version.
      if (kind === 'import-statement' || (withLazy && kind === 'dynamic-import')) follow(path, false);
    }
  };
  follow(entry, true);
  return [...found].filter((name) => name in metafile.outputs);
}

/** The files of which something was kept in `outputs`. */
export function inputsOf(metafile: Metafile, outputs: readonly string[]): string[] {
  const inputs = new Set<string>();
  for (const output of outputs) {
    for (const [input, { bytesInOutput }] of Object.entries(metafile.outputs[output]?.inputs ?? {})) {
      if (bytesInOutput > 0) inputs.add(input);
    }
  }
  return [...inputs];
}

/** The name of the package that a bundled file comes from; undefined for our own files and Node's modules. */
export function packageOf(input: string): string | undefined {
  if (input.startsWith('builtin:')) return undefined;
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input.replaceAll('\\', '/'))?.[1];
}

/** What makes a bundle unfit to publish; empty is good. */
export function graphProblems(metafile: Metafile): string[] {
  const files = [...Object.keys(metafile.outputs), ...Object.keys(metafile.inputs)];
  return [
    ...inputsOf(metafile, startOutputs(metafile)).flatMap(startProblem),
    ...files.filter((file) => file.endsWith('.node')).map((file) => `${file} is a native module`),
    ...Object.entries(metafile.outputs).flatMap(([name, { imports }]) => missingImports(name, imports)),
  ];
}

function startProblem(input: string): string[] {
  const [, builtin = '', importer = ''] = /^builtin:([^?]+)\?(.*)$/.exec(input) ?? [];
  const advice = 'at the start; import it where it is used';
  if (slowBuiltins.has(builtin)) return [`${importer} imports ${builtin} ${advice}`];
  return lazyFile.test(input) || lazyPackages.has(packageOf(input) ?? '') ? [`${input} is loaded ${advice}`] : [];
}

function missingImports(name: string, imports: Metafile['outputs'][string]['imports']): string[] {
  return imports
    .filter(({ path, external }) => external && !isBuiltin(path) && !path.startsWith('node:') && !apartFiles.includes(path))
    .map(({ path }) => `${name} imports ${path}, which is not in the bundle`);
}

/** Fails the build for `graphProblems`, and hands the bundle's contents on. */
export function startGraphPlugin(use: (metafile: Metafile) => void): EsbuildPlugin {
  return {
    name: 'start-graph',
    setup(build) {
      build.onEnd(({ metafile, errors }) => {
        if (metafile === undefined || errors.length > 0) return undefined;
        const problems = graphProblems(metafile);
        if (problems.length === 0) use(metafile);
        return { errors: problems.map((text) => ({ text })) };
      });
    },
  };
}
