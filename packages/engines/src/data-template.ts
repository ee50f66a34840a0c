import { join } from 'node:path';
import { cached } from './cache.ts';
import { giveToEngineUser } from './engine-user.ts';
import { runCommand } from './run-command.ts';

/** Making a data directory takes seconds, copying one a tenth of a second: so it is made once and kept in the cache. */
export function openDataTemplate(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  return cached(name, async (directory) => {
    await giveToEngineUser(directory);
    await make(directory);
  });
}

/** Into `data` in the run directory, owned by the user that runs the server. */
export async function copyDataTemplate(template: string, runDirectory: string): Promise<string> {
  const data = join(runDirectory, 'data');
  await runCommand({ command: 'cp', args: ['-a', join(template, 'data'), data], asEngineUser: true, cwd: runDirectory });
  return data;
}
