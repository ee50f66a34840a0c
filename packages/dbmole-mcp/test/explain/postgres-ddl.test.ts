import { useEngine } from '@dbmole/engines';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DdlReport } from '../../src/ddl/ddl-report.ts';
import { ddl } from '../../src/engines/postgres/ddl/ddl.ts';
import { lockModes, works } from '../../src/engines/postgres/ddl/lock-modes.ts';
import { runDirect } from '../direct.ts';
import { openPostgres, type TestSession } from '../schema/catalog-run.ts';
import { moreStatements } from './more-statements.ts';
import { fixture, statements } from './postgres-fixture.ts';

type Locks = Record<string, string>;

interface Observed {
  /** The strongest lock on each relation that was there before. */
  locks: Locks;
  rewritten: readonly string[];
  scanned: readonly string[];
}

const order = Object.keys(lockModes);
const strongest = (locks: readonly (readonly [string, string])[]): Locks => {
  const sorted = locks.toSorted(([, a], [, b]) => order.indexOf(a) - order.indexOf(b));
  return Object.fromEntries(sorted);
};

/** What the report says of relations: the strongest lock of all actions on each. */
function readLocks({ effects }: DdlReport): Locks {
  const found = effects.flatMap(({ lock = '' }) => [...lock.matchAll(/([A-Z ]+) on ([\w.]+): /g)]);
  return strongest(found.map(([, mode = '', name = '']) => [name, mode.trim()] as const));
}

const hasWork = ({ effects }: DdlReport, ...wanted: (keyof typeof works)[]) =>
  effects.some(({ work }) => wanted.some((name) => works[name] === work));

const stateSql = `select c.oid::regclass::text, c.oid::text, pg_relation_filenode(c.oid)::text, pg_stat_get_xact_numscans(c.oid)::text
  from pg_class c where c.relnamespace in ('public'::regnamespace, 'other'::regnamespace) and c.relkind in ('r', 'm', 'p', 'v', 'S') and c.relname not like '%\\_seq'`;
