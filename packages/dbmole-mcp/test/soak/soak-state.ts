import { readdirSync, readlinkSync } from 'node:fs';
import { listChildren } from '@dbmole/core/testing';
import { countSessions } from '../direct.ts';
import { type SoakSite, soakUser } from './soak-site.ts';

/** What a server holds, at its own place and at those of others. Linux only. */
export interface SoakState {
  megabytes: number;
  sockets: number;
  /** Other open files. */
  files: number;
  children: number;
  /** Sessions of the soak's account in all engines. */
  sessions: number;
}

export async function openState({ server, engines }: SoakSite): Promise<SoakState> {
  const pid = server.child.pid ?? 0;
  const targets = descriptorsOf(pid);
  const counts = await Promise.all(engines.map((engine) => countSessions(engine, soakUser)));
  return {
    megabytes: Math.round(server.rssBytes() / 1024 / 1024),
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    files: targets.filter((target) => !target.startsWith('socket:')).length,
    children: listChildren(pid).length,
    sessions: counts.reduce((sum, count) => sum + count, 0),
  };
}

function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed since the folder was read.
      return [];
    }
  });
}
