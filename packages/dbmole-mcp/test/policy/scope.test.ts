import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { listAttacks, listInnocent } from './scope-attacks.ts';
import { createScopeWorld, hidden, type ScopeWorld } from './scope-world.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];
const refusals = /^E_(?:OUT_OF_SCOPE|NOT_A_READ|SYNTAX)\b/;

describe.each(engines)('the scope of a connection on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let world: ScopeWorld;
  let tools: OpenTools;
  const call = async (tool: string, args: Record<string, unknown> = {}) =>
    (await tools.call(tool, { connection: 'main', ...args })).text;

  beforeAll(async () => {
    world = await createScopeWorld(engine(), `scope_${id}`);
    const { account, inside } = world;
    const isPostgres = account.type === 'postgres';
    const place = isPostgres ? { schemas: [inside], schema: `${inside}, public` } : { databases: [inside] };
    tools = await openTools([
      { ...account, ...place, name: 'main', tables: ['!secret*'] },
      { ...account, ...place, name: 'one', tables: ['orders'] },
    ]);
  }, 60_000);
  afterAll(() => tools.close());

  it('lets no statement reach what is outside, nor tell whether it exists', async () => {
    const attacks = listAttacks(world);
    expect(attacks.length).toBeGreaterThanOrEqual(100);
    const passed: string[] = [];
    let byScope = 0;
    for (const sql of attacks) {
      const text = await call('query', { sql });
      if (text.startsWith('E_OUT_OF_SCOPE')) byScope += 1;
      const told = [...text.matchAll(hidden)].filter(([word]) => !sql.toLowerCase().includes(word));
      if (!refusals.test(text) || told.length > 0) passed.push(`${sql} -> ${text.slice(0, 400)}`);
    }
    expect(passed).toEqual([]);
    expect(byScope).toBeGreaterThan(80);
  }, 60_000);

  it('lets everything inside pass', async () => {
    const refused: string[] = [];
    for (const sql of listInnocent(world)) {
      const text = await call('query', { sql });
      if (/^E_/.test(text)) refused.push(`${sql} -> ${text}`);
    }
    expect(refused).toEqual([]);
  });

  it('says what is inside, the same for what exists and what does not', async () => {
    const { outside, inside, account } = world;
    const existing = await call('query', { sql: `select * from ${outside}.salaries` });
    const missing = await call('query', { sql: `select * from ${outside}.sal_aries` });
    const key = account.type === 'postgres' ? 'schemas' : 'databases';
    expect(existing).toContain(
      `${outside}.salaries is not in the scope of this connection, which is ${key} ${inside}; tables !secret*`,
    );
    expect(missing.replaceAll('sal_aries', 'salaries')).toBe(existing);
  });

  it('is all that the schema tools show', async () => {
    const { outside, inside } = world;
    const answers = [
      await call('list_tables'),
      await call('list_tables', { schema: outside }),
      await call('list_tables', { pattern: '*salar*' }),
      await call('list_tables', { pattern: `${outside}.*` }),
      await call('list_databases'),
      await call('describe_table', { tables: ['orders', 'granted'] }),
      await call('describe_table', { tables: ['orders', 'granted'], parts: ['references', 'definition', 'columns', 'triggers'] }),
      await call('describe_table', { tables: ['renamed'], parts: ['definition', 'columns', 'stats'] }),
      await call('describe_table', { tables: [`${inside}.orders`], parts: ['sample', 'stats'] }),
      await call('search_schema', { text: 'title' }),
      await call('search_schema', { text: 'amount' }),
      await call('search_schema', { text: 'sal' }),
      await call('search_schema', { text: 'leak' }),
      await call('search_schema', { text: 'id' }),
      await call('search_schema', { text: 'note' }),
      await call('search_schema', { from: 'orders', to: 'granted' }),
    ];
    const texts = answers.join('\n');
    expect(texts).toContain('granted');
    expect(texts).toContain('customer');
    // A column inside has the word in its name.
    expect(texts.replaceAll('payroll_id', '').match(hidden)).toBeNull();
    expect(answers[0]).toMatch(/^orders,/m);
    expect(await call('describe_table', { tables: [`${outside}.salaries`] })).toMatch(/^E_UNKNOWN_TABLE/);
    expect(await call('describe_table', { tables: ['secret_notes'] })).toMatch(/^E_UNKNOWN_TABLE/);
    expect(await call('describe_table', { tables: ['leak_text'] })).toMatch(/^E_UNKNOWN_TABLE/);
  });

  it('holds for plans, checks, other databases and writes', async () => {
    const { outside, inside, account } = world;
    expect(await call('explain', { sql: `select * from ${outside}.salaries` })).toMatch(/^E_OUT_OF_SCOPE/);
    expect(await call('explain', { sql: 'select * from orders where id = 1' })).toMatch(/^Plan/);
    for (const more of [{}, { raw: true }, { analyze: true }])
      expect(await call('explain', { sql: `select * from ${inside}.granted`, ...more })).toMatch(
        /^E_OUT_OF_SCOPE: the plan shows what is outside of the scope/,
      );
    if (account.type === 'postgres')
      for (const more of [{}, { raw: true }, { analyze: true }])
        expect(await call('explain', { sql: `select * from ${inside}.renamed where title = 'x'`, ...more })).toMatch(
          /^E_OUT_OF_SCOPE: the plan shows what is outside of the scope/,
        );
    expect(await call('query', { sql: 'explain select * from orders' })).toMatch(
      /^E_OUT_OF_SCOPE: EXPLAIN .*\nNext: Call explain/,
    );
    expect(await call('explain', { sql: `alter table ${outside}.salaries add x int` })).toMatch(/^E_OUT_OF_SCOPE/);
    const overview = await call('diagnose');
    expect(overview).toMatch(/^locks: .*it shows what is outside of the scope/m);
    expect(overview).not.toMatch(hidden);
    for (const check of ['activity', 'locks', 'slow_queries', 'indexes', 'index_advice', 'tables', 'privileges'])
      expect(await call('diagnose', { check })).toMatch(/it shows what is outside of the scope/);
    expect(await call('execute', { sql: `insert into ${inside}.orders values (77, 'x', 1)` })).toMatch(/^E_OUT_OF_SCOPE/);
    expect(await call('execute', { sql: `select * from ${outside}.salaries`, dry_run: true })).toMatch(/^E_OUT_OF_SCOPE/);
    if (account.type === 'mysql')
      expect(await call('query', { sql: 'select 1', database: outside })).toMatch(/^E_OUT_OF_SCOPE: database/);
  });

  it('of single tables leaves only these', async () => {
    const only = async (tool: string, args: Record<string, unknown>) =>
      (await tools.call(tool, { connection: 'one', ...args })).text;
    expect(await only('query', { sql: 'select count(*) from orders' })).not.toMatch(/^E_/);
    expect(await only('query', { sql: 'select * from granted' })).toMatch(/^E_OUT_OF_SCOPE .*: granted is not in the scope/);
    expect(await only('list_tables', {})).toMatch(/^1 row/);
    expect(await only('query', { sql: ['select 1', `select * from ${world.outside}.salaries`] })).toMatch(/E_OUT_OF_SCOPE/);
  });

  it('counts a cast to text that no word names', async () => {
    const { account, inside, outside } = world;
    if (account.type !== 'postgres') return;
    const made = [
      `create type ${inside}.tone as enum ('low')`,
      `create table ${inside}.tones (t ${inside}.tone)`,
      `insert into ${inside}.tones values ('low')`,
      `create function ${inside}.tone_text(${inside}.tone) returns text language sql stable begin atomic select max(amount_of) from ${outside}.salaries; end`,
      `create cast (${inside}.tone as text) with function ${inside}.tone_text(${inside}.tone)`,
    ];
    await runDirect({ ...engine(), ...account }, made, account.database);
    for (const value of ["t || 'x'", 'quote_literal(t)', 't::text'])
      expect(await call('query', { sql: `select ${value} from tones` })).toMatch(/^E_OUT_OF_SCOPE/);
    expect(await call('query', { sql: 'select t from tones' })).not.toMatch(/^E_/);
  });
});
