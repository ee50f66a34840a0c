import type { Socket } from 'node:net';
import type { EngineAddress } from '@dbmole/engines';
import { withServer } from './postgres-fixture.ts';

/** One message of a server. */
export function reply(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export const ready = reply('Z', 'I');
const welcome = Buffer.concat([reply('R', int32(0)), reply('K', int32(1), int32(2)), ready]);
/** One column of type text. */
export const described = reply(
  'T',
  Buffer.from([0, 1]),
  'a\0',
  Buffer.alloc(6),
  int32(25),
  Buffer.from([255, 255]),
  int32(-1),
  Buffer.from([0, 0]),
);

interface Rogue {
  /** What the server does when a client has logged in, instead of saying that it is ready. */
  login?(socket: Socket): void;
  /** What it does when all of a round has come: the rounds are counted from 1. An honest server says that it is ready. */
  round?(socket: Socket, number: number): void;
}

/** A server that speaks just enough of the protocol, and then does what it likes. `sent` counts bytes that the client has taken. */
export async function withRogue(rogue: Rogue, use: (address: EngineAddress, sent: () => number) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const serve = (socket: Socket) => {
    // Like a real server while a statement runs, it does not look whether the client is still there.
    socket.allowHalfOpen = true;
    sockets.push(socket);
    socket.once('data', (startup: Buffer) => {
      if (startup.readUInt32BE(4) === cancelRequest) socket.end();
      else if (rogue.login === undefined) socket.write(welcome);
      else rogue.login(socket);
      listen(socket, (number) => (rogue.round === undefined ? socket.write(ready) : rogue.round(socket, number)));
    });
  };
  const sent = () => sockets.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
  await withServer(serve, (address) => use({ ...address, database: 'any' }, sent));
}

const cancelRequest = 80_877_102;

/** Each round of the client ends in a Sync, or is a simple query. */
function listen(socket: Socket, onRound: (number: number) => void): void {
  let rounds = 0;
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const type = String.fromCharCode(rest.readUInt8(0));
      rest = rest.subarray(rest.readUInt32BE(1) + 1);
      if (type === 'S' || type === 'Q') onRound(++rounds);
    }
  });
}

/** Sends the same again and again until the client hangs up. */
export function flood(socket: Socket, message: Buffer | (() => Buffer)): void {
  const next = () => (typeof message === 'function' ? message() : message);
  const fill = () => {
    if (socket.destroyed) return;
    if (socket.write(next())) setImmediate(fill);
    else socket.once('drain', fill);
  };
  fill();
}
