import { connect, createServer, type Server, type Socket } from 'node:net';
import { useEngine } from '@dbmole/engines';
import { afterEach, describe, expect, it } from 'vitest';
import { mysqlEngines, readValue, targetOf } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

const headSize = 4;

function readPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Commands that came in one piece. */
function countPackets(chunk: Buffer): number {
  let count = 0;
  for (let at = 0; at + headSize <= chunk.length; at += headSize + chunk.readUIntLE(at, 3)) count += 1;
  return count;
}

/** Forwards to the engine, and hangs up when a reset is followed by more before it is answered. */
async function openStepwiseProxy(port: number): Promise<{ port: number; hungUp(): number; close(): void }> {
  const sockets = new Set<Socket>();
  let hungUp = 0;
  const server = createServer((client) => {
    const engine = connect(port, '127.0.0.1');
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      // A statement that is closed has no answer, and may come with the next command.
      const isReset = chunk[headSize] === 0x1f;
      if (!isReset || countPackets(chunk) === 1) return void engine.write(chunk);
      hungUp += 1;
      client.destroy();
      engine.destroy();
    });
    engine.pipe(client);
    client.on('close', () => engine.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: readPort(server), hungUp: () => hungUp, close };
}

describe.each(mysqlEngines)('a proxy before %s that accepts one command at a time', (id) => {
  const engine = useEngine(id, { shared: true });
  const open = useSessions(engine);
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  it('costs one session and no further ones', async () => {
    const proxy = await openStepwiseProxy(engine().port);
    closing.push(proxy.close);
    // One configured connection: what is found out about its way is remembered by it.
    const { config } = targetOf(engine());
    const target = { config, connectPort: proxy.port, connectHost: '127.0.0.1' };
    const first = await open({ target });
    expect(await readValue(first, 'SELECT 1')).toBe('1');
    await expect.poll(() => first.alive).toBe(false);
    const second = await open({ target });
    expect(await readValue(second, 'SELECT 2')).toBe('2');
    expect(await readValue(second, 'SELECT 3')).toBe('3');
    expect([second.alive, proxy.hungUp()]).toEqual([true, 1]);
  });
});
