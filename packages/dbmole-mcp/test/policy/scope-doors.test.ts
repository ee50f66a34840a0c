import { mkdirSync, writeFileSync } from 'node:fs';
import { runProgram } from '@dbmole/core';
import { createFakeTerminal, createTempFolder, type TempFolder } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../../src/server.ts';
import { openTools } from '../open-tools.ts';
import { createScopeWorld, hidden, type ScopeWorld } from './scope-world.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97'];

describe.each(engines)('beside the tools, the scope of a connection on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let world: ScopeWorld;
  let folder: TempFolder;
  let connection: Record<string, unknown> & { name: string };

  beforeAll(async () => {
    world = await createScopeWorld(engine(), `doors_${id}`);
    folder = createTempFolder();
    const { account, inside } = world;
    const place = account.type === 'postgres' ? { schemas: [inside], schema: inside } : { databases: [inside] };
    connection = { ...account, ...place, name: 'shop', tls: 'disable', environment: 'staging', tables: ['!secret*'] };
  }, 60_000);
  afterAll(() => folder[Symbol.dispose]());

  async function run(...argv: readonly string[]) {
    const env = { DBMOLE_CONNECTIONS: JSON.stringify([connection]) };
    const terminal = createFakeTerminal({ argv, env });
    const code = await runProgram(definition, terminal);
    return { code, text: `${terminal.printed}\n${terminal.complained}` };
  }
  const leaksOf = (text: string, said: string) =>
    [...text.replaceAll('payroll_id', '').matchAll(hidden)].map(([word]) => word).filter((word) => !said.includes(word));

  it('holds at the command line', async () => {
    const { outside } = world;
    const commands = [
      ['query', 'shop', `select * from ${outside}.salaries`],
      ['explain', 'shop', `select * from ${outside}.salaries`],
      ['tables', 'shop'],
      ['tables', 'shop', '*', '--schema', outside],
      ['describe', 'shop', 'orders', '--parts', 'references,stats,sample'],
      ['search', 'shop', 'amount'],
      ['schema', 'shop'],
      ['diagnose', 'shop'],
      ['databases', 'shop'],
    ];
    for (const argv of commands) expect([argv, leaksOf((await run(...argv)).text, argv.join(' '))]).toEqual([argv, []]);
    expect((await run('query', 'shop', `select * from ${outside}.salaries`)).text).toContain('E_OUT_OF_SCOPE');
    expect((await run('schema', 'shop')).text).toMatch(/^orders table/m);
  });

  it('is shown by doctor and connections', async () => {
    const key = world.account.type === 'postgres' ? 'schemas' : 'databases';
    const scope = `${key} ${world.inside}; tables !secret*`;
    expect((await run('doctor', 'shop')).text).toContain(`environment staging, scope ${scope})`);
    expect((await run('connections', 'list')).text).toContain(scope);
    expect((await run('connections', 'show', 'shop')).text).toMatch(/^tables +\["!secret\*"\]$/m);
  });

  it('holds for exports', async () => {
    const exports = folder.at('exports');
    mkdirSync(exports);
    const tools = await openTools([connection], { DBMOLE_EXPORT_DIR: exports });
    try {
      const refused = await tools.call('export_query', { sql: `select * from ${world.outside}.salaries`, file: 'a.csv' });
      expect(refused.text).toMatch(/^E_OUT_OF_SCOPE/);
      expect((await tools.call('export_query', { sql: 'select * from orders', file: 'b.csv' })).text).not.toMatch(/^E_/);
    } finally {
      await tools.close();
    }
  });

  it('says which name to write where the search path finds nothing of the scope', async () => {
    if (world.account.type !== 'postgres') return;
    const { inside, outside } = world;
    const { schema: _schema, ...plain } = connection;
    const tools = await openTools([plain]);
    const read = async (sql: string, tool = 'query') => (await tools.call(tool, { sql })).text;
    try {
      for (const tool of ['query', 'explain'])
        expect(await read('select * from orders', tool)).toContain(`Next: Write ${inside}.orders.`);
      expect(await read('delete from orders where id = 0', 'execute')).toContain(`Next: Write ${inside}.orders.`);
      expect(await read('select * from ordrs')).toContain(`Nearest: ${inside}.orders.`);
      expect(await read(`select * from ${outside}.orders`)).not.toContain('Next: Write');
      expect(await read(`select * from ${inside}.orders`)).toMatch(/^20 rows/);
    } finally {
      await tools.close();
    }
  });

  it('holds for saved queries', async () => {
    const queries = folder.at('queries');
    mkdirSync(queries);
    writeFileSync(
      `${queries}/leak.sql`,
      `-- tool: leak\n-- description: Reads outside.\nselect * from ${world.outside}.salaries\n`,
    );
    const { text } = await run('queries', 'run', 'leak', '--queries', queries);
    expect(text).toContain('E_OUT_OF_SCOPE');
  });
});
