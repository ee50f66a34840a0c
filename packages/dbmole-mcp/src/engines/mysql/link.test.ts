import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLink, type Driver } from './link.ts';

/** The driver's connection, which does nothing by itself. */
class FakeDriver extends EventEmitter implements Driver {
  threadId = 1;
  stream = new PassThrough();
  packetParser = { execute: () => undefined };
  startTLS = (): void => undefined;
  query = () => new EventEmitter();
  prepare = () => undefined;
  execute = () => undefined;
  unprepare = () => undefined;
  reset = () => undefined;
  end = () => undefined;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a link', () => {
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
