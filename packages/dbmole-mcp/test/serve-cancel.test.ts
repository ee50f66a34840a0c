import { describeCancellation } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { describe } from 'vitest';
import { bin } from './bin.ts';
import { runDirect } from './direct.ts';
import { formatSlowRead } from './slow-read.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb118'];

describe.each(engines)('serve over %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const type = id === 'postgres18' ? 'postgres' : 'mysql';
  const listed =
    type === 'postgres'
      ? `pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query`
      : 'information_schema.processlist where id <> connection_id() and info';
  describeCancellation({
    engine: id,
    server: () => {
      const { scheme, host, port, user, password } = engine();
      const connection = { name: 'db', type: scheme, host, port, user, password };
      return { file: bin, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]) } };
    },
    slow: (mark) => ({ tool: 'query', args: { sql: formatSlowRead(type, mark), timeout_ms: 40_000 } }),
    async countRunning(mark) {
      const [row] = await runDirect(engine(), [`select count(*) from ${listed} like '%${mark}%'`]);
      return Number(row?.[0]);
    },
  });
});
