import { once } from 'node:events';
import type { SshRoute } from '../src/connection.ts';
import { openTunnel } from '../src/tunnel/open-tunnel.ts';

/**
 * A process of its own for the tests: it opens a tunnel, sends one word through it, and closes. It has to end by itself.
 * With `idle` as a further argument it closes nothing and waits for the loss of the tunnel instead.
 */
const [routeText = '', port = '', mode = ''] = process.argv.slice(2);
// The test wrote it, from a value of this type.
const route = JSON.parse(routeText) as SshRoute;

const tunnel = await openTunnel({ route, env: {}, home: '/nonexistent', log: () => {} });
const stream = tunnel.stream('127.0.0.1', Number(port));
stream.write('word');
const [echo] = await once(stream, 'data');
process.stdout.write(String(echo));
if (mode === 'idle') tunnel.onClosed(() => process.stdout.write(' lost'));
else await tunnel.close();
