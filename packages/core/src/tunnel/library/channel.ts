import type { Client, ClientChannel } from 'ssh2';
import { waitFor } from '../../abort.ts';
import type { Failure } from '../../failure.ts';
import { type TunnelCode, tunnelFailure } from '../failures.ts';
import type { Loss } from './link-failures.ts';
import { cleanServerText } from './server-text.ts';

interface ChannelOptions {
  client: Client;
  loss: Loss;
  /** The label of the SSH server. */
  label: string;
  host: string;
  port: number;
  timeoutMs: number;
  /** Gets every channel, including one whose caller gave up. */
  onOpened(channel: ClientChannel): void;
}

/**
 * Servers take 32 KB. ssh2 cuts what is written into packets without a pause: for very small ones this blocks the process, and for none
 * at all it never ends.
 */
const minPacketBytes = 1_024;

/** A channel to the target. One that opens after we gave up is closed, or it would stay for the life of the tunnel. */
export function openChannel(options: ChannelOptions): Promise<ClientChannel> {
  const { client, loss, label, host, port, timeoutMs, onOpened } = options;
  const onTimeout = (): Failure =>
    tunnelFailure('E_SSH_CHANNEL_TIMEOUT', `the SSH server ${label} did not reach ${host}:${port} within ${timeoutMs} ms`);
  return waitFor<ClientChannel>({ timeoutMs, onTimeout, loss, late: discardChannel }, (resolve, reject) => {
    try {
      client.forwardOut('127.0.0.1', 0, host, port, (error, channel) => {
        if (error) return reject(explain(error, options));
        const bytes = readPacketSize(channel);
        onOpened(channel);
        if (bytes >= minPacketBytes) return resolve(channel);
        discardChannel(channel);
        reject(
          tunnelFailure('E_SSH_NETWORK', `the SSH server ${label} takes packets of ${bytes} bytes: ${minPacketBytes} are needed`),
        );
      });
    } catch (error) {
      // It throws when the socket is gone but its events are still on the way.
      reject(tunnelFailure('E_SSH_NETWORK', `the connection to the SSH server ${label} broke`, { cause: error }));
    }
  });
}

/** The most that the server takes in one packet. ssh2 keeps it for itself. */
function readPacketSize(channel: ClientChannel): number {
  return (channel as ClientChannel & { outgoing: { packetSize: number } }).outgoing.packetSize;
}

/** Closes an unused channel, whatever state its connection is in. */
export function discardChannel(channel: {
  on(event: 'error', listener: () => void): unknown;
  resume(): unknown;
  close(): void;
}): void {
  channel.on('error', () => {});
  channel.resume();
  try {
    channel.close();
  } catch {
    // The connection is gone, and the channel with it.
  }
}

/** The reasons are those of the protocol (RFC 4254, 5.1); the description is the server's text. */
function explain(error: Error & { reason?: unknown }, { label, host, port }: ChannelOptions): Failure {
  const why = cleanServerText(error.message.replace('(SSH) Channel open failure: ', ''));
  const isProhibited = error.reason === 1 || error.reason === 3;
  const code: TunnelCode = isProhibited ? 'E_SSH_FORWARD_PROHIBITED' : 'E_SSH_TARGET_UNREACHABLE';
  const what = isProhibited ? 'does not allow forwarding to' : 'cannot reach';
  return tunnelFailure(code, `the SSH server ${label} ${what} ${host}:${port}: ${why}`, { cause: error });
}
