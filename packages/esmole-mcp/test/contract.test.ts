import { type BackendHarness, describeBackendContract } from '@dbmole/core/testing';
import { type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { describe } from 'vitest';
import { type ClusterBackend, createBackend } from '../src/backend.ts';
import { toFailure } from '../src/failure.ts';
import { identify } from '../src/identify.ts';
import { type Connection, connectionSchema, resolvePort } from '../src/schema.ts';

/** One line for each engine and version that we promise. */
const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

for (const id of engines) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    describeBackendContract<Connection, ClusterBackend>({ name: id, start: async () => createHarness(engine()) });
  });
}

function createHarness({ host, port }: RunningEngine): BackendHarness<Connection, ClusterBackend> {
  return {
    connection: (changes) =>
      connectionSchema.parse({ name: 'main', type: 'elasticsearch', scheme: 'http', host, port, ...changes }),
    createBackend,
    resolvePort,
    isStaleError: () => false,
    formatError: (error) => toFailure(error, { host, port }),
    ping: (backend, signal) => identify(backend, signal),
    slow: { missing: 'no tool searches yet' },
    sessions: { missing: 'HTTP has no sessions' },
    restart: { missing: 'the node is shared by all tests' },
    passwords: { missing: 'this node has no security' },
    stop: async () => undefined,
  };
}
