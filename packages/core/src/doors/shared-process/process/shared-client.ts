import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../../../log.ts';
import { StdioTransport } from '../../../program/stdio-transport.ts';
import type { ToolServer } from '../../../tools/tool-server.ts';

/** Answers that are ready within this time after the end of a client's input are still given. */
const lastAnswersMs = 50;
/** A client that does not read its answers is not read from, either. */
const maxUnreadBytes = 4 * 1024 * 1024;

/** One client of a shared process: an endpoint of its own, whose end stops its calls and no others. */
export function serveClient(socket: Socket, { toolServer, log }: { toolServer: ToolServer; log: Log }): void {
  let running = 0;
  const call: ToolServer['call'] = async (...given) => {
    running += 1;
    try {
      return await toolServer.call(...given);
    } finally {
      running -= 1;
    }
  };
  const transport = new StdioTransport({ stdin: socket, stdout: socket, call });
  serveStdio(() => toolServer.connect(), { transport, onerror: (error) => log('warn', error.message) });
  socket.once('close', () => void transport.close());
  socket.once('end', async () => {
    const end = Date.now() + lastAnswersMs;
    // One turn of the loop at least: messages that arrived together with the end must become calls first.
    do await delay(5);
    while (running > 0 && Date.now() < end);
    await transport.close();
    socket.end();
  });
  socket.on('data', () => {
    if (socket.writableLength <= maxUnreadBytes) return;
    socket.pause();
    socket.once('drain', () => socket.resume());
  });
  socket.resume();
}
