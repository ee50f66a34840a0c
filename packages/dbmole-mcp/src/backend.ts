import type { Backend, BackendTarget } from '@dbmole/core';
import type { Connection, EngineType } from './schema.ts';

/** What answered. */
export interface ServerIdentity {
  product: string;
  version: string;
  user: string;
  database: string | undefined;
}

/** One engine, reached. Every folder of `engines/` makes one of these. */
export interface SqlBackend extends Backend {
  identify(signal: AbortSignal): Promise<ServerIdentity>;
}

type Open = (target: BackendTarget<Connection>, signal: AbortSignal) => Promise<SqlBackend>;

/** Drivers are loaded when the first connection of their kind is opened, never at start. */
const engines: Record<EngineType, () => Promise<{ openBackend: Open }>> = {
  postgres: () => import('./engines/postgres/backend.ts'),
  mysql: () => import('./engines/mysql/backend.ts'),
};

export async function createBackend(target: BackendTarget<Connection>, signal: AbortSignal): Promise<SqlBackend> {
  const { openBackend } = await engines[target.config.type]();
  return openBackend(target, signal);
}
