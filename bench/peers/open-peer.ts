import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningEngine } from '@dbmole/engines';
import { StdioServer } from '../stdio-server.ts';
import type { PeerProgram } from './programs.ts';

/** One program: starting it, and asking it once it runs. */
export interface Peer {
  name: string;
  start(): Promise<PeerServer>;
}

export interface PeerServer {
  server: StdioServer;
  query(sql: string): Promise<string>;
  /** A call that `cancel` gives up; it is not awaited. */
  startQuery(sql: string): { cancel(): void };
}

/** Installs it, if that has not been done before. */
export function openPeer(program: PeerProgram, engine: RunningEngine, node: string): Peer {
  const file = program.package === undefined ? program.file : join(installPeer(program.package), program.file);
  return {
    name: program.name,
    async start() {
      const server = new StdioServer({ file, node, args: program.args(engine), env: program.env(engine) });
      await server.initialize();
      const args = (sql: string) => ({ name: program.tool, arguments: program.arguments(sql) });
      return {
        server,
        query: (sql) => server.callTool(program.tool, program.arguments(sql)),
        startQuery: (sql) => server.start('tools/call', args(sql)),
      };
    },
  };
}

/** The folder of the package. */
export function installPeer({ name, version }: { name: string; version: string }): string {
  const folder = join(tmpdir(), 'mole-bench-peers', `${name.replaceAll(/[^a-z-]/g, '_')}-${version}`);
  const found = join(folder, 'node_modules', ...name.split('/'));
  if (!existsSync(found)) {
    mkdirSync(folder, { recursive: true });
    const options = ['--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { stdio: 'inherit' });
  }
  return found;
}
