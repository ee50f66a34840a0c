import { get as requestHttps } from 'node:https';
import { type BackendHarness, describeBackendContract } from '@dbmole/core/testing';
import { createAuthority, type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { describe } from 'vitest';
import { type ClusterBackend, createBackend } from '../src/backend.ts';
import { ownRead } from '../src/call/cluster-request.ts';
import { type Connection, connectionSchema, resolvePort } from '../src/connection/schema.ts';

type Harness = BackendHarness<Connection, ClusterBackend>;

/** One line for each engine and version that we promise. */
const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

for (const id of engines) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    describeBackendContract<Connection, ClusterBackend>({
      name: id,
      start: async () => ({
        ...createHarness(engine(), { auth: 'none' }),
        sessions: { missing: 'others use this node too' },
        restart: { missing: 'others use this node too' },
        passwords: { missing: 'this node has no security' },
      }),
    });
  });
}

describe('elasticsearch8 with security, through TLS', async () => {
  const authority = await createAuthority();
  /** The last name is that of the host behind the contract's tunnel: there too, the certificate is the real host's. */
  const tls = await authority.issueServer(['127.0.0.1', 'behind-the-bastion.invalid']);
  const engine = useEngine('elasticsearch8', { security: true, restartable: true, tls });

  describeBackendContract<Connection, ClusterBackend>({
    name: 'elasticsearch8 secured',
    async start() {
      const running = engine();
      const { user, password, control } = running;
      return {
        ...createHarness(running, { user, password, ca: authority.ca }),
        passwords: true,
        sessions: () => countConnections(running, authority.ca),
        async restart() {
          await control?.shutDown();
          await control?.start();
        },
      };
    },
  });
});

function createHarness(
  { scheme, host, port }: RunningEngine,
  fields: object,
): Omit<Harness, 'sessions' | 'restart' | 'passwords'> {
  return {
    connection: (changes) =>
      connectionSchema.parse({ name: 'main', type: 'elasticsearch', scheme, host, port, ...fields, ...changes }),
    createBackend,
    resolvePort,
    isStaleError: () => false,
    ping: (backend, signal) => backend.probe(signal),
    // Waits for nodes that never come.
    slow: (backend, signal) => backend.send(ownRead('/_cluster/health?wait_for_nodes=9&timeout=60s'), { signal }),
    stop: async () => undefined,
  };
}

/** Asks the node for the connections that it counts, without the one that asks. */
function countConnections({ host, port, user, password }: RunningEngine, ca: string): Promise<number> {
  const path = '/_nodes/_local/stats/http?filter_path=nodes.*.http.current_open';
  return new Promise((resolve, reject) => {
    const request = requestHttps({ host, port, path, auth: `${user}:${password}`, ca, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(Number(/"current_open":(\d+)/.exec(text)?.[1]) - 1);
    });
    request.on('error', reject);
  });
}
