import { readFileSync } from 'node:fs';
import { createTempFolder, type TempFolder } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxStatements } from '../../src/statement/statement-list.ts';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { listAttacks, innocent as portableInnocent } from './column-attacks.ts';
import { canary, columns, createColumnsWorld } from './columns-world.ts';
import { attacks } from './mysql-attacks.ts';
import { innocent } from './mysql-innocent.ts';
import { canaries, createMysqlWorld, rules } from './mysql-world.ts';
import { innocentReturning, innocentWrites, returningAttacks, writeAttacks } from './mysql-writes.ts';

const engines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011'];
const hidden = /by policy|^E_PROTECTED_COLUMN/m;
/** What some of the servers do not know. */
const unsupported = /^E_(?:SYNTAX|NOT_A_READ|ENGINE|AMBIGUOUS_COLUMN)\b/;

describe.each(engines)('protected columns on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let tools: OpenTools;
  let database: string;
  let folder: TempFolder;
  const call = async (tool: string, args: Record<string, unknown> = {}) =>
    (await tools.call(tool, { connection: 'main', ...args })).text;

  beforeAll(async () => {
    const account = await createMysqlWorld(engine(), `columns_${id}`);
    ({ database } = account);
    folder = createTempFolder();
    const connections = [
      { ...account, name: 'main', columns: rules, noWhere: 'allow' },
      { ...account, name: 'strict', columns: rules, strict: true },
      { ...(await createColumnsWorld(engine(), `portable_${id}`)), name: 'portable', columns },
    ];
    tools = await openTools(connections, { DBMOLE_EXPORT_DIR: folder.path });
  }, 60_000);
  afterAll(async () => {
    await tools.close();
    folder[Symbol.dispose]();
  });

  it('are shown by no query, and each query that would show one says so', async () => {
    expect(attacks.length).toBeGreaterThanOrEqual(300);
    const leaks: string[] = [];
    for (const sql of attacks) {
      const text = (await call('query', { sql })).replaceAll(sql, '');
      // A plan may have no constants, and a condition may find no row.
      const isSilent = /^(?:explain|describe|analyze)|where st_geomfromtext/.test(sql);
      if (canaries.test(text) || !(isSilent || hidden.test(text) || unsupported.test(text))) leaks.push(`${sql} -> ${text}`);
    }
    expect(leaks).toEqual([]);
  }, 60_000);

  it('are shown by none of the queries in standard SQL, and others show all', async () => {
    const { text } = await tools.call('query', {
      connection: 'portable',
      sql: 'select id, email as mail, password, iban from users where id = 1',
    });
    expect(text).toMatch(/^1 row\. 2 columns masked by policy \(email, iban\)\. 1 column left out by policy \(password\)\./);
    expect(text).toMatch(/^1,p_[0-9a-f]{16},\*\*\*1001$/m);
    const portable = listAttacks();
    for (let i = 0; i < portable.length; i += maxStatements) {
      const sql = portable.slice(i, i + maxStatements);
      const shown = await tools.call('query', { connection: 'portable', sql });
      expect([sql, shown.text]).toEqual([sql, expect.not.stringMatching(canary)]);
      expect(shown.text).not.toContain('E_INTERNAL');
    }
    for (const sql of portableInnocent) {
      const shown = await tools.call('query', { connection: 'portable', sql });
      expect([sql, shown.text]).toEqual([sql, expect.not.stringMatching(hidden)]);
    }
  }, 60_000);

  it('hide nothing of other queries', async () => {
    expect(innocent.length).toBeGreaterThanOrEqual(100);
    const masked: string[] = [];
    for (const sql of innocent) {
      const text = await call('query', { sql });
      if (hidden.test(text) || text.includes('***') || (/^E_/.test(text) && !text.startsWith('E_SYNTAX')))
        masked.push(`${sql} -> ${text}`);
    }
    expect(masked).toEqual([]);
  }, 60_000);

  it('are not passed from one statement of a list to the next', async () => {
    const text = await call('query', {
      sql: [
        'select cast(email as signed) from users',
        'select @@warning_count > 0 as warned',
        'show warnings',
        'select @kept, @x',
      ],
    });
    expect(text).not.toMatch(canaries);
    expect(text).toMatch(/E_PROTECTED_COLUMN.*SHOW WARNINGS/);
  });

  it('are not in plans', async () => {
    const leaks: string[] = [];
    for (const sql of attacks.filter((one) => /^(?:explain|describe)/.test(one))) {
      const query = sql.slice(sql.search(/\bselect\b/));
      for (const more of [{}, { raw: true }, { analyze: true }, { analyze: true, raw: true }]) {
        const text = await call('explain', { sql: query, ...more });
        if (canaries.test(text.replaceAll(query, '')) || /^E_/.test(text)) leaks.push(`${query} -> ${text}`);
      }
    }
    expect(leaks).toEqual([]);
  });

  it('are neither in exports nor in samples', async () => {
    expect(await call('export_query', { sql: 'select * from users', file: 'users.csv' })).toMatch(/masked by policy/);
    const written = readFileSync(folder.at('users.csv'), 'utf8');
    expect(written).toContain('name 1');
    expect(written).not.toMatch(canaries);
    const sample = await call('describe_table', { tables: ['users', 'contacts', 'patients'], parts: ['sample'] });
    expect(sample).toContain('name 1');
    expect(sample).not.toMatch(canaries);
  });

  it('are hidden from accounts that see little of the catalog', async () => {
    const [reader, clerk] = [`reader_${id}`, `clerk_${id}`];
    await runDirect(engine(), [
      `create user ${reader} identified by 'pw-of-reader'`,
      `grant select on ${database}.* to ${reader}`,
      `create user ${clerk} identified by 'pw-of-clerk'`,
      `grant select (id, name), show view on ${database}.users to ${clerk}`,
      ...['contacts', 'names'].map((view) => `grant select, show view on ${database}.${view} to ${clerk}`),
    ]);
    const { host, port } = engine();
    const account = { type: 'mysql' as const, host, port, database, columns: rules };
    const few = await openTools([
      { ...account, user: reader, password: 'pw-of-reader', name: 'reader' },
      { ...account, user: clerk, password: 'pw-of-clerk', name: 'clerk' },
    ]);
    try {
      for (const connection of ['reader', 'clerk']) {
        const ask = async (sql: string) => (await few.call('query', { connection, sql })).text;
        for (const sql of attacks.filter((one) => /contact|swapped|lowered|united|deep|all_users/.test(one)))
          expect([sql, (await ask(sql)).replaceAll(sql, '')]).toEqual([sql, expect.not.stringMatching(canaries)]);
        expect(await ask('select id, name from users where id = 1')).toContain('name 1');
      }
      const { text } = await few.call('query', { connection: 'clerk', sql: 'select * from names where number = 1' });
      expect(text).toContain('name 1');
    } finally {
      await few.close();
    }
  });

  it('are refused in comparisons if the policy is strict', async () => {
    const strict = async (sql: string) => (await tools.call('query', { connection: 'strict', sql })).text;
    for (const sql of [
      "select id from users where email = 'x'",
      'select id from users order by salary',
      'select status from users group by status, email',
      'select email, count(*) from users group by 1',
      'select name from users having max(salary) > 1',
      'select p.id from products p join users u on u.email = p.name',
      'select p.id from copies p join users u using (email)',
      'select p.id from copies p natural join users u',
      'select row_number() over (order by email) from users',
      'select id from products where name in (select email from users)',
      'select id from products where exists (select 1 from users where email = name)',
      'select keep(email) from users',
      'select mail_of(1)',
      "explain select id from users where email = 'x'",
    ])
      expect([sql, await strict(sql)]).toEqual([sql, expect.stringMatching(/^E_PROTECTED_COLUMN/)]);
    expect(await strict('select id, email from users')).toMatch(/1 column masked by policy/);
    for (const sql of [
      'select id, name from users where age > 20 order by name',
      'select count(email), status from users group by status',
      'select id, amount from user_orders',
      'select id from products',
    ])
      expect(await strict(sql)).not.toMatch(hidden);
  });

  /** What the connection shows, and all names. */
  const dump = async () => {
    const queries = [
      'select * from audit',
      'select * from products',
      'select * from orders',
      'select id, name, note, age, right(iban, 4) from users',
      'select table_name, column_name from information_schema.columns where table_schema = database()',
    ];
    return JSON.stringify(await Promise.all(queries.map((sql) => runDirect(engine(), [sql], database))));
  };
  const isMaria = id.startsWith('mariadb');

  it('are copied by no write', async () => {
    const leaks: string[] = [];
    for (const sql of [...writeAttacks, ...(isMaria ? returningAttacks : [])]) {
      const text = await call('execute', { sql });
      const isHidden = hidden.test(text) || /^E_SYNTAX/.test(text);
      if (!isHidden || canaries.test(text.replaceAll(sql, ''))) leaks.push(`${sql} -> ${text}`);
    }
    expect(leaks).toEqual([]);
    expect(await dump()).not.toMatch(canaries);
    expect(await dump()).not.toMatch(/stolen|people/);
  }, 60_000);

  it('let other writes pass', async () => {
    const refused: string[] = [];
    for (const sql of [...innocentWrites, ...(isMaria ? innocentReturning : [])]) {
      const text = await call('execute', { sql });
      if (hidden.test(text) || /^E_/.test(text)) refused.push(`${sql} -> ${text}`);
    }
    expect(refused).toEqual([]);
  }, 60_000);

  it('are not in the errors of writes', async () => {
    const account = `select id, email from users where email like '%canary%' limit 1`;
    const [[key = '', email = ''] = []] = await runDirect(engine(), [account], database);
    for (const sql of [
      `update users set email = '${email}' where id <> ${key} limit 1`,
      `insert into users (email) values ('${email}')`,
      "update users set age = concat('x', name)",
    ]) {
      const text = await call('execute', { sql });
      expect(text).toMatch(/^E_(?:CONSTRAINT|INVALID_VALUE)/);
      expect(text).toMatch(/hidden, because it may have values/);
      expect(text).not.toMatch(canaries);
    }
  });
});
