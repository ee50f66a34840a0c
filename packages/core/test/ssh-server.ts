import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ServerConfig } from 'ssh2';

const { Server, utils } = ssh2;

export interface SshServerOptions {
  hostKeys?: string[];
  /** Accepts everything when left out. */
  authenticate?(context: AuthContext): void;
  /** Accepts and connects when left out. */
  forward?: 'connect' | 'ignore' | 'refuse';
  config?: Partial<ServerConfig>;
  /** A free one when left out. */
  port?: number;
}

/** An SSH server in this process: the way to script what a real one does rarely. */
export interface SshServer {
  port: number;
  /** Methods of the attempts to log in, in order; a key is counted once per question about it. */
  attempts: string[];
  logins: number;
  connections: Set<Connection>;
  /** Channels that are open on this side. */
  channels: number;
  /** Packets of data that came through them. */
  packets: number;
  answerForwards(): void;
  close(): Promise<void>;
}

/** The library writes some keys in a way that it cannot read itself. */
export function makeHostKey(): { private: string; public: string } {
  for (;;) {
    const pair = utils.generateKeyPairSync('ed25519');
    if (!(utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}

export async function startSshServer(options: SshServerOptions = {}): Promise<SshServer> {
  const held: (() => void)[] = [];
  const state: SshServer = {
    port: 0,
    attempts: [],
    logins: 0,
    connections: new Set(),
    channels: 0,
    packets: 0,
    answerForwards: () => {
      for (const answer of held.splice(0)) answer();
    },
    close: async () => {
      for (const connection of state.connections) connection.end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  const hostKeys = options.hostKeys ?? [makeHostKey().private];
  const server = new Server({ ...options.config, hostKeys }, (connection) => {
    state.connections.add(connection);
    connection.on('error', () => {});
    connection.on('close', () => state.connections.delete(connection));
    connection.on('authentication', (context) => {
      state.attempts.push(context.method);
      if (options.authenticate === undefined) context.accept();
      else options.authenticate(context);
    });
    connection.on('ready', () => {
      state.logins++;
    });
    connection.on('tcpip', (accept, reject, info) => {
      if (options.forward === 'refuse') return reject();
      const open = (): void => forward(accept(), connect(info.destPort, info.destIP), state);
      if (options.forward === 'ignore') held.push(open);
      else open();
    });
  });
  state.port = await listen(server, options.port);
  return state;
}

function forward(channel: ssh2.ServerChannel, socket: Socket, state: SshServer): void {
  state.channels++;
  channel.on('close', () => {
    state.channels--;
    socket.destroy();
  });
  channel.on('error', () => {});
  channel.on('data', () => {
    state.packets++;
  });
  socket.on('error', () => channel.close());
  // ssh2 tells of the close only after the end was read.
  socket.on('close', () => channel.resume());
  channel.pipe(socket).pipe(channel);
}

/** A server on the loopback, on a free port unless one is named. */
export function listen(server: NetServer, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

export interface TestTarget {
  port: number;
  connections: number;
  close(): Promise<void>;
}

/** What the tunnel leads to: by default it sends back what it gets. */
export async function startTarget(serve: (socket: Socket) => void = (socket) => socket.pipe(socket)): Promise<TestTarget> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    target.connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  const target: TestTarget = {
    port: await listen(server),
    connections: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return target;
}
