import { PassThrough } from 'node:stream';
import type { BaseConnection } from '../../connection.ts';
import type { DialledStream } from '../../tunnel/tunnel.ts';
import { createFakeEngine, isFakeStaleError } from '../fakes/fake-engine.ts';
import { describeBackendContract } from './backend-contract.ts';

describeBackendContract<BaseConnection, Awaited<ReturnType<ReturnType<typeof createFakeEngine>['createBackend']>>>({
  name: 'the fake engine',
  async start() {
    const engine = createFakeEngine({ password: 'the-password', openMs: 5 });
    const { host, port } = engine.address;
    return {
      connection: (changes) => ({
        name: 'main',
        type: 'fake',
        host,
        port,
        password: 'the-password',
        readonly: false,
        ...changes,
      }),
      createBackend: (target, signal) => engine.createBackend(target, signal),
      resolvePort: (config) => config.port ?? port,
      isStaleError: isFakeStaleError,
      ping: (backend, signal) => backend.get('key', signal),
      slow: (backend, signal) => backend.slow(signal),
      sessions: async () => engine.sessions,
      restart: async () => engine.restart(),
      passwords: true,
      dial: createEcho,
      stop: async () => undefined,
    };
  },
});

/** Gives back what is written to it, as the fake engine expects of a way through. */
function createEcho(): DialledStream {
  return Object.assign(new PassThrough(), { connect: () => undefined });
}
