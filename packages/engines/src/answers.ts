import { connect } from 'node:net';
import type { EngineAddress } from './engine.ts';
import { readGreeting } from './run/ports.ts';
import { isClusterUp } from './servers/cluster-health.ts';

/** Whether an engine speaks at the address, in its own protocol: forwarders accept a connection long before the server does. */
export async function isAnswering(address: EngineAddress): Promise<boolean> {
  if (address.scheme === 'postgres') return isPostgresUp(address);
  if (address.scheme === 'mysql') return isMysqlGreeting(await readGreeting(address.port, address.host));
  return isClusterUp(address);
}

/** The server greets with a packet whose fifth byte is the protocol version; 255 there would be an error. */
export function isMysqlGreeting(greeting: Buffer | undefined): boolean {
  return greeting?.[4] === 10;
}

/** Asks whether TLS is possible; either answer is one letter and leaves no trace in the server's log. */
function isPostgresUp({ host, port }: EngineAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2_000, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.on('data', (data) => end(['S', 'N'].includes(data.toString('latin1', 0, 1))));
  });
}
