import { useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { openGuarded } from '../guard/postgres-guarded.ts';

const { signal } = new AbortController();

describe.each(['postgres14', 'postgres18'] as const)('a question over the catalog of %s', (id) => {
  const server = useEngine(id, { shared: true });

  it('is not compiled by the server, and leaves the setting of the caller alone', async () => {
    const { host, port, user, password, database = 'postgres' } = server();
    const guarded = await openGuarded({ host, port, user, password, database });
    try {
      const setting = "select pg_catalog.current_setting('jit')";
      const own = await guarded.backend.catalogRun({ signal })(setting);
      const { rows } = await guarded.read(setting);
      expect([own, rows]).toEqual([[['off']], [['on']]]);
    } finally {
      await guarded.backend.dispose();
    }
  });
});
