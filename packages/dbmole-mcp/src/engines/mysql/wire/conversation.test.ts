import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createConversation, type Driver } from './conversation.ts';
import { encodeQuery } from './wire-filter.ts';

/** The driver's connection, which does nothing by itself. */
class FakeDriver extends EventEmitter implements Driver {
  threadId = 1;
  stream = new PassThrough();
  write: Driver['write'] = (packet) => void this.stream.write(packet);
  packetParser: Driver['packetParser'] = { execute: () => undefined };
  startTLS = (): void => undefined;
  answer: (error: Error | null) => void = () => undefined;
  query = (_: unknown, done: FakeDriver['answer']) => {
    this.answer = done;
    return new EventEmitter();
  };
  prepare = () => undefined;
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

async function logIn() {
  const driver = new FakeDriver();
  const socket = driver.stream;
  const conversation = createConversation(driver, socket);
  driver.emit('connect');
  await conversation.opened;
  return { driver, socket, conversation };
}

describe('a conversation', () => {
  it('a conversation that is abandoned stays open until the server answers', async () => {
    const { driver, socket, conversation } = await logIn();
    const running = conversation.query('SELECT 1');
    conversation.abandon();
    await expect(running).rejects.toThrow('the connection was lost');
    await turn();
    expect([socket.destroyed, conversation.lost !== undefined]).toEqual([false, true]);
    driver.answer(null);
    await conversation.pendingEnd;
    expect([socket.destroyed, conversation.pendingEnd !== undefined]).toEqual([true, true]);
  });

  it('a conversation that is abandoned between two commands is closed, because no answer will report an end', async () => {
    const { socket, conversation } = await logIn();
    conversation.abandon();
    await conversation.closed;
    expect([socket.destroyed, conversation.pendingEnd]).toEqual([true, undefined]);
  });

  it('a conversation that is abandoned hangs up on a server that goes on sending', async () => {
    const { driver, socket, conversation } = await logIn();
    conversation.query('SELECT 1').catch(() => undefined);
    conversation.abandon();
    for (const payload of [[1], [0], [0xfe, 0, 0, 0, 0]]) driver.packetParser.execute(encodePacket(Buffer.from(payload)));
    const row = encodePacket(Buffer.alloc(1024 * 1024));
    for (let sent = 0; sent < 63; sent += 1) driver.packetParser.execute(row);
    expect(socket.destroyed).toBe(false);
    driver.packetParser.execute(row);
    expect(socket.destroyed).toBe(true);
  });

  it('sends a query before the one in front was answered where several commands in one write were answered', async () => {
    const { driver, socket, conversation } = await logIn();
    const read = () => String(socket.read() ?? '');
    const start = (sql: string) => conversation.query(sql).catch(() => undefined);
    for (const sql of ['one', 'two']) void start(sql);
    expect(read()).toBe('');
    const renewed = conversation.renew(['three']);
    for (const _ of ['reset', 'three']) driver.packetParser.execute(encodePacket(Buffer.alloc(7)));
    await renewed;
    read();
    void start('four');
    expect(read()).toContain('four');
    // The driver sends it when the answers in front have come.
    driver.write(encodeQuery('four'));
    expect(read()).toBe('');
    driver.write(encodeQuery('four'));
    expect(read()).toContain('four');
  });

  it.each([
    ['the network', (_driver: FakeDriver, socket: PassThrough) => socket.emit('end')],
    ['the driver', (driver: FakeDriver) => driver.emit('error', new Error('killed'))],
  ])('that ends is known to be leaving at once, from %s, and why a moment later', async (_, end) => {
    const driver = new FakeDriver();
    const socket = new PassThrough();
    const conversation = createConversation(driver, socket);
    driver.emit('connect');
    await conversation.opened;
    expect([conversation.leaving, conversation.lost]).toEqual([false, undefined]);
    end(driver, socket);
    expect([conversation.leaving, conversation.lost]).toEqual([true, undefined]);
    await turn();
    await turn();
    expect(conversation.lost).toBeInstanceOf(Error);
  });
});
