import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { listen, makeHostKey } from './ssh-server.ts';

/** What the library does not offer: sends any packet, encrypted but otherwise unchanged. */
interface Internals {
  _sock: { pause(): void; resume(): void; readonly writableLength: number };
  _protocol: {
    channelOpenConfirm(remote: number, local: number, window: number, maxPacket: number): void;
    _packetRW: { write: { allocStart: number; alloc(length: number): Buffer; finalize(packet: Buffer): Buffer } };
    _cipher: { encrypt(packet: Buffer): void };
  };
}

const globalRequest = 80;
const requestFailure = 82;
const windowAdjust = 93;
const channelData = 94;
const channelExtendedData = 95;
const channelRequest = 98;

/** The bytes that it has not sent yet. */
const maxQueued = 1024 * 1024;

const [kind = ''] = process.argv.slice(2);

const acts: Record<string, (connection: Connection, channel: ServerChannel) => void> = {
  /** Wants an answer to each, and reads none. */
  'global requests': (connection) => flood(connection, request(globalRequest, Buffer.alloc(0)), { reads: false }),
  'channel requests': (connection) => flood(connection, request(channelRequest, number(0)), { reads: false }),
  /** What passes for the answer to a keepalive. */
  'global requests and blind answers': (connection) => {
    setInterval(() => send(connection, Buffer.of(requestFailure)), 100);
    flood(connection, request(globalRequest, Buffer.alloc(0)), { reads: false });
  },
  /** The client asks for a proof of these keys, and waits for it. */
  'host keys': (connection) => {
    const name = text('hostkeys-00@openssh.com');
    flood(connection, Buffer.concat([Buffer.of(globalRequest), name, Buffer.of(0)]), { reads: true });
  },
  /** Small parts take far more memory than they have bytes; nothing reads the second. */
  'data in small parts': (connection, channel) =>
    flood(connection, Buffer.concat([Buffer.of(channelData), number(idOf(channel)), text('x')]), { reads: true }),
  'errors in small parts': (connection, channel) =>
    flood(connection, Buffer.concat([Buffer.of(channelExtendedData), number(idOf(channel)), number(1), text('x')]), {
      reads: true,
    }),
  /** No flood: lets the client send as much as it likes, and reads it late. */
  'large windows': (connection, channel) => {
    send(connection, Buffer.concat([Buffer.of(windowAdjust), number(idOf(channel)), number(64 * 1024 * 1024)]));
    channel.resume();
    const { _sock: socket } = internalsOf(connection);
    setTimeout(() => socket.pause(), 50);
    setTimeout(() => socket.resume(), 1_000);
    setInterval(() => send(connection, Buffer.of(requestFailure)), 100);
  },
};

function request(type: number, recipient: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type), recipient, text('keepalive@openssh.com'), Buffer.of(1)]);
}

/** The number of the channel at the client. */
function idOf(channel: ServerChannel): number {
  return (channel as unknown as { outgoing: { id: number } }).outgoing.id;
}

/** Tells the client to send so many bytes in one packet at most. */
function limitPackets(connection: Connection, bytes: number): void {
  const { _protocol: protocol } = internalsOf(connection);
  const confirm = protocol.channelOpenConfirm.bind(protocol);
  protocol.channelOpenConfirm = (remote, local, window) => confirm(remote, local, window, bytes);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([number(value.length), Buffer.from(value)]);
}

function flood(connection: Connection, payload: Buffer, { reads }: { reads: boolean }): void {
  const { _sock: socket } = internalsOf(connection);
  const step = () => {
    if (!reads) socket.pause();
    for (let sent = 0; sent < 500 && socket.writableLength < maxQueued; sent++) send(connection, payload);
    setImmediate(step);
  };
  step();
}

function send(connection: Connection, payload: Buffer): void {
  const { _packetRW, _cipher } = internalsOf(connection)._protocol;
  const { write } = _packetRW;
  const packet = write.alloc(payload.length);
  packet.set(payload, write.allocStart);
  _cipher.encrypt(write.finalize(packet));
}

function internalsOf(connection: Connection): Internals {
  // Its types do not have what only the library itself uses.
  return connection as unknown as Internals;
}

const hostKey = makeHostKey();
const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (connection) => {
  connection.on('error', () => {});
  connection.on('authentication', (context) => context.accept());
  connection.on('tcpip', (accept) => {
    const [, bytes] = /^packets of (\d+)$/.exec(kind) ?? [];
    if (bytes !== undefined) limitPackets(connection, Number(bytes));
    const channel = accept();
    acts[kind]?.(connection, channel);
  });
});
const port = await listen(server);
process.stdout.write(`${JSON.stringify({ port, key: hostKey.public.split(' ')[1] })}\n`);
process.on('uncaughtException', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
