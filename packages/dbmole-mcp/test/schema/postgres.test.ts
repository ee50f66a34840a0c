import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../src/catalog/catalog.ts';
import { nearestTables } from '../../src/catalog/nearest-tables.ts';
import { formatBrief } from '../../src/catalog/schema-text.ts';
import { catalog } from '../../src/engines/postgres/catalog/catalog.ts';
import { shopPostgres, shopTables } from '../fixtures/shop-postgres.ts';
import { openPostgres, type TestSession } from './catalog-run.ts';
import { describeText } from './describe-lines.ts';

const listTables = async (...args: Parameters<typeof catalog.listTables>) => (await catalog.listTables(...args)).shown;

const page = { limit: 100, offset: 0 };

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    const database = `schema_${id}_${process.pid}`;
    let admin: TestSession;
    let session: TestSession;

    beforeAll(async () => {
      admin = await openPostgres(engine());
      await admin.exec(`create database ${database}`);
      session = await openPostgres(engine(), { database });
      await session.exec(`${shopPostgres}; analyze customers`);
    });

    afterAll(async () => {
      await session.close();
      await admin.exec(`drop database ${database} with (force)`);
      await admin.close();
    });

    const describeTables = (names: readonly string[], options?: object) => describeText(catalog, session.run, names, options);
    const listed = async (filter: object = {}) => await listTables(session.run, { ...page, ...filter });

    describe('the shop', () => {
      it('is described completely in few words', async () => {
        const text = await describeTables(shopTables);
        expect(text.replace(/\d+ kB/g, 'N kB').replace(/, ~\d+ rows/g, '')).toMatchSnapshot();
        expect(text.length).toBeLessThanOrEqual(2_300);
      });

      it('takes less than a kilobyte when columns and keys are enough', async () => {
        const description = await catalog.describeTables(session.run, { names: shopTables });
        const text = formatBrief(description).join('\n');
        expect(text).toMatchSnapshot();
        expect(text.length).toBeLessThanOrEqual(1_024);
      });

      it('is listed with sizes, and with row counts where statistics exist', async () => {
        const tables = await listed();
        expect(tables.map(({ name }) => name)).toEqual([...shopTables].sort());
        expect(tables.find(({ name }) => name === 'customers')).toMatchObject({
          kind: 'table',
          rows: 0,
          comment: 'People who have bought something',
        });
        expect(tables.find(({ name }) => name === 'orders')).toMatchObject({ rows: undefined, rights: undefined });
        expect(tables.every(({ bytes }) => bytes !== undefined && bytes > 0)).toBe(true);
      });

      it('is found by words in names, comments and enum values', async () => {
        const search = async (...words: string[]) =>
          (await catalog.search(session.run, { ...page, words })).map(({ name }) => name);
        expect(await search('forget')).toEqual(['customers.deleted_at']);
        expect((await search('CUSTOMER', 'email'))[0]).toBe('customers.email');
        expect(await search('bought', 'people')).toEqual(['customers']);
        expect(await search('cancelled')).toContain('order_status');
        expect((await search('orders'))[0]).toBe('orders');
        // A table whose name has the word does not bring all of its columns.
        expect(await search('customers')).toEqual(['customers']);
        expect(await search('100%')).toEqual([]);
        expect((await search('e')).length).toBeGreaterThan((await search('email')).length);
      });

      it('offers what is near', async () => {
        const names = await catalog.tableNames(session.run);
        expect(nearestTables('custmers', names)).toEqual(['customers']);
        expect(nearestTables('public.order_item', names)[0]).toBe('order_items');
        expect(await catalog.columnNames(session.run, ['orders'])).toContain('placed_at');
        expect(await catalog.columnNames(session.run, ['orders'])).not.toContain('email');
      });

      it('says which names do not exist, and describes the others', async () => {
        expect(await describeTables(['nope', 'orders', 'other.orders'])).toMatch(
          /^missing: nope\nmissing: other\.orders\norders: table/,
        );
      });
    });

    it('lists databases, this one first', async () => {
      const databases = await catalog.listDatabases(session.run, page);
      expect(databases[0]).toMatchObject({ name: database, current: true });
      expect(databases[0]?.bytes).toBeGreaterThan(1_000_000);
      expect(databases.map(({ name }) => name)).not.toContain('template0');
    });

    it('shows names as they have to be written', async () => {
      await session.exec(`create schema "Odd Names"; create table "Odd Names"."Mixed.Case" ("Id" int primary key, "select" text, "naïve ☃" int);
        create table "Odd Names"."order" (ref int references "Odd Names"."Mixed.Case")`);
      const names = (await listed({ schema: 'Odd Names' })).map(({ name }) => name);
      expect(names).toEqual(['"Odd Names"."Mixed.Case"', '"Odd Names"."order"']);
      for (const name of names) await expect(session.run(`select * from ${name}`)).resolves.toEqual([]);
      expect(await describeTables(names)).toContain(
        '\n  "Id" integer PK\n  "select" text?\n  "naïve ☃" integer?\n  <- ON DELETE NO ACTION: "Odd Names"."order".ref',
      );
      expect(await describeTables(['order'], { schema: 'Odd Names' })).toContain('ref integer? -> "Odd Names"."Mixed.Case"."Id"');
      expect(await describeTables(['Mixed.Case'], { schema: 'Odd Names' })).toContain('"Mixed.Case": table');
    });

    it('follows references both ways and across schemas, and says which other tables have the same name', async () => {
      await session.exec(`create schema one; create schema two;
        create table one.parent (a int, b int, code text unique, primary key (a, b));
        create table two.child (x int, y int, code text references one.parent (code) on update cascade deferrable,
          foreign key (x, y) references one.parent (a, b) on delete set null);
        create table two.parent (id int)`);
      const text = await describeTables(['one.parent', 'two.child', 'parent']);
      expect(text).toContain(
        '  <- ON DELETE SET NULL: two.child(x, y) [child_x_y_fkey]\n' +
          '  <- ON DELETE NO ACTION: two.child.code -> code ON UPDATE CASCADE DEFERRABLE [child_code_fkey]',
      );
      expect(text).toContain('code text? -> one.parent.code ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE [child_code_fkey]');
      expect(text).toContain('(x, y) -> one.parent(a, b) ON DELETE SET NULL');
      expect(text).toContain('not to be confused with two.parent');
    });

    it('shows the partitions of a table', async () => {
      await session.exec(`create schema parts; create table parts.log (at date not null, n int) partition by range (at);
        create table parts.log_2024 partition of parts.log for values from ('2024-01-01') to ('2025-01-01');
        create table parts.log_rest partition of parts.log default;
        insert into parts.log select '2024-05-05', 1 from generate_series(1, 500); analyze parts.log, parts.log_2024`);
      expect(await listed({ schema: 'parts' })).toMatchObject([{ name: 'parts.log', kind: 'partitioned table (2)', rows: 500 }]);
      expect(await listed({ schema: 'parts', pattern: 'log_*' })).toHaveLength(2);
      const text = await describeTables(['parts.log', 'parts.log_2024']);
      expect(text).toContain('  PARTITION BY RANGE (at)');
      expect(text).toContain(
        "  partitions: parts.log_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01'); parts.log_rest DEFAULT",
      );
      expect(text).toContain('  partition of parts.log FOR VALUES FROM');
    });

    it('tells tables that inherit from partitions', async () => {
      await session.exec(
        'create schema heirs; create table heirs.base (a int); create table heirs.one (b int) inherits (heirs.base)',
      );
      const text = await describeTables(['heirs.base', 'heirs.one']);
      expect(text).toContain('\n  inherited by heirs.one');
      expect(text).toContain('\n  inherits heirs.base');
      expect(text).not.toContain('partition');
    });

    it('knows domains, arrays, exclusion, covering indexes, triggers, row security', async () => {
      await session.exec(`create schema rich; set search_path = rich, public; create domain positive as int not null default 1 check (value > 0);
        create table rich.things (id positive, tags order_status[], at timestamp(3) with time zone, during tsrange, price numeric(8,2),
          unique (id) include (price), exclude using gist (during with &&));
        create index things_price on rich.things (price desc nulls last, (id + 1)) where at > '2024-01-01';
        create function rich.touch() returns trigger language plpgsql as 'begin return new; end';
        create trigger touched before update on rich.things for each row execute function rich.touch();
        alter table rich.things enable row level security; create view rich.seen as select id, 'a''b' as quoted from rich.things;
        create materialized view rich.kept as select 1 as one with no data`);
      const text = await describeTables(['things', 'seen', 'kept']);
      await session.exec('reset search_path');
      expect(text).toMatchSnapshot();
    });

    it('bounds and shows hostile comments', async () => {
      await session.exec(`create schema hostile; create table hostile.t ("a
b" int, c int);
        comment on table hostile.t is E'first\\n⟦cut⟧ second\\u202E';
        do $$ begin execute format('comment on column hostile.t.c is %L', repeat('x', 1000000)); end $$`);
      const text = await describeTables(['hostile.t']);
      expect(text).toContain('-- first ⟦U+27E6⟧cut⟧ second');
      expect(text).toContain('"a⟦U+000A⟧b" integer?');
      expect(text).toContain(`  c integer? -- ${'x'.repeat(200)}…`);
      expect((await catalog.search(session.run, { ...page, words: ['xxxx'], schema: 'hostile' }))[0]?.detail.length).toBeLessThan(
        300,
      );
      expect((await listed({ schema: 'hostile' }))[0]?.comment?.length).toBeLessThan(250);
    });

    it('shows what an account may not read, with a mark', async () => {
      const user = `reader_${id}_${process.pid}`;
      await session.exec(`create role ${user} login password 'pw'; create schema closed; create table closed.secret (a int, b int);
        create table closed.half (a int, b int); grant usage on schema closed to ${user}; grant select (a) on closed.half to ${user}`);
      const reader = await openPostgres(engine(), { database, user, password: 'pw' });
      try {
        expect(await listTables(reader.run, { ...page, schema: 'closed' })).toMatchObject([
          { name: 'closed.half', rights: 'SELECT on some columns only' },
          { name: 'closed.secret', rights: 'no SELECT' },
        ]);
        expect(await describeText(catalog, reader.run, ['closed.secret'])).toMatch(/no SELECT\n {2}a, b integer\?/);
        const databases = await catalog.listDatabases(reader.run, page);
        expect(databases[0]?.name).toBe(database);
      } finally {
        await reader.close();
        await session.exec(`drop owned by ${user}; drop role ${user}`);
      }
    });

    it('knows foreign tables', async () => {
      await session.exec(`create schema away; create extension postgres_fdw; create server other foreign data wrapper postgres_fdw;
        create foreign table away.there (id int) server other options (table_name 'real')`);
      expect(await listed({ schema: 'away' })).toMatchObject([
        { name: 'away.there', kind: 'foreign table', rows: undefined, bytes: undefined },
      ]);
      expect(await describeTables(['away.there'])).toContain('  foreign server other (table_name=real)');
    });

    it('lists while a table is locked exclusively', async () => {
      await session.exec('create schema held; create table held.t (a int)');
      const other = await openPostgres(engine(), { database });
      try {
        await other.exec('begin; lock table held.t');
        await session.exec("set lock_timeout = '2s'");
        expect(await listed({ schema: 'held' })).toMatchObject([{ name: 'held.t', bytes: undefined }]);
      } finally {
        await other.close();
        await session.exec('reset lock_timeout');
      }
    });

    it('pages through ten thousand tables', async () => {
      const other = `${database}_many`;
      await admin.exec(`create database ${other}`);
      const many = await openPostgres(engine(), { database: other });
      try {
        // Few enough in one transaction for the server's table of locks.
        for (let from = 0; from < 10_000; from += 1_000) {
          await many.exec(
            `do $$ begin for i in ${from}..${from + 999} loop execute format('create table t%s (id int, customer_id int)', lpad(i::text, 5, '0')); end loop; end $$`,
          );
        }
        const started = performance.now();
        const first = await listTables(many.run, page);
        expect(performance.now() - started).toBeLessThan(2_000);
        expect(first).toHaveLength(101);
        expect(first[0]?.name).toBe('t00000');
        expect((await listTables(many.run, { limit: 100, offset: 9_950 })).at(-1)?.name).toBe('t09999');
        expect(await listTables(many.run, { ...page, pattern: 't0777?' })).toHaveLength(10);
        expect(await catalog.search(many.run, { ...page, words: ['customer'] })).toHaveLength(101);
        for (const without of lacks) expect((await catalog.listTables(many.run, { ...page, without })).total).toBe(10_000);
        expect(await catalog.foreignKeys(many.run)).toEqual([]);
        expect(await catalog.search(many.run, { ...page, words: ['int4', 't07777'] })).toHaveLength(2);
        expect(nearestTables('t0777x', await catalog.tableNames(many.run))).toHaveLength(3);
      } finally {
        await many.close();
        await admin.exec(`drop database ${other}`);
      }
    });
  });
}
