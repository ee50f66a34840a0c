import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

/** A statement, and what is said of it. */
type Expected = readonly [sql: string, reason: RegExp];

interface Fixture {
  engines: readonly ServerId[];
  tables: readonly string[];
  /** The last one is the change that gives both columns one type. */
  unlike: readonly (readonly [...Expected, change: RegExp])[];
  repeated: readonly Expected[];
  /** Nothing is wrong with their joins. */
  fine: readonly string[];
}

const postgres: Fixture = {
  engines: ['postgres14', 'postgres18'],
  tables: [
    "create table customer as select i as id, i::text as code, i::numeric as number, 'n' || i % 500 as name from generate_series(1, 20000) i",
    'alter table customer add primary key (id); create index on customer (code); create index on customer (number)',
    'create table purchase as select i as id, i % 20000 as customer_id, (i % 20000)::text as code, (i % 20000)::varchar(9) as short from generate_series(1, 40000) i',
    'alter table purchase add primary key (id); create index on purchase (customer_id); create index on purchase (code); create index on purchase (short)',
    'analyze customer, purchase',
  ],
  unlike: [
    [
      'select * from purchase p join customer c on c.id::text = p.code where p.id < 5',
      /c\.id \(integer\) is cast to text to be compared with p\.code, so the index customer_pkey does not serve/,
      /^ALTER TABLE purchase ALTER COLUMN code TYPE integer USING code::integer$/,
    ],
    [
      'select * from customer c join purchase p on p.customer_id = c.number where c.id = 7',
      /p\.customer_id \(integer\) is cast to numeric to be compared with c\.number, so the index purchase_customer_id_idx does not serve/,
      /^ALTER TABLE customer ALTER COLUMN number TYPE integer USING number::integer$/,
    ],
    [
      'select * from customer c left join purchase p on p.code::int = c.id where c.id < 4',
      /p\.code \(text\) is cast to integer to be compared with c\.id, so the index purchase_code_idx does not serve/,
      /^ALTER TABLE purchase ALTER COLUMN code TYPE integer USING code::integer$/,
    ],
  ],
  repeated: [
    [
      'select count(*) from customer c join purchase p on p.customer_id < c.id',
      /would (?:compare about \d+ pairs of rows|be searched)/,
    ],
    [
      "select (select count(*) from purchase p where p.short || 'x' = c.name) from customer c",
      /Seq Scan on purchase p, .* would read 40000 rows about 20000 times/,
    ],
  ],
  fine: [
    'select * from purchase p join customer c on c.id = p.customer_id where p.id < 5',
    'select * from purchase p join customer c on c.code = p.short where p.id < 5',
    'select count(*) from purchase p join customer c on c.id = p.customer_id',
    'select count(*) from purchase p join customer c on c.number = p.customer_id',
    'select count(*) from purchase p join customer c on c.code = p.code',
  ],
};

const digits = (column: string) =>
  `(select 0 ${column} ${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `union select ${i}`).join(' ')}) as t_${column}`;
const numbers = (count: number) =>
  `(select 1 + a + 10 * b + 100 * c + 1000 * d + 10000 * e as i from ${['a', 'b', 'c', 'd', 'e'].map(digits).join(', ')} having i <= ${count}) n`;

const mysql: Fixture = {
  engines: ['mysql80', 'mysql97', 'mariadb1011'],
  tables: [
    'create table customer (id int primary key, code varchar(20), born date, name varchar(20), key (code), key (born)) character set utf8mb4 collate utf8mb4_general_ci',
    `insert into customer select i, i, date '2000-01-01' + interval (i % 5000) day, concat('n', i % 500) from ${numbers(20000)}`,
    'create table purchase (id int primary key, customer_id int not null, code varchar(20) not null, day varchar(20), plain varchar(20), key (customer_id), key (code), key (day)) character set utf8mb3',
    `insert into purchase select i, i % 20000, i % 20000, date '2000-01-01' + interval (i % 5000) day, concat('p', i) from ${numbers(40000)}`,
    'analyze table customer, purchase',
  ],
  unlike: [
    [
      'select * from customer c join purchase p on p.code = c.id where c.id = 7',
      /p\.code \(varchar\(20\)\) is compared with c\.id \(int(?:\(11\))?\), so the index code does not serve/,
      /^ALTER TABLE purchase MODIFY code int(?:\(11\))? NOT NULL$/,
    ],
    [
      'select straight_join * from customer as c join purchase as p on c.born = p.day where c.id < 4',
      /p\.day \(varchar\(20\)\) is compared with c\.born \(date\), so the index day does not serve/,
      /^ALTER TABLE purchase MODIFY day date$/,
    ],
    [
      'select straight_join * from customer c join purchase p on p.code = c.code where c.id < 4',
      /p\.code \(utf8mb3_general_ci\) is compared with c\.code \(utf8mb4_general_ci\), so the index code does not serve/,
      /^ALTER TABLE purchase MODIFY code varchar\(20\) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL$/,
    ],
  ],
  repeated: [
    ['select count(*) from customer c join purchase p on p.plain < c.name', /would compare about \d+ pairs of rows one by one/],
    [
      'select straight_join count(*) from purchase p join customer c on c.id + 0 > p.id + 0',
      /would compare about \d+ pairs of rows one by one/,
    ],
  ],
  fine: [
    'select * from purchase p join customer c on c.id = p.customer_id where p.id < 5',
    'select * from purchase p join customer c on c.id = p.code where p.id < 5',
    'select count(*) from purchase p join customer c on c.id = p.customer_id',
  ],
};

for (const { engines, tables, unlike, repeated, fine } of [postgres, mysql])
  describe.each(engines)('what explain says of joins on %s', (id) => {
    const engine = useEngine(id, { shared: true });
    let account: Account;
    let tools: OpenTools;
    const explain = async (sql: string, analyze = false) => (await tools.call('explain', { sql, analyze })).text;

    beforeAll(async () => {
      account = await createAccount(engine(), `joins_${process.pid}`);
      await runDirect(engine(), tables, account.database);
      const { user, password } = engine();
      tools = await openTools([{ ...account, user, password, name: 'shop', tls: 'disable' }]);
    }, 60_000);
    afterAll(async () => {
      await tools.close();
      const drop = id.startsWith('postgres') ? `drop user ${account.user}` : `drop user '${account.user}'@'%'`;
      await runDirect(engine(), [`drop database ${account.database}`, drop]);
    });

    it.each(unlike)('names the types that keep an index from serving: %s', async (sql, reason, change) => {
      for (const text of [await explain(sql), await explain(sql, true)]) {
        expect(text).toMatch(reason);
        const [, next = ''] = /^next: .*explain of (ALTER TABLE .*) says what that takes$/m.exec(text) ?? [];
        expect(next).toMatch(change);
        expect(await explain(next)).toMatch(/^ALTER TABLE on .*; nothing was run[\s\S]*\n {2}lock: /);
      }
    });

    it.each(repeated)('names what is repeated for many rows, without running it: %s', async (sql, reason) => {
      const text = await explain(sql);
      expect(text).toMatch(reason);
      expect(text).toMatch(/^next: /m);
    });

    it('says nothing of joins that are fine', async () => {
      for (const sql of fine) expect(await explain(sql), sql).not.toMatch(/does not serve|pairs of rows|about \d+ times/);
    });
  });