const locksSql = `select l.relation::text, regexp_replace(l.mode, 'Lock$', '') from pg_locks l where l.pid = $1::int and l.locktype = 'relation'`;
const isLockedWithIt = /partitions? (?:of \w+ )?(?:are|is) locked as well/;
const toWords = (mode: string) => mode.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase();

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(`what explain says of DDL on ${id}`, () => {
    const engine = useEngine(id, { shared: true });
    const database = `ddl_${process.pid}`;
    let session: TestSession;
    let other: pg.Client;

    beforeAll(async () => {
      await runDirect(engine(), [`create database ${database}`]);
      session = await openPostgres(engine(), { database });
      for (const sql of fixture) await session.exec(sql);
      const { host, port, user, password } = engine();
      other = new pg.Client({ host, port, user, password, database });
      await other.connect();
    });
    afterAll(async () => {
      await session.close();
      await other.end();
      await runDirect(engine(), [`drop database ${database}`]);
    });

    const explain = (sql: string) => ddl.explain(session.run, sql);

    /** Undefined where this version has no such statement. */
    async function observe(sql: string): Promise<Observed | undefined> {
      await session.exec('begin');
      try {
        const [pid] = (await session.run('select pg_backend_pid()'))[0] ?? [];
        const before = await session.run(stateSql);
        await session.exec(sql);
        const held = await session.run(locksSql, [pid ?? '']);
        const after = new Map((await session.run(stateSql)).map(([, oid, file, scans]) => [oid, { file, scans }]));
        const names = new Map(before.map(([name, oid]) => [oid, name ?? '']));
        const changed = (test: (row: readonly (string | null)[]) => boolean) => before.filter(test).map(([name]) => name ?? '');
        return {
          locks: strongest(
            held.flatMap(([oid, mode]) => {
              const name = names.get(oid ?? '');
              return name === undefined ? [] : [[name, toWords(mode ?? '')] as const];
            }),
          ),
          rewritten: changed(([, oid, file]) => file !== null && after.has(oid ?? '') && after.get(oid ?? '')?.file !== file),
          scanned: changed(([, oid, , scans]) => Number(after.get(oid ?? '')?.scans ?? 0) > Number(scans ?? 0)),
        };
      } catch (error) {
        if (/syntax error|does not exist/.test(String(error))) return undefined;
        throw error;
      } finally {
        await session.exec('rollback');
      }
    }

    /** Partitions and children of a table, which a statement about it reaches. */
    const treeOf: Readonly<Record<string, string>> = { part1: 'whole', rest: 'withdefault', t: 'parent2' };

    it.each([...statements, ...moreStatements])('is true of locks, rewrites and scans: %s', async (sql) => {
      const report = await explain(sql);
      const observed = await observe(sql);
      if (observed === undefined) {
        expect(report.effects.map(({ lock }) => lock)).toEqual([undefined]);
        return;
      }
      const said = readLocks(report);
      expect(report.effects.length).toBeGreaterThan(0);
      for (const [name, mode] of Object.entries(said)) expect([name, mode]).toEqual([name, observed.locks[name]]);
      // Beside those that are named, nothing is locked but as by a read, or by what the notes say.
      const notes = report.effects.flatMap((effect) => effect.notes).join('\n');
      const isSaid = (name: string) => said[name] !== undefined || notes.includes(name) || isLockedWithIt.test(notes);
      for (const [name, mode] of Object.entries(observed.locks).filter(([locked]) => !isSaid(locked)))
        expect([name, mode]).toEqual([name, expect.stringMatching(/^(?:ACCESS SHARE|ROW SHARE|ROW EXCLUSIVE)$/)]);
      const parts = Object.entries(treeOf).flatMap(([part, whole]) => (said[whole] === undefined ? [] : [part]));
      if (isLockedWithIt.test(notes)) expect(parts.some((part) => observed.locks[part] !== undefined)).toBe(true);
      const tables = [...Object.keys(said), ...parts];
      const touched = (names: readonly string[]) => names.filter((name) => tables.includes(name) && name !== 'sq').length > 0;
      expect(touched(observed.rewritten)).toBe(hasWork(report, 'rewrite', 'empty', 'copy', 'refresh'));
      // Of a partition, an index that is like the new one is taken over; a default partition is scanned, as the notes say.
      const scanned = observed.scanned.filter((name) => !notes.includes(`${name} is locked with ACCESS EXCLUSIVE and scanned`));
      if (!touched(observed.rewritten) && !/on all partitions/.test(report.effects[0]?.action ?? ''))
        expect(touched(scanned)).toBe(hasWork(report, 'scan', 'index', 'reindex', 'diff'));
    });

    /** These cannot run in a transaction, so they wait for another session while their lock is read. */
    it.each([
      ['create index concurrently i8 on t (b)', 'row exclusive'],
      ['drop index concurrently ub', 'row exclusive'],
      ['reindex index concurrently ua', 'row exclusive'],
      ['reindex (concurrently) table t', 'row exclusive'],
      ['vacuum t', 'share'],
      ['vacuum full t', 'access share'],
      ['vacuum (full) t', 'access share'],
      ['alter table whole detach partition part1 concurrently', 'share update exclusive'],
    ])('is true of the lock of %s', async (sql, held) => {
      const report = await explain(sql);
      const table = sql.includes('whole') ? 'whole' : 't';
      await other.query('begin');
      await other.query(`lock table ${table} in ${held} mode`);
      expect((await explain(sql)).inTheWay.join('\n')).toMatch(
        sql.includes('vacuum') ? /pid \d+ .*idle in transaction .*; it holds \w+ on t$/ : /^|older/,
      );
      const pid = await session.run('select pg_backend_pid()');
      const running = session.exec(sql).catch(() => undefined);
      try {
        await vi.waitFor(
          async () => {
            const { rows } = await other.query<{ mode: string }>({
              text: `select regexp_replace(mode, 'Lock$', '') as mode from pg_locks where pid = $1 and relation = $2::regclass`,
              values: [Number(pid[0]?.[0]), table],
            });
            expect(rows.map(({ mode }) => toWords(mode))).toContain(readLocks(report)[table]);
          },
          { timeout: 20_000, interval: 50 },
        );
        await other.query('select pg_cancel_backend($1)', [Number(pid[0]?.[0])]);
      } finally {
        // A cancellation can be too early, so what it waits for ends as well.
        await other.query('rollback');
        await running;
      }
    });

    it('names the sessions in the way, and how to wait for them safely', async () => {
      await other.query('begin');
      await other.query('update t set b = b where id = 1');
      try {
        const report = await explain('alter table t add column z int');
        expect(report.inTheWay).toEqual([
          expect.stringMatching(
            /^pid \d+ \(postgres@ddl_\d+\), idle in transaction for .*: update t set .*; it holds RowExclusiveLock on t$/,
          ),
        ]);
        expect(report.notes.join()).toContain("SET lock_timeout = '2s'");
        expect((await explain('alter table t validate constraint cnv')).inTheWay).toEqual([]);
        expect((await explain('create index concurrently i7 on t (b)')).inTheWay.length).toBeLessThan(2);
      } finally {
        await other.query('rollback');
      }
      expect((await explain('alter table t add column z int')).inTheWay).toEqual([]);
    });

    it('does not wait for a table that is locked', async () => {
      await other.query('begin');
      await other.query('lock table t in access exclusive mode');
      const report = await explain('alter table t add column z int default random()');
      await other.query('rollback');
      expect(report.objects).toEqual([expect.stringMatching(/^t: table, about 1000 rows, \d+ [kM]B/)]);
      expect(report.effects[0]?.action).toBe('ADD COLUMN z (volatile default)');
    });

    it('says what it does not know, and what would fail', async () => {
      const text = async (sql: string) => JSON.stringify(await explain(sql));
      expect(await text('alter table t set (user_catalog_table = true)')).toContain(
        '"effects":[{"action":"SET REL OPTIONS","notes":',
      );
      expect(await text('create function f() returns int language sql as $$ select 1 $$')).toContain('CREATE FUNCTION');
      expect(await text('alter table missing add column a int')).toContain('missing: not found in this database');
      for (const sql of ['alter policy po0 on t using (a > 0)', 'alter policy po0 on t rename to po1', 'drop policy po0 on t'])
        expect(await text(sql)).toContain('"lock":"ACCESS EXCLUSIVE on t: blocks reads and writes"');
      expect(await text('alter table t drop constraint missing')).toContain('t has no constraint missing; it would fail');
      expect(await text('alter table t add column b int')).toContain('t already has a column b; it would fail');
    });

    it('names the views that a column or a table cannot be changed under', async () => {
      const text = async (sql: string) => JSON.stringify(await explain(sql));
      expect(await text('alter table parent alter column id type numeric')).toContain('vw uses it, so this fails: drop it first');
      expect(await text('alter table parent drop column id')).toContain(
        'vw uses it: without CASCADE this fails, with CASCADE it is',
      );
      expect(await text('drop table parent')).toContain('vw uses it: without CASCADE this fails');
      expect(await text('alter table t drop column b')).not.toContain('CASCADE');
      await expect(session.exec('alter table parent alter column id type numeric')).rejects.toThrow('used by a view');
      await expect(session.exec('drop table parent')).rejects.toThrow('depend');
    });

    it('names a foreign key as the server would', async () => {
      expect(JSON.stringify(await explain('alter table t add foreign key (b) references parent'))).toContain(
        'ADD CONSTRAINT t_b_fkey FOREIGN KEY (b)',
      );
    });

    it('rejects two statements, and what does not parse', async () => {
      await expect(explain('drop table a; drop table b')).rejects.toThrow('the text has several statements');
      await expect(explain('alter tabel t add column z int')).rejects.toThrow('syntax error at or near "tabel"');
    });
  });
}
