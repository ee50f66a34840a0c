import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import { createApp, type Leaf } from '../program/app.ts';
import { connectTestClient, type TestClient } from './client.ts';
import { createTempFolder } from './temp-folder.ts';

export interface OpenLeaf extends TestClient {
  /** Its home and working directory. */
  folder: string;
}

/** A client of all tools of a leaf in this process; `close` ends everything that it opened. */
export async function openLeaf<C extends BaseConnection, B extends Backend>(
  leaf: Leaf<C, B>,
  env: Readonly<Record<string, string>>,
): Promise<OpenLeaf> {
  const folder = createTempFolder();
  const app = createApp(leaf, { env: { ...env }, cwd: folder.path, home: folder.path, log: () => undefined });
  const client = await connectTestClient(app.toolServer);
  return {
    ...client,
    folder: folder.path,
    async close() {
      await client.close();
      await app.dispose();
      folder[Symbol.dispose]();
    },
  };
}
