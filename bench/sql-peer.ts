import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNode, type RunningEngine } from '@dbmole/engines';
import { StdioServer } from './stdio-server.ts';

const release = '@bytebase/dbhub@1.4.0';

/** A server that takes a statement and gives a text, whichever it is. */
export interface Peer {
  server: StdioServer;
  query(sql: string): Promise<string>;
}

/** Another server for the same purpose; undefined where it could not be installed. */
export async function openDbhub(engine: RunningEngine): Promise<Peer | undefined> {
  try {
    return await open(engine);
  } catch (error) {
    console.error(`without ${release}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function open({ host, port, user, password }: RunningEngine): Promise<Peer> {
  const folder = join(tmpdir(), 'mole-bench-peer');
  const file = join(folder, 'node_modules', '@bytebase', 'dbhub', 'dist', 'index.js');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const options = ['--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...options, release, 'pg@8.23.1'], { stdio: 'inherit' });
  }
  const dsn = `postgres://${user}:${password}@${host}:${port}/postgres?sslmode=disable`;
  const server = new StdioServer({ file, node: await openNode(22), args: ['--transport', 'stdio', '--dsn', dsn] });
  await server.initialize();
  return { server, query: (sql) => server.callTool('execute_sql', { sql }) };
}
