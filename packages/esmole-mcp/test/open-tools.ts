import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@dbmole/core';
import { connectTestClient, type TestClient } from '@dbmole/core/testing';
import type { RunningEngine } from '@dbmole/engines';
import { leaf } from '../src/server.ts';

/** A client of all tools in this process, over one cluster; `close` ends everything that it opened. */
export async function openTools(
  { scheme, host, port }: Pick<RunningEngine, 'scheme' | 'host' | 'port'>,
  fields: object = {},
  env: Record<string, string> = {},
): Promise<TestClient> {
  const home = await mkdtemp(join(tmpdir(), 'esmole-tools-'));
  const connection = { name: 'main', type: 'elasticsearch', scheme, host, port, auth: 'none', readonly: true, ...fields };
  const variables = { ESMOLE_CONNECTIONS: JSON.stringify([connection]), ...env };
  const app = createApp(leaf, { env: variables, cwd: home, home, log: () => undefined });
  const client = await connectTestClient(app.toolServer);
  return {
    ...client,
    async close() {
      await client.close();
      await app.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}
