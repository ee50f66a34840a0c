import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type ByteChannel, createTunnelStream, type TunnelStream, type WriteCallback } from './stream.ts';

/** Imitates a channel of ssh2 with its bad habits: `destroy` is not the runtime's, and a closed one swallows writes. */
class FakeChannel extends Duplex implements ByteChannel {
  readonly written: Buffer[] = [];
  /** While set, writes are taken but not acknowledged, as with a window that is used up. */
  held = false;
  isClosed = false;
  #acknowledge: WriteCallback | undefined;

  constructor() {
    super({ emitClose: false, highWaterMark: 1 });
  }

  close(): void {
    this.isClosed = true;
  }

  acknowledge(): void {
    this.held = false;
    this.#acknowledge?.();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: WriteCallback): void {
    this.written.push(chunk);
    if (this.held) this.#acknowledge = callback;
    else callback();
  }
}

interface Setup {
  stream: TunnelStream;
  channel: FakeChannel;
  opened: number;
  events: string[];
}

function setUp(open: (channel: FakeChannel) => Promise<ByteChannel> = async (channel) => channel): Setup {
  const channel = new FakeChannel();
  const setup: Setup = {
    channel,
    opened: 0,
    events: [],
    stream: createTunnelStream(() => {
      setup.opened++;
      return open(channel);
    }),
  };
  for (const name of ['connect', 'end', 'finish', 'close']) setup.stream.on(name, () => setup.events.push(name));
  setup.stream.on('error', (error: Error & { code?: string }) => setup.events.push(`error ${error.code ?? error.message}`));
  return setup;
}

async function connected(): Promise<Setup> {
  const setup = setUp();
  await new Promise<void>((resolve) => setup.stream.connect(5432, 'ignored', resolve));
  return setup;
}

/** Nothing here waits for time: after some turns of the loop, whatever was to happen has happened. */
async function settle(): Promise<void> {
  for (let count = 0; count < 10; count++) await turn();
}

function write(stream: Duplex, data: string | Buffer): Promise<string> {
  return new Promise((resolve) => stream.write(data, (error) => resolve(error ? String(Object(error).code) : 'ok')));
}

describe('opening', () => {
  test('nothing opens by itself', async () => {
    const { opened, stream } = setUp();
    stream.on('data', () => {});
    await settle();
    expect(opened).toBe(0);
  });

  test('connect opens once, and tells it to both kinds of listeners', async () => {
    const setup = await connected();
    setup.stream.connect();
    await settle();
    expect(setup.opened).toBe(1);
    expect(setup.events).toEqual(['connect']);
  });

  test('a first write opens too, and arrives after connect', async () => {
    const setup = setUp();
    setup.stream.once('connect', () => expect(setup.channel.written).toEqual([]));
    expect(await write(setup.stream, 'early')).toBe('ok');
    expect(setup.events).toEqual(['connect']);
    expect(String(setup.channel.written[0])).toBe('early');
  });

  test('a refusal destroys the stream with its cause', async () => {
    const setup = setUp(async () => {
      throw new Error('refused');
    });
    setup.stream.connect();
    expect(await write(setup.stream, 'lost')).not.toBe('ok');
    await settle();
    expect(setup.events).toEqual(['error refused', 'close']);
  });

  test('a channel that opens after destroy is closed', async () => {
    const { stream, channel } = setUp();
    stream.connect();
    stream.destroy();
    await settle();
    expect(channel.isClosed).toBe(true);
  });

  test('end before the channel is there is passed on', async () => {
    const { stream, channel } = setUp();
    stream.connect();
    stream.end('last');
    await settle();
    expect(String(Buffer.concat(channel.written))).toBe('last');
    expect(channel.writableEnded).toBe(true);
  });

  test('end without a channel closes', async () => {
    const { stream, events, opened } = setUp();
    stream.end();
    await settle();
    expect(events).toContain('close');
    expect(opened).toBe(0);
  });
});

