import { openNode, type RunningEngine } from '@dbmole/engines';
import { openPeer } from '../peers/open-peer.ts';
import { dbhub } from '../peers/programs.ts';
import type { StdioServer } from '../stdio-server.ts';

/** A server that takes a statement and gives a text, whichever it is. */
export interface Peer {
  server: StdioServer;
  query(sql: string): Promise<string>;
}

/** Another server for the same purpose; undefined where it could not be installed. */
export async function openDbhub(engine: RunningEngine): Promise<Peer | undefined> {
  try {
    return await openPeer(dbhub, engine, await openNode(22)).start();
  } catch (error) {
    console.error(`without ${dbhub.name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
