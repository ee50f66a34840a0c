import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@dbmole/core';
import { connectTestClient, type TestClient } from '@dbmole/core/testing';
import { leaf } from '../src/server.ts';
import type { Account } from './direct.ts';

export interface OpenTools extends TestClient {
  folder: string;
}

export type TestConnection = Partial<Account> & Record<string, unknown> & { name: string };

/** A client of all tools in this process, over these connections; `close` ends everything that it opened. */
export async function openTools(connections: readonly TestConnection[], env: Record<string, string> = {}): Promise<OpenTools> {
  const folder = await mkdtemp(join(tmpdir(), 'dbmole-tools-'));
  const variables = { DBMOLE_CONNECTIONS: JSON.stringify(connections), ...env };
  const app = createApp(leaf, { env: variables, cwd: folder, home: folder, log: () => undefined });
  const client = await connectTestClient(app.toolServer);
  return {
    ...client,
    folder,
    async close() {
      await client.close();
      await app.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
