import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { EngineTls } from '@dbmole/engines';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Something that speaks HTTP as a node does, and tells what it was sent. */
export interface FakeNode {
  host: string;
  port: number;
  seen: Seen[];
  /** The number of connections that are open. */
  readonly open: number;
  readonly accepted: number;
  readonly closed: number;
  close(): Promise<void>;
}

export interface FakeNodeOptions {
  /** The first one that answers. Undefined: `{}`. */
  answer?: (response: ServerResponse, seen: Seen, count: number) => void;
  port?: number;
  tls?: EngineTls;
  /** Shows the certificate of the authority as well, as Elasticsearch does. */
  showsAuthority?: boolean;
}

export async function startNode({ answer, port = 0, tls, showsAuthority = true }: FakeNodeOptions = {}): Promise<FakeNode> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  let closed = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(one);
    if (answer === undefined) response.setHeader('content-type', 'application/json').end('{}');
    else answer(response, one, seen.length);
  };
  const server: Server = tls
    ? createTlsServer({ key: tls.key, cert: showsAuthority ? `${tls.certificate}\n${tls.ca}` : tls.certificate }, listener)
    : createServer(listener);
  server.on('connection', (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed += 1;
        sockets.delete(socket);
      });
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    host: '127.0.0.1',
    // A server that listens on TCP has an address of this form.
    port: (server.address() as AddressInfo).port,
    seen,
    get open() {
      return sockets.size;
    },
    get accepted() {
      return accepted;
    },
    get closed() {
      return closed;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