describe('writing', () => {
  test('what is corked leaves as one packet', async () => {
    const { stream, channel } = await connected();
    stream.cork();
    for (const part of ['Parse', 'Bind', 'Execute']) stream.write(part);
    stream.uncork();
    await settle();
    expect(channel.written.map(String)).toEqual(['ParseBindExecute']);
  });

  test('waits for the channel', async () => {
    const { stream, channel } = await connected();
    channel.held = true;
    let done = false;
    stream.write('x'.repeat(100_000), () => {
      done = true;
    });
    expect(stream.write('y')).toBe(false);
    await settle();
    expect([done, channel.written.length]).toEqual([false, 1]);
    channel.acknowledge();
    await settle();
    expect([done, channel.written.length]).toEqual([true, 2]);
  });

  test('never succeeds after the channel was closed, although the channel itself would take it', async () => {
    const { stream, channel, events } = await connected();
    channel.emit('close');
    expect(await write(stream, 'lost')).toBe('EPIPE');
    expect(channel.written).toEqual([]);
    await settle();
    expect(events).toContain('error EPIPE');
  });

  test('a write in flight fails when the channel closes', async () => {
    const { stream, channel } = await connected();
    channel.held = true;
    const result = write(stream, 'in flight');
    channel.emit('close');
    expect(await result).toBe('EPIPE');
  });

  test('a write in flight fails when the stream is destroyed, with the cause', async () => {
    const { stream, channel, events } = await connected();
    channel.held = true;
    const result = write(stream, 'in flight');
    stream.destroy(Object.assign(new Error('tunnel lost'), { code: 'E_SSH_NETWORK' }));
    expect(await result).toBe('E_SSH_NETWORK');
    await settle();
    expect(channel.isClosed).toBe(true);
    expect(events).toEqual(['connect', 'error E_SSH_NETWORK', 'close']);
    expect(await write(stream, 'later')).toBe('ERR_STREAM_DESTROYED');
  });

  test('a channel that ended its writing refuses as well', async () => {
    const { stream, channel } = await connected();
    channel.end();
    expect(await write(stream, 'lost')).toBe('EPIPE');
  });
});

describe('reading', () => {
  test('passes data on, and a pause reaches the channel', async () => {
    const { stream, channel } = await connected();
    channel.push(Buffer.alloc(200_000, 1));
    await settle();
    expect(channel.isPaused()).toBe(true);
    let total = 0;
    stream.on('data', (chunk: Buffer) => {
      total += chunk.length;
    });
    await settle();
    expect(total).toBe(200_000);
    expect(channel.isPaused()).toBe(false);
  });

  test('the end of data ends both directions and closes the channel', async () => {
    const { stream, channel, events } = await connected();
    stream.resume();
    channel.push(null);
    await settle();
    expect(events).toEqual(['connect', 'end', 'finish', 'close']);
    expect(channel.writableEnded).toBe(true);
    expect(channel.isClosed).toBe(true);
  });

  test('a close without an end is an end, after the data', async () => {
    const { stream, channel, events } = await connected();
    const parts: string[] = [];
    channel.push('rest');
    await settle();
    channel.emit('close');
    stream.on('data', (chunk) => parts.push(String(chunk)));
    await settle();
    expect(parts).toEqual(['rest']);
    expect(events).toEqual(['connect', 'end', 'finish', 'close']);
  });

  test('an error of the channel destroys the stream', async () => {
    const { channel, events } = await connected();
    channel.emit('error', new Error('broken'));
    await settle();
    expect(events).toEqual(['connect', 'error broken', 'close']);
    channel.emit('error', new Error('again'));
  });
});

test('close comes two turns after destroy, so that what is on top can report first', async () => {
  const { stream, events } = await connected();
  stream.destroy();
  setImmediate(() => events.push('one turn'));
  await settle();
  expect(events).toEqual(['connect', 'one turn', 'close']);
});

test('has the methods of a socket that drivers call', async () => {
  const { stream } = await connected();
  const results = [stream.setNoDelay(), stream.setKeepAlive(), stream.setTimeout(), stream.ref(), stream.unref()];
  expect(results.every((result) => result === stream)).toBe(true);
});

test('an error without a listener does not end the process', async () => {
  const stream = createTunnelStream(async () => {
    throw new Error('refused');
  });
  stream.connect();
  await settle();
  expect(stream.destroyed).toBe(true);
});
