import { fileURLToPath } from 'node:url';
import type { RunningEngine } from '@dbmole/engines';

/** A server for PostgreSQL that takes a statement and gives a text, as its own documentation says how to start it. */
export interface PeerProgram {
  name: string;
  /** The package on npm; undefined for our own, which `npm run build` makes. */
  package?: { name: string; version: string };
  /** Inside of the package; ours is absolute. */
  file: string;
  args(engine: RunningEngine): readonly string[];
  env(engine: RunningEngine): Record<string, string>;
  tool: string;
  arguments(sql: string): Record<string, unknown>;
}

const ours = fileURLToPath(new URL('../../packages/dbmole-mcp/dist/main.js', import.meta.url));
const urlOf = ({ host, port, user, password }: RunningEngine) => `postgres://${user}:${password}@${host}:${port}/postgres`;
const bySql = (sql: string) => ({ sql });

export const dbhub: PeerProgram = {
  name: 'dbhub',
  package: { name: '@bytebase/dbhub', version: '1.4.0' },
  file: 'dist/index.js',
  args: (engine) => ['--transport', 'stdio', '--dsn', `${urlOf(engine)}?sslmode=disable`],
  env: () => ({}),
  tool: 'execute_sql',
  arguments: bySql,
};

export const peerPrograms: readonly PeerProgram[] = [
  {
    name: 'dbmole-mcp',
    file: ours,
    args: () => [],
    env: ({ host, port, user, password }) => ({
      DBMOLE_CONNECTIONS: JSON.stringify([{ name: 'bench', type: 'postgres', host, port, user, password, database: 'postgres' }]),
    }),
    tool: 'query',
    arguments: bySql,
  },
  dbhub,
  {
    name: 'MCP Toolbox',
    package: { name: '@toolbox-sdk/server', version: '1.12.0' },
    file: 'bin/run.js',
    args: () => ['--prebuilt=postgres', '--stdio'],
    env: ({ host, port, user, password }) => ({
      POSTGRES_HOST: host,
      POSTGRES_PORT: String(port),
      POSTGRES_DATABASE: 'postgres',
      POSTGRES_USER: user,
      POSTGRES_PASSWORD: password,
    }),
    tool: 'execute_sql',
    arguments: bySql,
  },
  {
    name: 'server-postgres',
    package: { name: '@modelcontextprotocol/server-postgres', version: '0.6.2' },
    file: 'dist/index.js',
    args: (engine) => [urlOf(engine)],
    env: () => ({}),
    tool: 'query',
    arguments: bySql,
  },
  {
    name: 'mcp-postgres-server',
    package: { name: 'mcp-postgres-server', version: '0.3.1' },
    file: 'build/index.js',
    args: () => [],
    env: (engine) => ({ DATABASE_URL: urlOf(engine) }),
    tool: 'query',
    arguments: bySql,
  },
  {
    name: 'postgres-mcp-server',
    package: { name: '@henkey/postgres-mcp-server', version: '1.0.7' },
    file: 'build/index.js',
    args: (engine) => ['--connection-string', urlOf(engine)],
    env: () => ({}),
    tool: 'pg_execute_query',
    arguments: (query) => ({ operation: 'select', query }),
  },
];
