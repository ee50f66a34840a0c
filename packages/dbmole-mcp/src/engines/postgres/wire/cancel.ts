import { onAbort } from '@dbmole/core';
import { openWire, type Route } from './wire.ts';

const head = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e]);

/**
 * Asks the server to stop what the session runs, over a connection of its own, with the key that the session was given. Resolves
 * when the server has closed that connection: from then on the request hits nothing that is sent later. Never rejects.
 */
export async function sendCancel(route: Route, key: Buffer, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const stream = await openWire(route, signal);
    const closed = new Promise<void>((resolve) => stream.once('close', resolve));
    const stop = onAbort(signal, () => stream.destroy());
    stream.resume().write(Buffer.concat([head, key]));
    await closed;
    stop();
  } catch {
    // The server cannot be reached; the caller gives up on the statement and closes the session.
  }
}
