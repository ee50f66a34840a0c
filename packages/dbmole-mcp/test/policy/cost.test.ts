import { runProgram } from '@dbmole/core';
import { createFakeTerminal, createTempFolder } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../../src/server.ts';
import { type Account, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { cheapReads, costlyReads, createCostWorld, type EngineKind } from './cost-world.ts';

const engines: readonly [ServerId, EngineKind][] = [
  ['postgres14', 'postgres'],
  ['postgres18', 'postgres'],
  ['mysql80', 'mysql'],
  ['mysql97', 'mysql'],
  ['mariadb1011', 'mariadb'],
];

const maxScanRows = 5_000;
const refusal = /^E_TOO_COSTLY: .*; nothing was run/;

describe.each(engines)('the cost of reads on %s', (id, kind) => {
  const engine = useEngine(id, { shared: true });
  const folder = createTempFolder();
  let account: Account;
  let tools: OpenTools;
  const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
  const ask = async (connection: string, sql: unknown, more = {}) =>
    (await tools.call('query', { connection, sql, ...more })).text;
  const runCommand = async (limits: object, argv: readonly string[]) => {
    const env = { DBMOLE_CONNECTIONS: JSON.stringify([{ ...account, ...limits, name: 'rows', tls: 'disable' }]) };
    const terminal = createFakeTerminal({ argv, env });
    await runProgram(definition, terminal);
    return { out: terminal.printed, err: terminal.complained };
  };
  const outcomes = async (connection: string, reads: typeof cheapReads) => {
    const found: [string, string][] = [];
    for (const { sql, on } of reads)
      if (on?.includes(kind) !== false) found.push([sql, (await ask(connection, sql)).split('\n')[0] ?? '']);
    return found;
  };

  beforeAll(async () => {
    account = await createCostWorld(engine(), `cost_${id}`);
    const limits = {
      rows: { maxScanRows },
      warned: { maxScanRows, warn: true },
      cost: { maxCost: kind === 'mariadb' ? 5_000 : 500 },
      bytes: { maxBytes: 300_000 },
      free: {},
    };
    const connections = Object.entries(limits).map(([name, limit]) => ({ ...account, name, ...limit }));
    tools = await openTools(connections, { DBMOLE_EXPORT_DIR: folder.path });
  }, 60_000);
  afterAll(() => tools.close());

  it('passes what is within the limit', async () => {
    const failed = (await outcomes('rows', cheapReads)).filter(([, line]) => line.startsWith('E_'));
    expect(failed).toEqual([]);
  });

  it('refuses what is beyond it, however it is written', async () => {
    const passed = (await outcomes('rows', costlyReads)).filter(([, line]) => !refusal.test(line));
    expect(passed).toEqual([]);
  });

  it('says what reads the most, why, and what would help', async () => {
    const text = await ask('rows', "select * from big where note = 'a'");
    expect(text).toMatch(
      /^E_TOO_COSTLY: the plan reads about \d+,\d+ rows from tables, and this connection allows 5,000; nothing was run\. Most of it: (?:Seq|Table) [Ss]can on (?:public\.)?big, about \d+,\d+ rows: no index begins with note\./,
    );
    expect(text).toContain('an index of big begins with (id, customer)');
    expect(text).toContain('Only the user can raise "maxScanRows"');
  });

  it('estimates a read with its params, every time with others', async () => {
    const mark = kind === 'postgres' ? '$1' : '?';
    const sql = `select count(*) from big where customer < ${mark}`;
    for (const [value, isRefused] of [
      [2, false],
      [900, true],
      [2, false],
      [900, true],
    ] as const)
      expect([value, refusal.test(await ask('rows', sql, { params: [value] }))]).toEqual([value, isRefused]);
  });

  it('refuses on all doors that run a read', async () => {
    const sql = "select * from big where note = 'a'";
    const list = await ask('rows', ['select 1 as one', sql, 'select 2 as two']);
    expect(list).toMatch(/one[\s\S]*E_TOO_COSTLY[\s\S]*two/);
    expect((await tools.call('export_query', { connection: 'rows', sql: 'select * from big', file: 'big.csv' })).text).toMatch(
      /^E_TOO_COSTLY.*no file was left/,
    );
    expect(
      (await tools.call('export_query', { connection: 'rows', sql: 'select * from small', file: 'small.csv' })).text,
    ).toMatch(/^Exported 100 rows/);
    expect((await tools.call('explain', { connection: 'rows', sql, analyze: true })).text).toMatch(/^E_TOO_COSTLY/);
    expect((await tools.call('explain', { connection: 'rows', sql })).text).toMatch(/^Plan, with estimates only/);
    const command = ['query', 'rows', 'select max(note) from big'];
    expect(await runCommand({ maxScanRows }, command)).toMatchObject({ out: '', err: expect.stringContaining('the plan reads') });
    expect(await runCommand({ maxScanRows, warn: true }, command)).toMatchObject({
      out: expect.stringContaining('n9999'),
      err: expect.stringContaining('(warn)'),
    });
    expect(
      (await tools.call('describe_table', { connection: 'rows', tables: ['big'], parts: ['sample', 'stats'] })).text,
    ).toMatch(/customer/);
  });

  it('only says so where the policy warns', async () => {
    const text = await ask('warned', 'select count(*) as all_rows from big');
    expect(text).toMatch(/^1 row\. The plan reads about .* rows from tables, and this connection allows 5,000 \(warn\)\. Data/);
    expect(await ask('warned', 'select count(*) as all_rows from big')).toBe(text);
    expect(await ask('warned', 'select 1 as one')).toMatch(/^1 row\. Data/);
    const exported = await tools.call('export_query', { connection: 'warned', sql: 'select * from big', file: 'warned.csv' });
    expect(exported.text).toMatch(/^Exported 30000 rows .* \(warn\)\.$/);
    const analyzed = await tools.call('explain', { connection: 'warned', sql: 'select max(note) from big', analyze: true });
    expect(analyzed.text).toMatch(/^Plan of the statement as it ran\. The plan reads .* \(warn\)\./);
  });

  it('limits cost and bytes as well', async () => {
    for (const connection of ['cost', 'bytes']) {
      expect(await ask(connection, 'select max(note) from big')).toMatch(refusal);
      expect(await ask(connection, 'select * from big where customer = 5')).toMatch(/^30 rows/);
    }
    // It reads few rows and makes many of them.
    const product = 'select * from small a, small b, small c, small d order by a.name desc, d.name limit 1';
    expect(await ask('cost', product)).toMatch(/^E_TOO_COSTLY: the plan costs [\d,]+, and this connection allows/);
    expect(await ask('bytes', 'select max(note) from big')).toMatch(
      /reads about [\d,]+ bytes from tables, and this connection allows [\d,]+;/,
    );
  });

  it('counts a table as it is now', async () => {
    await direct('create table growing (id int primary key, a int)', 'insert into growing values (1, 1)');
    const sql = 'select max(a) from growing';
    expect(await ask('rows', sql)).toMatch(/^1 row/);
    await direct(
      'insert into growing select id + 10, 1 from big',
      kind === 'postgres' ? 'analyze growing' : 'analyze table growing',
    );
    // A change through this connection makes it forget what passed.
    await tools.call('execute', { connection: 'rows', sql: 'insert into growing values (5, 5)' });
    expect(await ask('rows', sql)).toMatch(refusal);
  });

  it('does not name a table outside of the scope', async () => {
    const scope = kind === 'postgres' ? { schemas: ['inside'] } : { databases: [account.database], tables: ['inside_*'] };
    const view = kind === 'postgres' ? 'inside.all_of_it' : 'inside_all_of_it';
    if (kind === 'postgres') await direct('create schema inside');
    await direct(`create view ${view} as select * from big`);
    const scoped = await openTools([{ ...account, name: 'scoped', maxScanRows, ...scope }]);
    const { text } = await scoped.call('query', { sql: `select max(note) from ${view}` });
    await scoped.close();
    expect(text).toMatch(
      /^E_TOO_COSTLY: the plan reads about [\d,]+ rows from tables, and this connection allows 5,000; nothing was run\.\n/,
    );
    expect(text).not.toMatch(/\bbig\b|customer/);
  });

  it('sends one EXPLAIN for a new text, and none without a policy', async () => {
    if (id !== 'mysql80') return;
    const root = async (...statements: string[]) => await runDirect(engine(), statements);
    const countExplains = async () =>
      Number(
        (
          await root(
            `select count(*) from mysql.general_log where user_host like '${account.user}%' and argument like 'EXPLAIN%'`,
          )
        )[0],
      );
    await root("set global log_output = 'TABLE'", 'truncate mysql.general_log', 'set global general_log = on');
    try {
      for (let i = 0; i < 3; i += 1) await ask('free', 'select count(*) as counted from small');
      expect(await countExplains()).toBe(0);
      for (let i = 0; i < 3; i += 1) await ask('rows', 'select count(*) as counted from small');
      expect(await countExplains()).toBe(1);
    } finally {
      await root('set global general_log = off', 'truncate mysql.general_log');
    }
  });

  it('is listed, and no tool can set it', async () => {
    expect((await tools.call('list_connections')).text).toMatch(/maxScanRows 5000 \(warns\)/);
    const { type, host, port, user, password } = account;
    const twin = await tools.call('add_connection', { name: 'twin', type, host, port, user, password });
    expect(twin.text).toMatch(/^E_PERSON_ONLY/);
  });
});
