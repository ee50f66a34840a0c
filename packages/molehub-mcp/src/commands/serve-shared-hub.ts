import { randomUUID } from 'node:crypto';
import { LogFile } from '@dbmole/core/log-file';
import { serveShared } from '@dbmole/core/shared-process';
import { createHubDoor } from '../hub/door.ts';
import type { StartOptions } from '../hub/start-list.ts';
import { disposeMs, program } from '../options.ts';
import { ClientSession } from '../session/client-session.ts';

/** Answers that are ready within this time after the end of a client's input are still given. */
const lastAnswersMs = 50;

/** The process behind the fronts of `--shared`. It is opened at once: a front waits for it anyway. */
export async function serveSharedHub(options: StartOptions, socket: string): Promise<void> {
  const door = createHubDoor(options, new LogFile(2).write);
  await door.open();
  await serveShared({
    ...{ socket, version: program.version, calls: door.calls, log: door.log, dispose: door.dispose, disposeMs },
    open: async () => (client) => {
      const session = new ClientSession({ stdin: client, stdout: client, session: randomUUID(), door, onCall: () => undefined });
      client.once('close', () => session.close());
      client.once('end', () => {
        setTimeout(() => {
          session.close();
          client.end();
        }, lastAnswersMs);
      });
      client.resume();
    },
  });
}
