import { createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { nodeLines, readSql, runSql, useSqlite } from '../sqlite/sqlite-file.ts';
import { attacks, hidden, innocent, innocentWrites, tables, worldSql, writeAttacks } from './sqlite-scope-world.ts';

const refusals = /^E_(?:OUT_OF_SCOPE|NOT_A_READ|SYNTAX)\b/;

describe.each(nodeLines)('the scope of a connection to SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  const folder = createTempFolder();
  let tools: OpenTools;
  const call = async (tool: string, args: Record<string, unknown> = {}, connection = 'main') =>
    (await tools.call(tool, { connection, ...args })).text;

  beforeAll(async () => {
    runSql(node(), folder.at('scope.db'), worldSql);
    const file = { type: 'sqlite', file: folder.at('scope.db'), noWhere: 'allow' };
    tools = await openTools([
      { ...file, name: 'main', tables },
      { ...file, name: 'but', tables: ['!salaries', '!secret*'] },
      { ...file, name: 'temp', schemas: ['temp'] },
      { ...file, name: 'other', databases: ['other'] },
    ]);
  });
  afterAll(async () => {
    await tools?.close();
    folder[Symbol.dispose]();
  });

  it('lets no statement reach what is outside, nor tell whether it exists', async () => {
    const passed: string[] = [];
    for (const sql of attacks) {
      const text = await call('query', { sql });
      const told = [...text.matchAll(hidden)].filter(([word]) => !sql.toLowerCase().includes(word.toLowerCase()));
      if (!refusals.test(text) || told.length > 0) passed.push(`${sql} -> ${text.slice(0, 400)}`);
    }
    expect(passed).toEqual([]);
    const [existing, missing] = [
      await call('query', { sql: 'select * from salaries' }),
      await call('query', { sql: 'select * from sal_aries' }),
    ];
    expect(existing).toContain('salaries is not in the scope of this connection, which is tables orders');
    expect(missing.replaceAll('sal_aries', 'salaries')).toBe(existing);
    expect(await call('query', { sql: 'select * from bonuses' }, 'but')).toContain('No rows.');
    for (const sql of ['select * from SALARIES', 'select * from sqlite_schema', 'select * from secret_x'])
      expect(await call('query', { sql }, 'but')).toMatch(/^E_OUT_OF_SCOPE/);
    for (const connection of ['temp', 'other'])
      expect(await call('query', { sql: 'select * from orders' }, connection)).toMatch(/^E_OUT_OF_SCOPE/);
  });

  it('lets everything inside pass', async () => {
    const refused: string[] = [];
    for (const sql of innocent) {
      const text = await call('query', { sql });
      if (/^E_/.test(text)) refused.push(`${sql} -> ${text}`);
    }
    expect(refused).toEqual([]);
  });

  it('is all that other tools show', async () => {
    const answers = [
      await call('list_tables'),
      await call('list_tables', { pattern: '*salar*' }),
      await call('describe_table', { tables: ['orders', 'granted'] }),
      await call('describe_table', {
        tables: ['orders', 'renamed'],
        parts: ['columns', 'references', 'definition', 'triggers', 'sample', 'stats'],
      }),
      await call('search_schema', { text: 'amount' }),
      await call('search_schema', { text: 'note' }),
      await call('explain', { sql: 'select * from granted' }),
      await call('explain', { sql: "select * from orders where customer = 'x'" }),
      await call('diagnose', { check: 'indexes' }),
    ];
    expect(answers.join('\n').replaceAll('payroll_id', '').match(hidden)).toBeNull();
    expect(answers[0]).toMatch(/^granted,/m);
    expect(answers[6]).toMatch(/^E_OUT_OF_SCOPE/);
    expect(answers[7]).toContain('orders_customer');
  });

  it('is not left by writes', async () => {
    const dump = () =>
      ['select * from salaries', 'select * from secret_notes', 'select * from log', 'select name, sql from sqlite_schema'].map(
        (sql) => JSON.stringify(readSql(node(), folder.at('scope.db'), sql)),
      );
    const before = dump();
    const passed: string[] = [];
    for (const sql of writeAttacks) {
      const text = await call('execute', { sql });
      const told = [...text.matchAll(hidden)].filter(([word]) => !sql.includes(word));
      if (!/^E_OUT_OF_SCOPE|^E_SYNTAX/.test(text) || told.length > 0) passed.push(`${sql} -> ${text.slice(0, 300)}`);
    }
    expect(passed).toEqual([]);
    expect(dump()).toEqual(before);
    const refused: string[] = [];
    for (const sql of innocentWrites) {
      const text = await call('execute', { sql });
      if (/^E_/.test(text)) refused.push(`${sql} -> ${text}`);
    }
    expect(refused).toEqual([]);
  });
});
