import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import { createApp, type ServerDefinition } from '../program/app.ts';
import { loadRecorder } from '../program/load-recorder.ts';
import { connectTestClient, type TestClient } from './client.ts';
import { createTempFolder } from './temp-folder.ts';

export interface OpenProgram extends TestClient {
  /** Its home and working directory. */
  folder: string;
}

/** A client of all tools of a server in this process; `close` ends everything that it opened. */
export async function openProgram<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  env: Readonly<Record<string, string>>,
): Promise<OpenProgram> {
  const folder = createTempFolder();
  const options = { env: { ...env }, cwd: folder.path, home: folder.path, log: () => undefined };
  const recorder = await loadRecorder(definition.program, { ...options, isServer: true });
  const app = createApp(definition, { ...options, recorder });
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
