import { once } from 'node:events';
import type { BaseConnection } from '../src/connection.ts';
import { createManager } from '../src/manager/manager.ts';
import { createFakeRegistry } from '../src/testing/fakes/fake-registry.ts';
import { createSharedTunnels } from '../src/tunnel/shared-tunnels.ts';
import type { TunnelTimeouts } from '../src/tunnel/timeouts.ts';
import type { DialledStream } from '../src/tunnel/tunnel.ts';

/**
 * A process of its own that can be put to sleep: it sends a word through a tunnel, and what it reads from its input as
 * further calls. At the end of its input it closes everything, and then it has to end by itself.
 */
const [given = '', port = ''] = process.argv.slice(2);
// The test wrote it, from values of these types.
const { ssh, timeouts } = JSON.parse(given) as { ssh: NonNullable<BaseConnection['ssh']>; timeouts: Partial<TunnelTimeouts> };

const connection = { name: 'x', type: 'thing', host: '127.0.0.1', readonly: true, ssh } satisfies BaseConnection;
const tunnels = createSharedTunnels({ env: {}, home: '/nonexistent', log: () => {}, knownHostsFiles: [], timeouts });
const manager = createManager(createFakeRegistry<BaseConnection>(connection), {
  createBackend: async ({ dial }) => ({ dial, dispose: async () => undefined }),
  createTunnel: (config, signal) => tunnels.open(config, signal),
  resolvePort: () => Number(port),
});

async function call(word: string): Promise<void> {
  const lease = await manager.acquire(undefined, AbortSignal.timeout(30_000));
  try {
    const stream: DialledStream | undefined = lease.backend.dial?.();
    if (stream === undefined) throw new TypeError('there is no tunnel');
    stream.write(word);
    process.stdout.write(String((await once(stream, 'data'))[0]));
    stream.destroy();
  } finally {
    lease.release();
  }
}

await call('one ');
for await (const word of process.stdin) await call(String(word));
await manager.disposeAll();
