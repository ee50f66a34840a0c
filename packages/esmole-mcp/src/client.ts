import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { BackendTarget, DialledStream } from '@dbmole/core';
import { Agent, type buildConnector } from 'undici';
import type { Answer, ClusterBackend } from './backend.ts';
import { toFailure } from './failure.ts';
import type { Connection } from './schema.ts';

const timeouts = { connectTimeout: 10_000, headersTimeout: 60_000, bodyTimeout: 60_000 };

/** Bounded here until answers are cut while they are read; nothing that is asked today is near it. */
const maxResponseSize = 8 * 1024 * 1024;

export function openClient(target: BackendTarget<Connection>): ClusterBackend {
  const { config, connectHost, connectPort, dial } = target;
  const origin = `${config.scheme ?? 'https'}://${urlHost(connectHost)}:${connectPort}`;
  const agent = new Agent({
    ...timeouts,
    maxResponseSize,
    connections: 8,
    ...(dial === undefined ? {} : { connect: connectThrough(dial, target.serverName) }),
  });
  const headers = { accept: 'application/json', ...authorization(config) };

  return {
    async request(method, path, signal): Promise<Answer> {
      try {
        const response = await agent.request({ origin, method, path, headers, signal });
        const text = await response.body.text();
        return { status: response.statusCode, body: parseBody(text) };
      } catch (error) {
        throw signal.aborted ? signal.reason : toFailure(error, { host: connectHost, port: connectPort });
      }
    },
    dispose: () => agent.destroy(),
  };
}

/** Every stream of the pool is a channel of the tunnel; the certificate is still that of the real host. */
function connectThrough(dial: () => DialledStream, serverName: string): buildConnector.connector {
  return (options, callback) => {
    const channel = dial();
    if (options.protocol !== 'https:') {
      // The client uses no more of a socket than every stream has, and the tunnel's stream answers the rest.
      channel.once('connect', () => callback(null, channel as Duplex as Socket)).once('error', (error) => callback(error, null));
      channel.connect();
      return;
    }
    const socket = connectTls({ socket: channel, servername: serverName, ALPNProtocols: ['http/1.1'] });
    socket.once('secureConnect', () => callback(null, socket)).once('error', (error) => callback(error, null));
  };
}

function authorization({ user, password }: Connection): { authorization?: string } {
  if (user === undefined || typeof password !== 'string') return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
