import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { listInnocentWrites, listWriteAttacks } from './scope-write-attacks.ts';
import { createWriteWorld, readOutside, type WriteWorld } from './scope-write-world.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

describe.each(engines)('writes through a connection with a scope on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let world: WriteWorld;
  let tools: OpenTools;
  const execute = async (sql: string | readonly string[]) => (await tools.call('execute', { connection: 'main', sql })).text;

  beforeAll(async () => {
    world = await createWriteWorld(engine(), `scoped_${id}`);
    const { account, inside } = world;
    const place = account.type === 'postgres' ? { schemas: [inside], schema: `${inside}, public` } : { databases: [inside] };
    tools = await openTools([{ ...account, ...place, name: 'main', tables: ['!secret*'], noWhere: 'allow' }]);
  }, 60_000);
  afterAll(() => tools.close());

  it('are refused where they may leave it, and change nothing outside', async () => {
    const before = await readOutside(engine(), world);
    const passed: string[] = [];
    for (const sql of listWriteAttacks(world)) {
      const text = await execute(sql);
      if (!/^E_(?:OUT_OF_SCOPE|SYNTAX|MULTIPLE_STATEMENTS|TRANSACTION\w*|SESSION\w*)\b/.test(text))
        passed.push(`${sql} -> ${text.slice(0, 300)}`);
    }
    expect(passed).toEqual([]);
    expect(await readOutside(engine(), world)).toEqual(before);
  }, 60_000);

  it('pass where all that they lead to is inside', async () => {
    const refused: string[] = [];
    for (const sql of listInnocentWrites(world)) {
      const text = await execute(sql);
      // PostgreSQL has MERGE since version 15.
      if (/^E_/.test(text) && !(id === 'postgres14' && sql.startsWith('merge'))) refused.push(`${sql} -> ${text}`);
    }
    expect(refused).toEqual([]);
  }, 60_000);

  it('are refused with the place, and the part that leads outside', async () => {
    const { inside, outside } = world;
    expect(await execute(`insert into ${outside}.log values ('x')`)).toMatch(
      /^E_OUT_OF_SCOPE \(position 13\): \S+\.log is not in the scope/,
    );
    expect(await execute(`delete from ${inside}.parents where id = 1`)).toMatch(
      /^E_OUT_OF_SCOPE: the foreign key \w+ of \S+\.parents leads outside of the scope of this connection, which is (?:schemas|databases) \w+; tables !secret\*\.\n/,
    );
    expect(await execute(`insert into ${inside}.leaking values (1, 'x')`)).toMatch(
      /the trigger leak of \S+\.leaking leads outside of/,
    );
  });

  it('are checked as a list, which takes no definitions', async () => {
    const { inside } = world;
    const insert = `insert into ${inside}.audits (what) values ('list')`;
    expect(await execute([insert, insert])).toMatch(/^All 2 statements were committed/);
    expect(await execute([insert, `alter table ${inside}.audits add column x int`])).toMatch(
      /^E_(?:OUT_OF_SCOPE|IMPLICIT_COMMIT)/,
    );
    expect(await execute([insert, `insert into ${world.outside}.log values ('x')`])).toMatch(/^E_OUT_OF_SCOPE/);
  });
});
