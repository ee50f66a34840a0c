import type { Mole } from '@dbmole/core/library';
import type { DbmoleOptions } from './library-types.ts';

/** Opens the tools of dbmole-mcp inside this process. Rejects when an option or a connection is invalid; databases are opened by calls. */
export async function createDbmole(options: DbmoleOptions): Promise<Mole> {
  const [{ openMole }, { definition }] = await Promise.all([import('@dbmole/core/library'), import('./server.ts')]);
  return await openMole(definition, options);
}
