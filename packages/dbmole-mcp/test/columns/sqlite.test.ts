import { copyFileSync, readFileSync } from 'node:fs';
import { createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxStatements } from '../../src/statement/statement-list.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { nodeLines, readSql, runSql, useSqlite } from '../sqlite/sqlite-file.ts';
import { listAttacks, innocent as portableInnocent } from './column-attacks.ts';
import { canary, columns, portableWorld } from './columns-world.ts';
import { attacks as mysqlAttacks } from './mysql-attacks.ts';
import { innocent as mysqlInnocent } from './mysql-innocent.ts';
import {
  canaries,
  innocentWrites,
  returningAttacks,
  rules,
  sqliteAttacks,
  sqliteInnocent,
  sqliteWriteAttacks,
  worldSql,
} from './sqlite-world.ts';

const hidden = /by policy|^E_PROTECTED_COLUMN/m;
/** What SQLite does not know of the statements of other engines, or one of its versions of those of another. */
const unsupported = /E_(?:SYNTAX|NOT_A_READ|UNKNOWN_(?:FUNCTION|COLUMN|TABLE)|AMBIGUOUS_COLUMN|PARAMS)\b|SQLite says/;

/** Both lines of Node make the same of what other engines know; one is enough for those. */
const borrowed = (line: number, statements: readonly string[]) => (line === nodeLines[0] ? [] : statements);

