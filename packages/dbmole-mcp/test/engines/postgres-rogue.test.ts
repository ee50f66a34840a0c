import type { Socket } from 'node:net';
import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../src/engines/postgres/engine.ts';
import { forever, read, targetOf, until } from './postgres-fixture.ts';
import { described, flood, int32, ready, reply, withRogue } from './rogue-postgres.ts';

const open = (address: Parameters<typeof targetOf>[0]) => openSession(targetOf(address, { tls: 'disable' }), forever);

let names = 0;
/** About 64 KB of parameters, each with a new name. */
const parameters = () => Buffer.concat(Array.from({ length: 2_000 }, () => reply('S', `parameter_${names++}\0`, 'value\0')));
const notices = Buffer.concat(Array.from({ length: 2_000 }, () => reply('N', 'SNOTICE\0', 'Mhello\0', '\0')));
const notifications = Buffer.concat(Array.from({ length: 2_000 }, () => reply('A', int32(1), 'channel\0', 'payload\0')));
const copied = reply('d', Buffer.alloc(64 * 1024));
const rows = Buffer.concat(Array.from({ length: 2_000 }, () => reply('D', Buffer.from([0, 1]), int32(4), 'cell')));
const tags = Buffer.concat(Array.from({ length: 2_000 }, () => reply('C', 'SELECT 1\0')));

/** What a new session asks before its first call. */
const ownRounds = 5;
/** What a client may take before it hangs up, with what lies in the buffers of both ends. */
const maxSize = 40e6;

describe('a server that never stops sending', () => {
  it.each([
    ['parameters', parameters],
    ['notices', notices],
  ])('%s during the login', async (_, message) => {
    await withRogue({ login: (socket) => flood(socket, message) }, async (address, sent) => {
      await expect(open(address)).rejects.toMatchObject({ kind: 'connection', code: 'E_PROTOCOL' });
      expect(sent()).toBeLessThan(maxSize);
    });
  });

  it.each([
    ['parameters', parameters],
    ['notices', notices],
    ['notifications', notifications],
    ['copied data', copied],
  ])('%s without having been asked loses the connection', async (_, message) => {
    let connected: Socket | undefined;
    const round = (socket: Socket) => {
      connected = socket;
      socket.write(ready);
    };
    await withRogue({ round }, async (address, sent) => {
      const session = await open(address);
      await read(session, 'select 1');
      if (connected === undefined) throw new Error('it was not connected');
      flood(connected, message);
      await until(async () => !session.alive);
      await until(async () => connected?.destroyed === true);
      expect(sent()).toBeLessThan(maxSize);
    });
  });

  it('rows of our own questions loses the connection', async () => {
    const round = (socket: Socket) => {
      socket.write(described);
      flood(socket, rows);
    };
    await withRogue({ round }, async (address, sent) => {
      const session = await open(address);
      await until(async () => !session.alive);
      await expect(read(session, 'select 1')).rejects.toMatchObject({ kind: 'connection', code: 'E_STALE' });
      expect(sent()).toBeLessThan(maxSize);
    });
  });

  it('ends of statements loses the connection', async () => {
    const round = (socket: Socket, number: number) => (number <= ownRounds ? socket.write(ready) : flood(socket, tags));
    await withRogue({ round: (socket, number) => void round(socket, number) }, async (address, sent) => {
      const session = await open(address);
      await expect(read(session, 'select 1')).rejects.toMatchObject({ kind: 'connection', code: 'E_PROTOCOL' });
      expect(sent()).toBeLessThan(maxSize);
    });
  });

  it.each([
    ['parameters', parameters],
    ['rows', rows],
  ])('%s after the caller has given up loses the connection', async (_, message) => {
    const round = (socket: Socket, number: number) => {
      if (number <= ownRounds) return void socket.write(ready);
      socket.write(described);
      flood(socket, message);
    };
    await withRogue({ round }, async (address) => {
      const session = await open(address);
      const before = process.memoryUsage().rss;
      const caller = AbortSignal.timeout(300);
      await expect(read(session, 'select 1', { signal: caller, takes: 3 })).rejects.toMatchObject({ kind: 'timeout' });
      expect(session.alive).toBe(false);
      await session.pendingEnd;
      expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    });
  });
});

/** A login by SCRAM in steps: what the server says first, and after each answer of the client. */
function scram(steps: readonly ((answer: string) => Buffer)[]) {
  return (socket: Socket) => {
    let step = 0;
    const next = (answer: string) => socket.write(steps[step++]?.(answer) ?? '');
    socket.on('data', (chunk: Buffer) => next(chunk.toString('latin1')));
    next('');
  };
}

const offer = () => reply('R', int32(10), 'SCRAM-SHA-256\0\0');
const challenge = (answer: string) => {
  const nonce = /r=([^,]+)$/.exec(answer)?.[1] ?? '';
  return reply('R', int32(11), `r=${nonce}more,s=${Buffer.from('salt').toString('base64')},i=4096`);
};
const signature = (text: string) => reply('R', int32(12), text);
const accepted = reply('R', int32(0));
const key = reply('K', int32(1), int32(2));

describe('a server that asks for SCRAM and does not prove that it knows the password', () => {
  it.each([
    ['accepts the first answer', [offer, () => Buffer.concat([accepted, key, ready])]],
    ['accepts the proof without one of its own', [offer, challenge, () => Buffer.concat([accepted, key, ready])]],
    ['is ready without having accepted', [offer, () => Buffer.concat([key, ready])]],
    ['gives another signature', [offer, challenge, () => Buffer.concat([signature('v=AAAA'), accepted, key, ready])]],
    ['gives its signature before it knows the proof', [offer, () => Buffer.concat([signature('v=AAAA'), accepted, key, ready])]],
    ['then asks for the plain password', [offer, () => reply('R', int32(3)), () => Buffer.concat([accepted, key, ready])]],
  ])('%s', async (_, steps) => {
    await withRogue({ login: scram(steps) }, async (address) => {
      await expect(open(address)).rejects.toMatchObject({ kind: 'auth' });
    });
  });
});

describe('a server that breaks the protocol', () => {
  it('is refused when it is ready before the login has ended', async () => {
    await withRogue({ login: (socket) => socket.write(ready) }, async (address) => {
      await expect(open(address)).rejects.toMatchObject({ code: 'E_PROTOCOL' });
    });
  });

  it('is refused when its key for stopping statements has another length', async () => {
    const login = (socket: Socket) =>
      socket.write(Buffer.concat([reply('R', int32(0)), reply('K', Buffer.alloc(900_000)), ready]));
    await withRogue({ login }, async (address) => {
      await expect(open(address)).rejects.toMatchObject({ code: 'E_PROTOCOL' });
    });
  });
});

describe('a server that does not confirm the end of a statement', () => {
  it('is watched until it closes the connection', async () => {
    let connected: Socket | undefined;
    const round = (socket: Socket, number: number) => {
      if (number <= ownRounds) socket.write(ready);
      else connected = socket;
    };
    await withRogue({ round }, async (address) => {
      const session = await open(address);
      const caller = new AbortController();
      const reading = read(session, 'select 1', { signal: caller.signal });
      await until(async () => connected !== undefined);
      caller.abort(new Failure('timeout', 'too long'));
      await expect(reading).rejects.toMatchObject({ kind: 'timeout' });
      expect(session.alive).toBe(false);
      let ended = false;
      void session.pendingEnd?.then(() => {
        ended = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([session.pendingEnd === undefined, ended]).toEqual([false, false]);
      connected?.end();
      await until(async () => ended);
    });
  });
});
