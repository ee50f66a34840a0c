import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { fingerprint } from '../src/tunnel/keys/known-hosts.ts';
import { openTunnel } from '../src/tunnel/open-tunnel.ts';
import type { Tunnel } from '../src/tunnel/tunnel.ts';

const script = fileURLToPath(new URL('./flooding-ssh-server.ts', import.meta.url));
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A process of its own: its memory is not ours. */
async function openTo(kind: string): Promise<Tunnel> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  cleanUps.push(async () => {
    child.stdin.end();
    await once(child, 'close');
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port, key }: { port: number; key: string } = JSON.parse(String(line));
  const tunnel = await openTunnel({
    route: { host: '127.0.0.1', port, user: 'me', password: 'x', hostKeys: [fingerprint(Buffer.from(key, 'base64'))] },
    env: {},
    home: '/nonexistent',
    log: () => {},
    knownHostsFiles: [],
  });
  cleanUps.push(() => tunnel.close());
  return tunnel;
}

const floods = ['global requests', 'channel requests', 'global requests and blind answers', 'host keys'];
test.each([...floods, 'data in small parts', 'errors in small parts'])(
  'hangs up on a server that floods with %s before they fill the memory',
  async (kind) => {
    const tunnel = await openTo(kind);
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 10);
    cleanUps.push(async () => clearInterval(watch));
    const lost = new Promise<unknown>((resolve) => tunnel.onClosed(resolve));
    const stream = tunnel.stream('127.0.0.1', 1);
    stream.connect();
    const failed = new Promise<unknown>((resolve) => stream.once('error', resolve));
    expect(await lost).toMatchObject({
      code: 'E_SSH_NETWORK',
      message: expect.stringContaining('more than the protocol allows'),
    });
    expect(await failed).toBe(await lost);
    // A stream that is not read holds 64 KB itself, which take a thousand times as much in packets of one byte.
    expect(most).toBeLessThan((kind === 'data in small parts' ? 128 : 64) * 1024 * 1024);
  },
);

test.each([0, 1])('refuses a channel that takes packets of %i bytes', async (bytes) => {
  const tunnel = await openTo(`packets of ${bytes}`);
  const stream = tunnel.stream('127.0.0.1', 1);
  const failed = new Promise<unknown>((resolve) => stream.once('error', resolve));
  stream.write(Buffer.alloc(1_000_000));
  expect(await failed).toMatchObject({ code: 'E_SSH_NETWORK', message: expect.stringContaining(`packets of ${bytes} bytes`) });
  expect(tunnel.status().state).toBe('ready');
});

test('keeps a server that takes much at once and reads it late', async () => {
  const tunnel = await openTo('large windows');
  const chunk = Buffer.alloc(8 * 1024 * 1024, 'x');
  const write = () => {
    const stream = tunnel.stream('127.0.0.1', 1);
    return new Promise((resolve, reject) => stream.once('error', reject).write(chunk, resolve));
  };
  await Promise.all(Array.from({ length: 6 }, write));
  await sleep(500);
  expect(tunnel.status().state).toBe('ready');
});
