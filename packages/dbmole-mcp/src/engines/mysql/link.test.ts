import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLink, type Driver } from './link.ts';

/** The driver's connection, which does nothing by itself. */
class FakeDriver extends EventEmitter implements Driver {
  threadId = 1;
  stream = new PassThrough();
  packetParser: Driver['packetParser'] = { execute: () => undefined };
  startTLS = (): void => undefined;
  answer: (error: Error | null) => void = () => undefined;
  query = (_: unknown, done: FakeDriver['answer']) => {
    this.answer = done;
    return new EventEmitter();
  };
  prepare = () => undefined;
  execute = () => undefined;
  unprepare = () => undefined;
  reset = () => undefined;
  end = () => undefined;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function encodePacket(payload: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
}

async function openLink() {
  const driver = new FakeDriver();
  const socket = driver.stream;
  const link = createLink(driver, socket);
  driver.emit('connect');
  await link.opened;
  return { driver, socket, link };
}

describe('a link', () => {
  it('that is abandoned stays open until the server answers', async () => {
    const { driver, socket, link } = await openLink();
    const running = link.query('SELECT 1');
    link.abandon();
    await expect(running).rejects.toThrow('the connection was lost');
    await turn();
    expect([socket.destroyed, link.lost !== undefined]).toEqual([false, true]);
    driver.answer(null);
    await link.pendingEnd;
    expect([socket.destroyed, link.pendingEnd !== undefined]).toEqual([true, true]);
  });

  it('that is abandoned hangs up on a server that goes on sending', async () => {
    const { driver, socket, link } = await openLink();
    link.query('SELECT 1').catch(() => undefined);
    link.abandon();
    for (const payload of [[1], [0], [0xfe, 0, 0, 0, 0]]) driver.packetParser.execute(encodePacket(Buffer.from(payload)));
    const row = encodePacket(Buffer.alloc(1024 * 1024));
    for (let sent = 0; sent < 63; sent += 1) driver.packetParser.execute(row);
    expect(socket.destroyed).toBe(false);
    driver.packetParser.execute(row);
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ['the network', (_driver: FakeDriver, socket: PassThrough) => socket.emit('end')],
    ['the driver', (driver: FakeDriver) => driver.emit('error', new Error('killed'))],
  ])('that ends is known to be leaving at once, from %s, and why a moment later', async (_, end) => {
    const driver = new FakeDriver();
    const socket = new PassThrough();
    const link = createLink(driver, socket);
    driver.emit('connect');
    await link.opened;
    expect([link.leaving, link.lost]).toEqual([false, undefined]);
    end(driver, socket);
    expect([link.leaving, link.lost]).toEqual([true, undefined]);
    await turn();
    await turn();
    expect(link.lost).toBeInstanceOf(Error);
  });
});