describe.each(nodeLines)('protected columns of SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  const folder = createTempFolder();
  let tools: OpenTools;
  const call = async (tool: string, args: Record<string, unknown> = {}) =>
    (await tools.call(tool, { connection: 'main', ...args })).text;

  /** The answer to each statement, many of which are sent together. */
  const queryAll = async (connection: string, statements: readonly string[]) => {
    const texts: string[] = [];
    for (let i = 0; i < statements.length; i += maxStatements) {
      const sql = statements.slice(i, i + maxStatements);
      const { text } = await tools.call('query', { connection, sql, limit: 4 });
      const parts = text.split(/^-- \d+ of \d+: /m).slice(1);
      if (parts.length === sql.length) texts.push(...parts);
      // One that has no place in a list keeps the others from running.
      else for (const one of sql) texts.push((await tools.call('query', { connection, sql: one })).text);
    }
    return texts;
  };

  beforeAll(async () => {
    runSql(node(), folder.at('main.db'), worldSql);
    runSql(node(), folder.at('portable.db'), portableWorld.join(';\n'));
    copyFileSync(folder.at('main.db'), folder.at('kept.db'));
    const main = { type: 'sqlite', file: folder.at('main.db'), columns: rules };
    tools = await openTools(
      [
        { ...main, name: 'main', noWhere: 'allow' },
        { ...main, name: 'strict', strict: true },
        { type: 'sqlite', name: 'portable', file: folder.at('portable.db'), columns },
      ],
      { DBMOLE_EXPORT_DIR: folder.path },
    );
  });
  afterAll(async () => {
    await tools?.close();
    folder[Symbol.dispose]();
  });

  it.each([
    ['main', [...sqliteAttacks, ...borrowed(line, mysqlAttacks)], canaries],
    ['portable', listAttacks(), canary],
  ])(
    'are shown by no query of %s, and each that would show one says so',
    async (connection, statements, values) => {
      const leaks: string[] = [];
      for (const [i, answer] of (await queryAll(connection, statements)).entries()) {
        const sql = statements[i] ?? '';
        const text = answer.replaceAll(sql, '').replaceAll(JSON.stringify(sql), '');
        if (values.test(withoutNames(text)) || text.includes('E_INTERNAL') || !(hidden.test(text) || isSilent(sql, text)))
          leaks.push(`${sql} -> ${text}`);
      }
      expect(leaks).toEqual([]);
      expect(statements.length).toBeGreaterThan(130);
    },
    120_000,
  );

  it.each([
    ['main', [...sqliteInnocent, ...borrowed(line, mysqlInnocent)]],
    ['portable', portableInnocent],
  ])(
    'hide nothing of other queries of %s',
    async (connection, statements) => {
      const masked: string[] = [];
      for (const [i, text] of (await queryAll(connection, statements)).entries()) {
        const isRefused = /^(?:FAILED: )?E_/.test(text) && !unsupported.test(text);
        if (hidden.test(text) || text.includes('***') || isRefused) masked.push(`${statements[i]} -> ${text}`);
      }
      expect(masked).toEqual([]);
    },
    60_000,
  );

  it('are refused in comparisons if the policy is strict', async () => {
    const refused = [
      "select id from users where email = 'x'",
      "select id from users where email like 'x%'",
      'select id from users order by salary',
      'select id from users order by salary desc limit 1',
      'select salary is null, min(salary) from users',
      'select status from users group by status, email',
      'select email, count(*) from users group by 1',
      'select name from users group by name having max(salary) > 1',
      'select p.id from products p join users u on u.email = p.name',
      'select p.id from copies p join users u using (email)',
      'select p.id from copies p natural join users u',
      'select row_number() over (order by email) from users',
      'select id from products where name in (select email from users)',
      'select id from products where exists (select 1 from users where email = name)',
      'select id from deep order by c',
      "select case when email = 'x' then 1 end from users",
      "explain select id from users where email = 'x'",
      'select id from contacts where number > 1',
    ];
    for (const [i, text] of (await queryAll('strict', refused)).entries())
      expect([refused[i], text]).toEqual([refused[i], expect.stringContaining('E_PROTECTED_COLUMN')]);
    const allowed = [
      'select id, name from users where age > 20 order by name',
      'select count(email), status from users group by status',
      'select id, amount from user_orders',
      'select id from products',
    ];
    for (const text of await queryAll('strict', allowed)) expect(text).not.toMatch(hidden);
    expect((await queryAll('strict', ['select id, email from users'])).join()).toMatch(/1 column masked by policy/);
  });

  it('are neither in plans, exports, samples, statistics nor errors', async () => {
    expect(await call('export_query', { sql: 'select * from users', file: 'users.csv' })).toMatch(/masked by policy/);
    const texts = [
      readFileSync(folder.at('users.csv'), 'utf8'),
      await call('describe_table', { tables: ['users', 'contacts', 'patients'], parts: ['sample', 'stats', 'definition'] }),
      await call('explain', { sql: 'select email from users where email = (select max(phone) from users) or salary > 5' }),
      await call('explain', { sql: 'select email from users', raw: true }),
      await call('search_schema', { text: 'email' }),
      await call('query', { sql: "select json_extract('{}', email) from users" }),
      await call('query', { sql: 'select json(email) from users' }),
      await call('query', { sql: "select 1 from letters where letters match (select email || ' \"' from users)" }),
      await call('query', { sql: 'select abs(-9223372036854775807 - id), email from users' }),
      await call('execute', { sql: 'insert into audit (id) select number from badges where 0' }),
      await call('execute', { sql: "insert into users (id, email) values (60, 'canary1')" }),
    ];
    expect(texts[0]).toContain('name 1');
    expect(texts[1]).toContain('name 1');
    for (const text of texts) expect(text.replaceAll("'canary1'", '')).not.toMatch(canaries);
  });

  /** What the connection shows, and all names. */
  const dump = () =>
    [
      'select * from audit',
      'select * from log',
      'select * from products',
      'select * from orders',
      'select * from notes',
      'select id, name, note, age, substr(iban, -4) from users',
      'select name, sql from sqlite_schema',
    ].map((sql) => JSON.stringify(readSql(node(), folder.at('main.db'), sql)));

  it('are copied by no write', async () => {
    const before = dump();
    const leaks: string[] = [];
    for (const sql of [...sqliteWriteAttacks, ...returningAttacks]) {
      const text = (await call('execute', { sql })).replaceAll(sql, '');
      if (!hidden.test(text) || canaries.test(text)) leaks.push(`${sql} -> ${text}`);
      copyFileSync(folder.at('kept.db'), folder.at('main.db'));
    }
    expect(leaks).toEqual([]);
    for (const sql of sqliteWriteAttacks) await call('execute', { sql });
    expect(dump()).toEqual(before);
  }, 60_000);

  it('do not prevent other writes', async () => {
    copyFileSync(folder.at('kept.db'), folder.at('main.db'));
    const refused: string[] = [];
    for (const sql of innocentWrites) {
      const text = await call('execute', { sql });
      if (/^E_/.test(text) || hidden.test(text)) refused.push(`${sql} -> ${text}`);
    }
    expect(refused).toEqual([]);
    // What was created meanwhile is followed as well.
    expect(await call('query', { sql: 'select * from fine' })).toContain('other');
    copyFileSync(folder.at('kept.db'), folder.at('main.db'));
  }, 60_000);
});

/** Some read nothing, or fail before they would. */
function isSilent(sql: string, text: string): boolean {
  return unsupported.test(text) || /^(?:explain|describe|select id from users where cast\()|json_extract\('\{\}'/.test(sql);
}

/** Names of columns that SQLite makes of the text of expressions have what the caller wrote. */
function withoutNames(text: string): string {
  return text
    .split('\n')
    .filter((_, i) => i !== 1)
    .join('\n');
}
