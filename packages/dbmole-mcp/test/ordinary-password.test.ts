import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

/** Passwords that are words: of our own texts, of the SQL that we show, of the engines' messages and of the schema. */
const words = ['password', 'orders', 'customer', 'status', 'relation', 'argument', 'mole_reader', 'sunshine'];
const names = ['password', 'orders', 'customer', 'status'];

describe.each(['postgres18', 'mysql97', 'mariadb1011'] as const)('an ordinary word as the password on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const accounts = new Map<string, Account>();
  const isPostgres = id === 'postgres18';
  let tools: OpenTools;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dbmole-word-'));
    for (const [index, word] of words.entries()) accounts.set(word, await prepare(word, index));
    const connections = [...accounts].map(([word, account]) => ({ ...account, name: `to-${word}`, password: word }));
    tools = await openTools(connections, { DBMOLE_EXPORT_DIR: folder });
  }, 60_000);
  afterAll(async () => {
    await tools.close();
    await rm(folder, { recursive: true });
  });

  async function prepare(word: string, index: number): Promise<Account> {
    const account = await createAccount(engine(), `word_${index}_${process.pid}`);
    const { user, database } = account;
    await runDirect(
      engine(),
      [
        'create table orders (id int primary key, customer int, status varchar(20), password varchar(40), note text)',
        `insert into orders values (1, 7, '${word}', '${word}', 'my ${word} of old ${word}s')`,
        isPostgres ? `alter role ${user} password '${word}'` : `alter user '${user}'@'%' identified by '${word}'`,
        isPostgres ? `grant all on orders to ${user}` : 'select 1',
      ],
      database,
    );
    return account;
  }

  const ask = async (connection: string, tool: string, args: Record<string, unknown> = {}) =>
    (await tools.call(tool, { connection: `to-${connection}`, ...args })).text;

  it.each(words)('leaves names, plans, errors and our own words alone: %s', async (word) => {
    const answers = [
      await ask(word, 'describe_table', { tables: ['orders'] }),
      await ask(word, 'list_tables'),
      await ask(word, 'list_databases'),
      await ask(word, 'search_schema', { text: 'orders' }),
      await ask(word, 'explain', { sql: "select * from orders where customer = 5 and status = 'x'" }),
      await ask(word, 'query', { sql: 'select id, customer from orders' }),
      await ask(word, 'query', { sql: 'select id as password, customer as orders from orders where customer = 0' }),
      await ask(word, 'query', { sql: 'select * from orderss' }),
      await ask(word, 'query', { sql: 'select passwort from orders' }),
      await ask(word, 'query', { sql: 'drop table orders' }),
      await ask(word, 'query', { sql: 'select 1', cells: 5 }),
      (await tools.call('test_connection', { name: `to-${word}` })).text,
      (await tools.call('list_connections', {})).text,
    ];
    for (const answer of answers) expect(answer).not.toContain('[secret]');
    expect(answers[0]).toMatch(/ customer int.*\n {2}status .*\n {2}password /);
    expect(answers[7]).toContain('Nearest: orders.');
    expect(answers[8]).toContain('Nearest: password.');
  });

  it.each(words)('warns of it: %s', async (word) => {
    const { text } = await tools.call('test_connection', { name: `to-${word}` });
    const why = names.includes(word) ? 'is also a name in the database' : 'is an ordinary word';
    expect(text).toContain(`warning: the password ${why}, so it cannot be recognized in answers`);
  });

  it.each(words)('removes it from data where it is a whole value and no name, and says so: %s', async (word) => {
    const text = await ask(word, 'query', { sql: 'select status, note from orders' });
    const isName = names.includes(word);
    expect(text).toContain(`\n${isName ? word : '[secret]'},my ${word} of old ${word}s`);
    expect(text.includes('1 cell shown without secrets')).toBe(!isName);
    const file = `${word}.csv`;
    const exported = await ask(word, 'export_query', { sql: 'select status, note from orders', file });
    expect(exported.includes('Cells without secrets of this server: 1.')).toBe(!isName);
    expect(await readFile(join(folder, file), 'utf8')).toContain(`\n${isName ? word : '[secret]'},my ${word} of old ${word}s`);
  });
});
