import type { Log } from '../log.ts';
import { serveClient, type ToolServer } from '../tools/tool-server.ts';
import type { ServeOptions } from './serve.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How `serve` offers tools to its client: over the line protocol, in either era. */
export function serveTools(toolServer: Pick<ToolServer, 'call' | 'connect'>, log: Log): ServeOptions['attach'] {
  return ({ stdin, stdout }, wake) => {
    const transport = new StdioTransport({ stdin, stdout, call: toolServer.call, onCall: wake });
    serveClient(toolServer, transport, (error) => log('warn', error.message));
  };
}
