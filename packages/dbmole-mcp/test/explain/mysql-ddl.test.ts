import { Failure } from '@dbmole/core';
import { type ServerId, useEngine } from '@dbmole/engines';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DdlReport } from '../../src/ddl/ddl-report.ts';
import { ddl } from '../../src/engines/mysql/ddl/ddl.ts';
import { openMysql, type TestSession } from '../schema/catalog-run.ts';
import { formsOfTables, partsOnForms, statements } from './mysql-fixture.ts';

/** The best comes first. */
const ladder = [
  ['INSTANT', undefined],
  ['NOCOPY', 'NONE'],
  ['INPLACE', 'NONE'],
  ['INPLACE', 'SHARED'],
  ['COPY', 'NONE'],
  ['COPY', 'SHARED'],
] as const;

/** The clauses that the report recommends. */
function readClauses({ notes }: DdlReport): [algorithm: string, lock: string | undefined] {
  const [, algorithm = '', lock] =
    /ALGORITHM=(\w+)(?:, LOCK=(\w+))? (?:the server refuses|is possible)/.exec(notes.join('\n')) ?? [];
  return [algorithm, lock];
}

const engines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011', 'mariadb118'];

for (const id of engines) {
  const isMaria = id.startsWith('mariadb');
  describe(`what explain says of DDL on ${id}`, () => {
    const engine = useEngine(id, { shared: true });
    const database = `ddl_${id}_${process.pid}`;
    let session: TestSession;

    beforeAll(async () => {
      session = await openMysql(engine());
      await session.exec(
        `create database ${database} character set utf8mb4; use ${database}; create table par (id int primary key); insert into par values (1), (2)`,
      );
    });
    afterAll(async () => {
      await session.exec(`drop database ${database}`);
      await session.close();
    });

    const explain = (sql: string) =>
      ddl.explain(async (text, params) => {
        try {
          return await session.run(text, params);
        } catch (error) {
          throw new Failure('engine', String(error), { engineCode: '1109', cause: error });
        }
      }, sql);

    async function create(form: string): Promise<void> {
      await session.exec(`drop table if exists t, t9; ${formsOfTables[form] ?? ''}`);
    }

    async function readTableId(): Promise<string | null | undefined> {
      const view = isMaria ? 'innodb_sys_tables' : 'innodb_tables';
      return (await session.run(`select table_id from information_schema.${view} where name = '${database}/t'`))[0]?.[0];
    }

    /** Whether the server takes the statement with these clauses; of an error, only one that speaks of them counts. */
    async function takes(part: string, [algorithm, lock]: readonly [string, string | undefined]): Promise<boolean> {
      const clauses = `algorithm = ${algorithm}${lock === undefined ? '' : `, lock = ${lock}`}`;
      try {
        await session.exec(`alter table t ${part}, ${clauses}`);
        return true;
      } catch (error) {
        if (/ALGORITHM|LOCK=/.test(String(error))) return false;
        throw error;
      }
    }

    async function findBest(part: string): Promise<readonly [string, string | undefined] | undefined> {
      for (const clauses of ladder) {
        const isOther = clauses[0] === 'NOCOPY' && !isMaria;
        if (!isOther && (await takes(part, clauses))) return clauses;
      }
      return undefined;
    }

    /** What is refused changes nothing, so the clauses are tried from the best on. */
    async function compare(form: string, part: string): Promise<void> {
      await create(form);
      const report = await explain(`alter table t ${part}`);
      const said = readClauses(report);
      expect(report.effects.map(({ lock }) => lock)).not.toContain(undefined);
      const before = await readTableId();
      const best = await findBest(part);
      expect(said).toEqual([...(best ?? [])]);
      const isRebuilt = report.effects.some(({ work }) => work?.startsWith('rebuilds'));
      if (said[0] === 'INPLACE' && before !== undefined) expect((await readTableId()) !== before).toBe(isRebuilt);
    }

    it.each(statements.filter(({ only = '' }) => id.startsWith(only)).map(({ part }) => part))(
      'is the best that the server takes: %s',
      async (part) => {
        await compare('plain', part);
      },
    );

    it.each(partsOnForms.filter(({ only = '' }) => id.startsWith(only)).map(({ form, part }) => [form, part] as const))(
      'depends on the table: %s, %s',
      async (form, part) => {
        await compare(form, part);
      },
    );

    it('allows a foreign key in place where it is not checked', async () => {
      await create('plain');
      const [{ safer } = { safer: [] }] = (await explain('alter table t add foreign key (p) references par (id)')).effects;
      expect(safer[0]).toContain('foreign_key_checks = 0');
      await session.exec(
        'set foreign_key_checks = 0; alter table t add foreign key (p) references par (id), algorithm = inplace, lock = none; set foreign_key_checks = 1',
      );
    });

    it('reads CREATE INDEX and DROP INDEX like ALTER TABLE', async () => {
      await create('plain');
      const [created] = (await explain('create unique index u on t (a)')).effects;
      const [dropped] = (await explain('drop index ia on t')).effects;
      expect([created?.action, dropped?.action]).toEqual(['ADD UNIQUE u', 'DROP INDEX ia']);
      await session.exec('create unique index u on t (id); drop index ia on t');
    });

    it('names the sessions in the way', async () => {
      await create('plain');
      const { host, port, user, password } = engine();
      const other = await mysql.createConnection({ host, port, user, password, database });
      await other.query('begin');
      await other.query('select * from t');
      const report = await explain('alter table t add column z int').finally(() => other.end());
      // Without a plugin, MariaDB shows transactions alone.
      if (isMaria) expect(report.notes.join('\n')).toContain("INSTALL SONAME 'metadata_lock_info'");
      else expect(report.inTheWay.join('\n')).toMatch(/^session \d+ .*holds SHARED_READ on t$/);
      expect(report.notes.join('\n')).toContain('lock_wait_timeout');
    });

    it('says of its own clauses that they would be refused', async () => {
      await create('plain');
      const { notes } = await explain('alter table t modify b bigint, algorithm=instant');
      expect(notes[0]).toMatch(/^As it is written the server refuses it: the best is ALGORITHM=COPY/);
      expect((await explain('alter table t add column z int, add index (b)')).notes.join()).toContain(
        'in a statement of their own',
      );
    });

    it.each([
      ['truncate table t', 'exclusive metadata lock'],
      ['drop table if exists t, par', 'exclusive metadata lock'],
      ['rename table t to t9', 'exclusive metadata lock'],
      ['optimize table t', 'LOCK=NONE'],
      ['create table n (id int)', 'none on a table'],
      ['alter table t engine=InnoDB', 'LOCK=NONE'],
    ])('knows %s', async (sql, lock) => {
      await create('plain');
      expect((await explain(sql)).effects[0]?.lock).toContain(lock);
    });

    it.each([
      'alter table t exchange partition p with table par',
      'create procedure p() select 1',
      'alter table t modify vg int as (a + 2) virtual',
      'alter table t order by a',
      'alter table t row_format=compact comment="x" auto_increment=5',
    ])('says that it does not know %s', async (sql) => {
      await create('generated');
      const { effects } = await explain(sql);
      expect(effects.map(({ lock, work }) => [lock, work])).toEqual([[undefined, undefined]]);
    });

    it('says what is missing, and rejects two statements', async () => {
      const [{ notes } = { notes: [] }] = (await explain('create trigger tg before insert on t for each row set new.b = 1'))
        .effects;
      expect(notes.join('\n')).not.toContain('ALGORITHM');
      expect((await explain('alter table missing add column a int')).objects[0]).toContain('missing: not found');
      await create('plain');
      expect(JSON.stringify(await explain('alter table t drop column nothing'))).toContain(
        't has no column nothing; it would fail',
      );
      await expect(explain('drop table t; drop table par')).rejects.toThrow('the text has several statements');
    });
  });
}
