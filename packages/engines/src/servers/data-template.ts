import { join } from 'node:path';
import { copyDataFolder, giveToEngineUser } from '@dbmole/local-engine';
import { cached } from '../fetch/cache.ts';

/** Making a data directory takes seconds, copying one a tenth of a second: so it is made once and kept in the cache. */
export function openDataTemplate(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  return cached(name, async (directory) => {
    await giveToEngineUser(directory);
    await make(directory);
  });
}

/** Into `data` in the run directory, owned by the user that runs the server. */
export function copyDataTemplate(template: string, runDirectory: string): Promise<string> {
  return copyDataFolder(join(template, 'data'), join(runDirectory, 'data'));
}
