import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../log.ts';
import { errorCode, errorText } from '../failures.ts';
import { type KnownHost, scanKnownHosts } from './known-hosts.ts';

/** Where ssh itself looks when its configuration says nothing else. */
export function defaultKnownHostsFiles(home: string): string[] {
  return [
    join(home, '.ssh', 'known_hosts'),
    join(home, '.ssh', 'known_hosts2'),
    '/etc/ssh/ssh_known_hosts',
    '/etc/ssh/ssh_known_hosts2',
  ];
}

/** All lines that can be used. A file that is missing is normal; one that cannot be read is worth a line in the log. */
export async function readKnownHosts(files: readonly string[], log: Log): Promise<KnownHost[]> {
  const lists = await Promise.all(files.map((file) => readOne(file, log)));
  return lists.flat();
}

async function readOne(file: string, log: Log): Promise<KnownHost[]> {
  try {
    const { entries, skipped } = scanKnownHosts(await readFile(file, 'utf8'), file);
    if (skipped.length > 0) log('warn', 'lines of known_hosts were skipped', { file, lines: skipped.slice(0, 20).join(',') });
    return entries;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') log('warn', 'known_hosts cannot be read', { file, why: errorText(error) });
    return [];
  }
}
