import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type Topology, useTopology } from '@dbmole/engines';
import { expect, test } from 'vitest';
import { openTunnel } from '../src/tunnel/open-tunnel.ts';
import type { Tunnel } from '../src/tunnel/tunnel.ts';
import { startTarget } from './ssh-server.ts';

const topology = useTopology();
const rounds = 21;

/** Answers in two packets, as a database does when a call and its clean-up are answered apart. */
function answerTwice(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on('data', () => {
    socket.write('first');
    setTimeout(() => socket.write('second'), 1);
  });
}

async function openOne({ bastion, privateKeyFile, knownHostsFile }: Topology): Promise<Tunnel> {
  const { host, port, user, directory } = bastion;
  return await openTunnel({
    route: { host, port, user, privateKey: privateKeyFile },
    env: {},
    home: directory,
    log: () => undefined,
    knownHostsFiles: [knownHostsFile],
  });
}

test('an answer in two packets does not wait for a delayed acknowledgement', async () => {
  const target = await startTarget(answerTwice);
  const tunnel = await openOne(topology());
  const stream = tunnel.stream('127.0.0.1', target.port);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    stream.write('question');
    let answer = '';
    while (!answer.endsWith('second')) answer += String((await once(stream, 'data'))[0]);
    times.push(performance.now() - started);
  }
  await tunnel.close();
  await target.close();
  // The kernel of the server holds a second small packet back until the first is acknowledged, which ours puts off for 40 ms.
  expect(times.sort((a, b) => a - b)[Math.floor(rounds / 2)]).toBeLessThan(20);
});
