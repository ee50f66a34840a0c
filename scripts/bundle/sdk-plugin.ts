import type { EsbuildPlugin } from './esbuild-plugin.ts';

/**
 * The SDK checks answers of an elicitation form with a general JSON Schema validator, a third of all code in the bundle. We
 * ask for no such answers. A server that does hands its own `jsonSchemaValidator` to the constructor of `Server`.
 */
const platformModule = `
const process = globalThis.process;
export { process };
export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('this build has no JSON Schema validator: pass jsonSchemaValidator to the Server');
  }
}
`;

/** The part of the SDK that speaks HTTP is in its main file; a file that the start needs as well would be loaded by it as a whole. */
const httpDoor = /[\\/]doors[\\/]http[\\/]/;
/** Marks the resolution of what this plugin has resolved already. */
const ownCopy = 'a copy for the HTTP door';

/** Replaces the module that the SDK reserves for each platform; its own code stays as it comes. */
export function sdkPlugin(): EsbuildPlugin {
  return {
    name: 'sdk',
    setup(build) {
      let isFound = false;
      build.onResolve({ filter: /^@modelcontextprotocol\/(?:server|client)\/_shims$/ }, ({ path }) => {
        isFound = true;
        return { path, namespace: 'sdk-platform' };
      });
      build.onLoad({ filter: /.*/, namespace: 'sdk-platform' }, () => ({ contents: platformModule, loader: 'js' }));
      build.onResolve({ filter: /^@modelcontextprotocol\/server$/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (pluginData === ownCopy || !httpDoor.test(importer)) return undefined;
        const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: ownCopy });
        return { path: found.path, suffix: '?http', sideEffects: false };
      });
      build.onEnd(({ errors }) =>
        errors.length > 0 || isFound ? undefined : { errors: [{ text: 'the SDK changed: its platform module was not found' }] },
      );
    },
  };
}
