import { createColumnPolicy } from '@dbmole/core';
import { useEngine } from '@dbmole/engines';
import { expect, it } from 'vitest';
import { createBackend, type SqlBackendOptions } from '../../src/backend/backend.ts';
import { createChecker } from '../../src/engines/postgres/guard/checker.ts';
import { ColumnTracer } from '../../src/engines/postgres/guard/columns/column-tracer.ts';
import { createGuard } from '../../src/engines/postgres/guard/guard.ts';
import { parseServerConnection } from '../server-connection.ts';
import { innocent, listAttacks } from './column-attacks.ts';
import { columns, createColumnsWorld } from './columns-world.ts';
import { listPostgresAttacks, postgresInnocent } from './postgres-column-attacks.ts';

const engine = useEngine('postgres18', { shared: true });
const signal = new AbortController().signal;
const never = { columns: () => undefined, row: () => true };
const writes = [
  "insert into users (id, email) values (9001, 'x') returning *",
  'insert into users (id, name) select id + 9000, email from users',
  'update users set name = email',
  "update users set name = 'x' where email like 'a%' returning id, email",
  'delete from users where id < 0 returning email',
  'create table copied as select email from users',
  'create view copied as select email from users',
  'with gone as (delete from users where id < 0 returning email) select * from gone',
  'merge into users u using (select 1 as id) s on u.id = s.id when matched then do nothing',
  'alter table users rename column email to other',
  'drop table if exists nothing',
];

it('traces columns in this thread, where coverage is measured, as in its own', async () => {
  const account = await createColumnsWorld(engine(), 'columns_threads');
  const open = async (options: SqlBackendOptions) => {
    const config = parseServerConnection({ name: 'main', ...account, columns });
    return await createBackend(
      { config, connectHost: account.host, connectPort: account.port, serverName: 'x' },
      signal,
      options,
    );
  };
  const policy = createColumnPolicy([{ columns }]) ?? expect.fail('the rules protect something');
  const here = await open({ createGuard: () => createGuard(createChecker({ tracer: new ColumnTracer(policy) })) });
  const there = await open({});
  const judge = async (work: Promise<unknown>) =>
    JSON.stringify(await work.then((plan) => plan ?? 'shown').catch((error: unknown) => String(error)));
  try {
    for (const sql of [...listAttacks(), ...listPostgresAttacks(18), ...innocent, ...postgresInnocent])
      expect([sql, await judge(here.check(sql, { signal }))]).toEqual([sql, await judge(there.check(sql, { signal }))]);
    for (const sql of writes) {
      const request = { sql, params: [], dryRun: true, timeoutMs: 10_000, keepPerCell: 100 };
      const [first, second] = [here, there].map((backend) => judge(backend.write(request, never, { signal })));
      expect([sql, await first]).toEqual([sql, await second]);
    }
  } finally {
    await Promise.all([here.dispose(), there.dispose()]);
  }
}, 120_000);
