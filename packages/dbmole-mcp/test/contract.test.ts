import { type BackendHarness, describeBackendContract } from '@dbmole/core/testing';
import { createAuthority, type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { describe } from 'vitest';
import { type CallerRead, createBackend, type SqlBackend } from '../src/backend/backend.ts';
import { type Connection, connectionSchema, resolvePort } from '../src/connection/schema.ts';
import { isStaleError } from '../src/failure.ts';
import { type Account, countSessions, createAccount } from './direct.ts';
import { formatSlowRead } from './slow-read.ts';

/** One line for each engine and version that we promise. */
const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

const authority = await createAuthority();
/** The last name is that of the host behind the contract's tunnel: there too, the certificate is the real host's. */
const certificate = await authority.issueServer(['127.0.0.1', 'behind-the-bastion.invalid']);
const ways = [
  { way: 'directly', options: {}, tls: undefined },
  { way: 'through TLS', options: { tls: certificate }, tls: { mode: 'verify-full', ca: authority.ca } as const },
];

for (const id of engines) {
  describe.each(ways)(`${id} $way`, ({ way, options, tls }) => {
    const engine = useEngine(id, { restartable: true, ...options });
    describeBackendContract<Connection, SqlBackend>({ name: `${id} ${way}`, start: () => createHarness(engine(), tls) });
  });
}

async function createHarness(engine: RunningEngine, tls: Connection['tls']): Promise<BackendHarness<Connection, SqlBackend>> {
  // An account of its own, so that its sessions can be counted.
  const account = await createAccount(engine, 'contract');
  return {
    connection: (changes) =>
      connectionSchema.parse({ ...account, name: 'main', ...(tls === undefined ? {} : { tls }), ...changes }),
    createBackend: (target, signal) => createBackend(target, signal),
    resolvePort,
    isStaleError,
    ping: (backend, signal) => backend.identify({ signal }),
    slow: (backend, signal) => backend.read(slowRead(account), { columns: () => undefined, row: () => true }, { signal }),
    sessions: () => countSessions(engine, account.user),
    async restart() {
      await engine.control?.shutDown();
      await engine.control?.start();
    },
    passwords: true,
    stop: async () => undefined,
  };
}

function slowRead({ type }: Account): CallerRead {
  return { sql: formatSlowRead(type), params: [], timeoutMs: 60_000, keepPerCell: 100, maxRows: 10 };
}
