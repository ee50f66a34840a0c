import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nearestTables } from '../../src/catalog/nearest-tables.ts';
import { formatBrief } from '../../src/catalog/schema-text.ts';
import { catalog } from '../../src/engines/mysql/catalog/catalog.ts';
import { formatIdentifier } from '../../src/engines/mysql/values/identifiers.ts';
import { shopMysql } from '../fixtures/shop-mysql.ts';
import { shopTables } from '../fixtures/shop-postgres.ts';
import { openMysql, type TestSession } from './catalog-run.ts';
import { describeText } from './describe-lines.ts';

const listTables = async (...args: Parameters<typeof catalog.listTables>) => (await catalog.listTables(...args)).shown;

const page = { limit: 100, offset: 0 };

for (const id of ['mysql80', 'mysql97', 'mariadb1011'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    const maria = id === 'mariadb1011';
    const database = `schema_${id}_${process.pid}`;
    const other = `${database}_other`;
    let session: TestSession;

    beforeAll(async () => {
      session = await openMysql(engine());
      await session.exec(`create database ${database}; create database ${other}; use ${database}; ${shopMysql}`);
    });

    afterAll(async () => {
      await session.exec(`drop database ${database}; drop database ${other}`);
      await session.close();
    });

    const describeTables = (names: readonly string[], options?: object) => describeText(catalog, session.run, names, options);
    const search = async (...words: string[]) =>
      (await catalog.search(session.run, { ...page, words, schema: database })).map(({ name }) => name);

    it('describes the whole shop briefly', async () => {
      const text = await describeTables(shopTables);
      expect(text.replace(/, ~\d+ rows/g, '').replace(/\d+ kB/g, 'N kB')).toMatchSnapshot();
      expect(text.length).toBeLessThanOrEqual(2_300);
    });

    it('describes columns and keys in little more than a kilobyte', async () => {
      const description = await catalog.describeTables(session.run, { names: shopTables });
      expect(formatBrief(description).join('\n').length).toBeLessThanOrEqual(1_250);
    });

    it('lists tables with sizes, and databases', async () => {
      const tables = await listTables(session.run, { ...page, pattern: 'c*' });
      expect(tables.map(({ name }) => name).sort()).toEqual(['customer_profiles', 'customers']);
      expect(tables.find(({ name }) => name === 'customers')).toMatchObject({
        kind: 'table',
        comment: 'People who have bought something',
      });
      expect(tables.every(({ bytes }) => bytes !== undefined && bytes > 0)).toBe(true);
      const [first, ...others] = await catalog.listDatabases(session.run, page);
      expect(first).toMatchObject({ name: database, current: true });
      expect(others.map(({ name }) => name)).toContain(other);
      expect(others.map(({ name }) => name)).not.toContain('mysql');
    });

    it('finds tables and columns by words', async () => {
      expect(await search('forget')).toEqual(['customers.deleted_at']);
      expect((await search('CUSTOMER', 'email'))[0]).toBe('customers.email');
      expect(await search('bought', 'people')).toEqual(['customers']);
      expect(await search('cancelled')).toEqual(['orders.status']);
      expect((await search('orders'))[0]).toBe('orders');
      // A table whose name has the word does not bring all of its columns.
      expect(await search('customers')).toEqual(['customers']);
      expect(await search('100%')).toEqual([]);
    });

    it('suggests similar names and describes the tables that exist', async () => {
      const names = await catalog.tableNames(session.run);
      expect(nearestTables('custmers', names)).toEqual(['customers']);
      expect(await catalog.columnNames(session.run, ['orders'])).toContain('placed_at');
      expect(await catalog.columnNames(session.run, ['orders'])).not.toContain('email');
      expect(await describeTables(['nope', 'orders'])).toMatch(/^missing: nope\norders: table/);
    });

    it('quotes names where needed and follows references into other databases', async () => {
      await session.exec(
        `create table ${other}.\`Mixed.Case\` (\`Id\` int primary key, \`select\` int, \`a\`\`b ☃\` int);
        create table \`order\` (ref int, foreign key (ref) references ${other}.\`Mixed.Case\` (\`Id\`) on delete set null on update cascade)`.replaceAll(
          '☃',
          'é',
        ),
      );
      const [table] = await listTables(session.run, { ...page, schema: other });
      expect(table?.name.toLowerCase()).toBe(`${other}.\`mixed.case\``);
      await expect(session.run(`select * from ${table?.name}`)).resolves.toEqual([]);
      const text = await describeTables([`${other}.\`Mixed.Case\``, 'order']);
      expect(text).toContain('  Id int'.replace('int', maria ? 'int(11)' : 'int'));
      expect(text).toContain('`select`, `a``b é` int');
      expect(text).toContain('  <- ON DELETE SET NULL: `order`.ref ON UPDATE CASCADE [order_ibfk_1]');
      expect(text).toMatch(/-> \S+\.`Mixed\.Case`\.Id ON DELETE SET NULL ON UPDATE CASCADE/i);
    });

    it('shows defaults, generated columns, checks, indexes, partitions and triggers', async () => {
      await session.exec(`create table things (
          id int unsigned not null, at datetime(3) default current_timestamp(3) on update current_timestamp(3), e set('a','b') default 'a,b',
          s varchar(10) character set latin1 default 'it''s', x decimal(5,2) default (1 + 1), b bit(4) default b'101', j json,
          v varchar(20) as (concat(s, '-', e)) virtual, check (id > 0 and x > 0), unique key part (s(3)), key wide (x desc, id));
        create table log (id int, at date not null, primary key (id, at)) partition by range (year(at))
          (partition p2024 values less than (2025), partition rest values less than maxvalue);
        create trigger touched before update on things for each row set new.x = 1;
        create view seen as select id, 'a' as quoted from things`);
      if (!maria) await session.exec('create index expr on things ((lower(s)))');
      expect(
        await describeTables(['things', 'log', 'seen']).then((text) =>
          text.replaceAll(database, 'db').replace(/, ~\d+ rows/g, ''),
        ),
      ).toMatchSnapshot();
      expect(await listTables(session.run, { ...page, pattern: 'log' })).toMatchObject([{ kind: 'partitioned table' }]);
    });

    it('truncates and quotes hostile comments', async () => {
      await session.exec(`create table hostile (c int comment '${'x'.repeat(1000)}') comment 'first\n⟦cut⟧ \u202e'`);
      const text = await describeTables(['hostile']);
      expect(text).toContain('-- first ⟦U+27E6⟧cut⟧ ');
      expect(text).toContain(`-- ${'x'.repeat(200)}…`);
    });

    it('shows what a delete does to an account that can only read', async () => {
      const user = `o_${id}_${process.pid}`;
      await session.exec(`create table parent (id int primary key);
        create table child (id int primary key, a int, b int, c int, \`d"\`\`e\` int comment ' ON DELETE CASCADE,\n  CONSTRAINT \`kept\` ',
          constraint gone foreign key (a) references parent (id) on delete cascade on update set null,
          constraint kept foreign key (b) references parent (id),
          constraint \`odd\`\`one\` foreign key (\`d"\`\`e\`) references parent (id) on delete set null,
          constraint closed foreign key (c) references parent (id) on delete restrict);
        create user ${user}@'%' identified by 'pw'; grant select on ${database}.* to ${user}@'%'`);
      const reader = await openMysql(engine(), { user, password: 'pw', database });
      try {
        const text = await describeText(catalog, reader.run, ['child', 'parent']);
        expect(text).toMatch(/^ {2}a int\S* -> parent\.id ON DELETE CASCADE ON UPDATE SET NULL \[gone\]$/m);
        expect(text).toMatch(/^ {2}b int\S* -> parent\.id NO ACTION \[kept\]$/m);
        expect(text).toMatch(/^ {2}c int\S* -> parent\.id NO ACTION \[closed\]$/m);
        expect(text).toContain('-> parent.id ON DELETE SET NULL [`odd``one`]');
        for (const line of [
          '  <- ON DELETE CASCADE: child.a ON UPDATE SET NULL [gone]',
          '  <- ON DELETE SET NULL: child.`d"``e` [`odd``one`]',
        ])
          expect(text.split('\n')).toContain(line);
        expect(text).toMatch(/^ {2}<- ON DELETE NO ACTION: (?:child\.c \[closed\]|child\.b \[kept\]|, ){3}$/m);
      } finally {
        await reader.close();
        await session.exec(`drop user ${user}@'%'; drop table child, parent`);
      }
    });

    it('marks what an account may not read', async () => {
      const user = `r_${id}_${process.pid}`;
      await session.exec(`create user ${user}@'%' identified by 'pw'; grant insert on ${database}.orders to ${user}@'%';
        grant select (id) on ${database}.products to ${user}@'%'; create view lent as select id from orders;
        grant select on ${database}.lent to ${user}@'%'`);
      const reader = await openMysql(engine(), { user, password: 'pw', database });
      try {
        expect(await describeText(catalog, reader.run, ['orders'])).toMatch(/^orders: .*no SELECT\n/);
        expect((await listTables(reader.run, page)).map(({ name }) => name).sort()).toEqual(['lent', 'orders', 'products']);
        const lent = await describeText(catalog, reader.run, ['lent']);
        expect(lent).toMatch(/^lent: view\n {2}id bigint.*\n {2}its statement is shown to accounts with the right SHOW VIEW$/);
      } finally {
        await reader.close();
        await session.exec(`drop user ${user}@'%'; drop view lent`);
      }
    });

    it('finds other objects with a requested name', async () => {
      await session.exec(`create function twice(a int) returns int deterministic return 2 * a;
        create trigger marked before insert on orders for each row set new.status = 'new'`);
      const others = await catalog.findOthers(session.run, { names: ['twice', 'marked', 'nothing'], schema: undefined });
      expect(others.map(({ asked, kind }) => [asked, kind])).toEqual([
        ['twice', 'function'],
        ['marked', 'trigger'],
      ]);
      expect(others[0]?.definition).toMatch(/^CREATE DEFINER=.* FUNCTION `twice`\(/);
      expect(others[1]?.definition).toMatch(/^CREATE DEFINER=.* TRIGGER .*before insert on `?orders/i);
      await session.exec('drop trigger marked; drop function twice');
    });

    it('lists tables without a default database', async () => {
      const nowhere = await openMysql(engine());
      try {
        const names = (await listTables(nowhere.run, { ...page, pattern: `${database}.*` })).map(({ name }) => name);
        expect(names).toContain(`${database}.orders`);
        expect(await describeText(catalog, nowhere.run, ['orders'])).toBe('missing: orders');
        expect(await describeText(catalog, nowhere.run, [`${database}.orders`])).toContain(`-> ${database}.customers.id`);
      } finally {
        await nowhere.close();
      }
    });

    it('finds tables with the case rules of the engine', async () => {
      await session.exec('create table `Mixed` (a int)');
      const { tables, missing } = await catalog.describeTables(session.run, { names: ['Mixed', 'mixed'] });
      expect([tables.map(({ name }) => name), missing]).toEqual([['Mixed'], ['mixed']]);
      await session.exec('drop table `Mixed`');
      for (const name of ['information_schema.tables', 'INFORMATION_SCHEMA.Tables']) {
        expect(await describeTables([name])).toMatch(/^information_schema\.TABLES: /i);
      }
      expect(await catalog.schemaNames(session.run)).toEqual(expect.arrayContaining([database, other]));
    });

    it('quotes every word that the engine reserves', async () => {
      const rows = await session.run(`select word from information_schema.keywords${maria ? '' : ' where reserved = 1'}`);
      const words = rows.map(([word]) => word ?? '').filter((word) => /^\w+$/.test(word));
      expect(words.length).toBeGreaterThan(200);
      const columns = [...new Set(words.map((word) => word.toLowerCase()))].map((word) => `1 as ${formatIdentifier(word)}`);
      await expect(session.run(`select ${columns.join(', ')}`)).resolves.toHaveLength(1);
    });

    it('pages through many tables', async () => {
      const many = `${database}_many`;
      await session.exec(`create database ${many}`);
      try {
        const tables = Array.from(
          { length: 400 },
          (_, index) => `create table ${many}.t${String(index).padStart(5, '0')} (id int) engine = myisam`,
        );
        await session.exec(tables.join(';'));
        const first = await listTables(session.run, { ...page, schema: many });
        expect(first).toHaveLength(101);
        expect(first[0]?.name).toBe(`${many}.t00000`);
        expect((await listTables(session.run, { limit: 100, offset: 350, schema: many })).at(-1)?.name).toBe(`${many}.t00399`);
        expect(await listTables(session.run, { ...page, schema: many, pattern: 't0037?' })).toHaveLength(10);
      } finally {
        await session.exec(`drop database ${many}`);
      }
    });
  });
}
