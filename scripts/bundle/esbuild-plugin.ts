import type { Options } from 'tsup';

/** The plugin interface of esbuild as tsup passes it on; esbuild itself is tsup's dependency, not ours. */
export type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];
export type EsbuildBuild = Parameters<EsbuildPlugin['setup']>[0];
export type Metafile = NonNullable<Parameters<Parameters<EsbuildBuild['onEnd']>[0]>[0]['metafile']>;
