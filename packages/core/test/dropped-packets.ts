import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fingerprint } from '../src/tunnel/keys/known-hosts.ts';
import { openTunnel } from '../src/tunnel/open-tunnel.ts';
import { makeHostKey, startSshServer, startTarget } from './ssh-server.ts';

/**
 * A process that has a network to itself (`unshare -rn`): it opens a tunnel, then all packets are dropped, for so many milliseconds or
 * permanently. It prints what a call got that was made meanwhile.
 */
const dropMs = Number(process.argv[2]);

execFileSync('ip', ['link', 'set', 'lo', 'up']);
const target = await startTarget();
const key = makeHostKey();
const server = await startSshServer({ hostKeys: [key.private] });
const pin = fingerprint(Buffer.from(key.public.split(' ')[1] ?? '', 'base64'));
const tunnel = await openTunnel({
  route: { host: '127.0.0.1', port: server.port, user: 'me', password: 'x', hostKeys: [pin] },
  env: {},
  home: '/nonexistent',
  log: () => {},
  timeouts: { keepaliveMs: dropMs === Number.POSITIVE_INFINITY ? 300 : 2_000, keepaliveCount: 3 },
});
const stream = tunnel.stream('127.0.0.1', target.port);
let heard = '';
stream.on('data', (chunk) => {
  heard += String(chunk);
});
stream.write('before ');
await once(stream, 'data');

execFileSync('tc', ['qdisc', 'replace', 'dev', 'lo', 'root', 'blackhole']);
const failure = new Promise<Error>((resolve) => stream.once('error', resolve));
stream.write('meanwhile');
if (dropMs === Number.POSITIVE_INFINITY) {
  const error = await failure;
  process.stdout.write(`${'code' in error ? String(error.code) : error.message}, heard: ${heard}`);
  process.exit();
}
await sleep(dropMs);
process.stdout.write(`heard: ${heard}, then: `);
execFileSync('tc', ['qdisc', 'del', 'dev', 'lo', 'root']);
if (!heard.endsWith('meanwhile')) await Promise.race([once(stream, 'data'), failure]);
process.stdout.write(`${heard}, ${tunnel.status().state}`);
process.exit();
