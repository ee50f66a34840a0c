import { mkdir } from 'node:fs/promises';
import { runCommand } from '../run/run-command.ts';
import { cached } from './cache.ts';
import { sayProgress } from './progress.ts';

interface PackedPackage {
  name: string;
  version: string;
  /** Its place in the cache. */
  folder: string;
  /** For the person who waits: how large it is. */
  about: string;
}

/** The folder with the files of a package from npm that needs no other: nothing is installed, and no script of it is run. */
export async function openPackage({ name, version, folder, about }: PackedPackage): Promise<string> {
  return await cached(folder, async (directory) => {
    sayProgress(`fetching ${name} ${version} (${about})`);
    await mkdir(directory, { recursive: true });
    await runCommand({ command: 'npm', args: ['pack', '--silent', `${name}@${version}`], cwd: directory });
    await runCommand({ command: 'sh', args: ['-c', 'tar xzf ./*.tgz --strip-components=1 && rm ./*.tgz'], cwd: directory });
  });
}
