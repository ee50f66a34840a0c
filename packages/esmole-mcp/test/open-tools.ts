import { openProgram, type TestClient } from '@dbmole/core/testing';
import type { RunningEngine } from '@dbmole/engines';
import { definition } from '../src/server.ts';

/** A client of all tools in this process, over one cluster; `close` ends everything that it opened. */
export async function openTools(
  { scheme, host, port }: Pick<RunningEngine, 'scheme' | 'host' | 'port'>,
  fields: object = {},
  env: Record<string, string> = {},
): Promise<TestClient> {
  const connection = { name: 'main', type: 'elasticsearch', scheme, host, port, auth: 'none', readonly: true, ...fields };
  return await openProgram(definition, { ESMOLE_CONNECTIONS: JSON.stringify([connection]), ...env });
}
