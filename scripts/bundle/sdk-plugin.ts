import { readFile } from 'node:fs/promises';
import type { EsbuildPlugin } from './esbuild-plugin.ts';
import { markSchemasPure, trimProtocolChunk } from './sdk-source.ts';

/**
 * The SDK checks answers of an elicitation form with a general JSON Schema validator, a third of all code in the bundle. We
 * ask for no such answers. A server that does hands its own `jsonSchemaValidator` to the constructor of `Server`.
 */
const platformModule = `
const process = globalThis.process;
export { process };
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('this build has no JSON Schema validator: pass jsonSchemaValidator to the Server');
  }
}
`;

const sources: readonly { name: string; filter: RegExp; trim(source: string): string }[] = [
  { name: 'public schemas', filter: /@modelcontextprotocol[\\/]core[\\/]dist[\\/]schemas-[\w-]+\.mjs$/, trim: markSchemasPure },
  {
    name: 'authorization schemas',
    filter: /@modelcontextprotocol[\\/]core[\\/]dist[\\/]auth-[\w-]+\.mjs$/,
    trim: markSchemasPure,
  },
  { name: 'protocol chunk', filter: /@modelcontextprotocol[\\/]server[\\/]dist[\\/]src-[\w-]+\.mjs$/, trim: trimProtocolChunk },
];

/**
 * Makes the SDK cheap to start without changing what it does: see docs/decisions/bundling.md. Whatever it does not find as
 * expected is an error of the build, because a new version of the SDK must be looked at and measured again.
 */
export function sdkPlugin(): EsbuildPlugin {
  return {
    name: 'sdk',
    setup(build) {
      const seen = new Set<string>();
      build.onStart(() => seen.clear());
      build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => {
        seen.add('platform module');
        return { path, namespace: 'sdk-platform' };
      });
      build.onLoad({ filter: /.*/, namespace: 'sdk-platform' }, () => ({ contents: platformModule, loader: 'js' }));
      for (const { name, filter, trim } of sources) {
        build.onLoad({ filter }, async ({ path }) => {
          if (seen.has(name)) throw new Error(`the SDK has two files that look like its ${name}`);
          seen.add(name);
          return { contents: trim(await readFile(path, 'utf8')), loader: 'js' };
        });
      }
      build.onEnd(({ errors }) => {
        if (errors.length > 0) return undefined;
        const missing = ['platform module', ...sources.map(({ name }) => name)].filter((name) => !seen.has(name));
        return { errors: missing.map((name) => ({ text: `the SDK changed: its ${name} was not found` })) };
      });
    },
  };
}
