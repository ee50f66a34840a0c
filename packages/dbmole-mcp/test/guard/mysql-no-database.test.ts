import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

describe.each(['mysql80', 'mysql97', 'mariadb1011'] as const)('without a default database, %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const database = `no_default_${process.pid}`;
  let tools: OpenTools;
  const query = async (sql: string, more: object = {}) => await tools.call('query', { sql, ...more });

  beforeAll(async () => {
    const { host, port, user, password } = engine();
    await runDirect(engine(), [
      `create database ${database}`,
      `create function ${database}.twice(a int) returns int deterministic return 2 * a`,
      `create view ${database}.v as select ${database}.twice(4) as a`,
    ]);
    tools = await openTools([{ type: 'mysql', host, port, user, password, name: 'main' }]);
  }, 60_000);
  afterAll(async () => {
    await tools.close();
    await runDirect(engine(), [`drop database ${database}`]);
  });

  it('reads every view of sys that it reads with a default database', async () => {
    const views = await runDirect(engine(), [
      "select table_name from information_schema.views where table_schema = 'sys' order by 1",
    ]);
    expect(views.length).toBeGreaterThan(80);
    const verdicts = async (more: object) => {
      const answers = [];
      for (const [view] of views)
        answers.push([view, (await query(`select * from sys.\`${view}\` limit 1`, more)).text.split(':')[0]]);
      return answers.filter(([, start]) => /^E_(?:NOT_A_READ|TOO_COMPLEX)/.test(String(start)));
    };
    const refused = await verdicts({});
    expect(refused).toEqual(await verdicts({ database: 'sys' }));
    expect(refused.map(([view]) => view)).not.toContain('schema_table_statistics');
  }, 60_000);

  it('reads views over stored functions and refuses unknown functions', async () => {
    expect((await query(`select * from ${database}.v`)).text).toMatch(/\na\n8$/);
    const { text } = await query('select nothing_like_that(1)');
    expect(text).toMatch(/^E_NOT_A_READ.* nothing_like_that\(\) is neither built in nor a stored function/);
  });
});
