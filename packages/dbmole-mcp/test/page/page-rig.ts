import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HttpProcess, type TempFolder } from '@dbmole/core/testing';
import { bin } from '../bin.ts';

const run = promisify(execFile);

/** A server with a page, and the links to it. */
export interface ServedPage {
  /** Runs now; another one after `restart`. */
  readonly server: HttpProcess;
  /** A link for one use, as `open` prints it. */
  link(): Promise<string>;
  /** Stops it and starts it on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function servePage(
  folder: TempFolder,
  connections: readonly object[],
  more: NodeJS.ProcessEnv = {},
): Promise<ServedPage> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.at('config'),
    DBMOLE_CONNECTIONS: JSON.stringify(connections),
    ...more,
  };
  const start = () => new HttpProcess({ file: bin, cwd: folder.path, env, projectPort: true }).listening();
  let server = await start();
  return {
    get server() {
      return server;
    },
    async link() {
      const { stdout } = await run(process.execPath, [bin, 'open'], { cwd: folder.path, env });
      return stdout.trim();
    },
    async restart() {
      await server.stop();
      server = await start();
    },
    async stop() {
      await server.stop();
    },
  };
}
