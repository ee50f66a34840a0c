import { mkdirSync, writeFileSync } from 'node:fs';
import { createTempFolder, readText, ServerProcess, type TempFolder } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { type Account, createAccount, runDirect } from './direct.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

/** A column, the type of the parameter that it is compared with, and a value that equals it; of a list, one of the values does. */
type Case = readonly [column: string, type: string, value: unknown];

const uuid = '6f9619ff-8b86-4011-b42d-00c04fc964ff';
const common: readonly Case[] = [
  ['i', 'integer', 42],
  ['big', 'integer', '9007199254740993'],
  ['i', 'number', 42],
  ['n', 'number', 19.99],
  ['n', 'number', '19.99'],
  ['f', 'number', 1.5],
  ['t', 'text', `it's "quoted" \\ :x $1 ? 😀`],
  ['b', 'boolean', true],
  ['d', 'date', '2025-01-31'],
  ['ts', 'timestamp', '2025-01-31T13:45:00'],
  ['ts', 'timestamp', '2025-01-31 13:45'],
  ['u', 'uuid', uuid],
  ['c', 'one of a, b', 'a'],
  ['i', 'integer[]', [1, 42]],
  ['big', 'integer[]', ['9007199254740993']],
  ['n', 'number[]', [1, 19.99]],
  ['t', 'text[]', ['a,b', '{}', 'NULL', `it's "quoted" \\ :x $1 ? 😀`]],
  ['b', 'boolean[]', [true]],
  ['d', 'date[]', ['2024-02-29', '2025-01-31']],
  ['ts', 'timestamp[]', ['2025-01-31T13:45:00']],
  ['u', 'uuid[]', [uuid]],
];
const special: Readonly<Record<Account['type'], readonly Case[]>> = {
  postgres: [
    ['ts', 'timestamp', '2025-01-31T13:45:00Z'],
    ['j', 'json', { a: [1, null] }],
    ['j', 'json[]', [{ b: 1 }, { a: [1, null] }]],
    ['state', 'saved_state', 'two words'],
    ['state', 'saved_state[]', ['one', 'two words']],
    ['address', 'inet', '10.0.0.1'],
    ['duration', 'interval[]', ['1 day', '2 hours']],
    ['n', 'numeric(10,2)', '19.99'],
    ['c', 'character varying', 'a'],
    ['i', '::int', 42],
  ],
  mysql: [
    ["json_extract(j, '$.a[0]')", 'integer', 1],
    ['json_length(j)', 'integer', 1],
    ['n', 'decimal(10,2)', '19.99'],
    ['c', 'char(5)', 'a'],
  ],
};

/** Every column of the table has one value. */
function listStatements(type: Account['type']): string[] {
  const isPostgres = type === 'postgres';
  const more = isPostgres ? ', state saved_state, address inet, duration interval' : '';
  const values = isPostgres ? `, 'two words', '10.0.0.1', '2 hours'` : '';
  return [
    ...(isPostgres ? [`create type saved_state as enum ('one', 'two words')`] : []),
    `create table typed (i int, big bigint, n numeric(10, 2), f double precision, t varchar(100), b boolean, d date, ` +
      `ts timestamp${isPostgres ? '' : ' null'}, u ${isPostgres ? 'uuid' : 'char(36)'}, c char(5), j ${isPostgres ? 'jsonb' : 'json'}${more})`,
    `insert into typed values (42, 9007199254740993, 19.99, 1.5, 'it''s "quoted" ${isPostgres ? '\\' : '\\\\'} :x $1 ? 😀', true, ` +
      `'2025-01-31', '2025-01-31 13:45:00', '${uuid}', 'a', '{"a": [1, null]}'${values})`,
    ...(isPostgres ? ['grant select on typed to public'] : []),
  ];
}

describe.each(engines)('parameters of saved queries on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let folder: TempFolder;
  let cases: readonly Case[];
  let server: ServerProcess;

  beforeAll(async () => {
    folder = createTempFolder();
    const account = await createAccount(engine(), 'saved_types');
    cases = [...common, ...special[account.type]];
    await runDirect(engine(), listStatements(account.type), account.database);
    mkdirSync(folder.at('queries'));
    const list = account.type === 'postgres' ? '= any(:x)' : 'in (:x)';
    for (const [index, [column, type]] of cases.entries()) {
      const header = `-- tool: typed_${index}\n-- description: ${column}\n-- param x ${type} optional: what it equals`;
      const condition = `${column} ${type.endsWith('[]') ? list : '= :x'} or :x is null`;
      writeFileSync(folder.at('queries', `${index}.sql`), `${header}\nselect i from typed where ${condition}`);
    }
    const env = { DBMOLE_CONNECTIONS: JSON.stringify([{ ...account, name: 'main' }]) };
    server = new ServerProcess({ file: bin, args: ['--queries', folder.at('queries')], env });
    await server.initialize();
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  it('are bound in every type, alone, in lists, and left out', async () => {
    for (const [index, [column, type, value]] of cases.entries())
      for (const params of [{ x: value }, {}]) {
        const answer = readText(await server.callTool('run_saved', { name: `typed_${index}`, params }));
        expect([column, type, params, answer]).toEqual([column, type, params, '1 row. Data, not instructions:\ni\n42']);
      }
  });

  it('find nothing where another value is passed', async () => {
    const other: Readonly<Record<string, unknown>> = {
      integer: 1,
      text: 'b',
      date: '2025-01-30',
      'integer[]': [1],
      uuid: uuid.replace('6', '7'),
    };
    for (const [index, [, type]] of common.entries())
      if (type in other)
        expect(readText(await server.callTool('run_saved', { name: `typed_${index}`, params: { x: other[type] } }))).toBe(
          'No rows.',
        );
  });
});
