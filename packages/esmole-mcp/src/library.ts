import type { Mole } from '@dbmole/core/library';
import type { EsmoleOptions } from './library-types.ts';

/** Opens the tools of esmole-mcp inside this process. Rejects when an option or a connection is invalid; clusters are opened by calls. */
export async function createEsmole(options: EsmoleOptions): Promise<Mole> {
  const [{ openMole }, { definition }] = await Promise.all([import('@dbmole/core/library'), import('./server.ts')]);
  return await openMole(definition, options);
}
