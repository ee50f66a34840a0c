import { describe, expect, it } from 'vitest';
import { refuseUnlessRollable } from './dry-run.ts';
import { countsRows, readCommand, readFirstWord, surelyGivesRows } from './statement-kind.ts';

describe('what a statement does', () => {
  it.each([
    ['insert into t values (1)', 'INSERT'],
    ['  \n-- a\n# b\n/* c */ update t set a = 1', 'UPDATE'],
    ['(select 1) union (select 2)', 'SELECT'],
    ['create temporary table t (a int)', 'CREATE TABLE'],
    ["create definer='x'@'%' trigger tr before insert on t for each row set @a = 1", 'CREATE TRIGGER'],
    ['create unique index i on t (a)', 'CREATE INDEX'],
    ['truncate t', 'TRUNCATE'],
    ['drop user x', 'DROP USER'],
    ['grant all on *.* to x', 'GRANT'],
    ['', 'statement'],
  ])('%s', (sql, command) => {
    expect(readCommand(sql)).toBe(command);
  });

  it('finds no first word after an executable comment', () => {
    expect(readFirstWord('/*!50000 DROP */ TABLE t')).toBe('');
    expect(readFirstWord('/*M! DROP */ TABLE t')).toBe('');
    expect(readFirstWord('--drop\n')).toBe('');
  });

  it('finds the first word in linear time', () => {
    const started = performance.now();
    expect(readFirstWord(`${' '.repeat(200_000)}1`)).toBe('');
    expect(readFirstWord(`${'/**/ '.repeat(50_000)}1`)).toBe('');
    expect(readFirstWord(`/*${'/*'.repeat(200_000)}`)).toBe('');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('finds no first word after very many comments', () => {
    expect(readFirstWord(`${'(/* a */'.repeat(100)}SELECT 1`)).toBe('SELECT');
    expect(readFirstWord(`${'(/* a */'.repeat(100_000)}SELECT 1`)).toBe('');
  });

  it.each([
    ['select 1', true],
    [' \n\tSELECT * FROM t', true],
    ['select 1 InTo @x', false],
    ['select /*!50000 into */ 1', false],
    ["select 'pinto'", false],
    ['/*! delete */ select 1', false],
    ['-- a\nselect 1', false],
    ['(select 1)', false],
    ['with a as (select 1) delete from t', false],
    ['selects', false],
  ])('knows whether %s surely returns rows: %s', (sql, isSure) => {
    expect(surelyGivesRows(sql)).toBe(isSure);
  });

  it('knows which statements count rows and which have a dry run', () => {
    expect(['INSERT', 'delete', 'SELECT', 'CREATE TABLE t (a int)'].map(countsRows)).toEqual([true, true, false, false]);
    expect(() => refuseUnlessRollable('WITH a AS (SELECT 1) UPDATE t SET b = 1')).not.toThrow();
    for (const sql of [
      'ALTER TABLE t ADD a INT',
      'LOAD DATA INFILE 1',
      'BEGIN NOT ATOMIC COMMIT; END',
      "SELECT 1 INTO DUMPFILE 'x'",
      'SET STATEMENT a=1 FOR DELETE FROM t',
      'CALL p()',
      '',
    ]) {
      expect(() => refuseUnlessRollable(sql), sql).toThrow(expect.objectContaining({ code: 'E_NO_DRY_RUN' }));
    }
  });
});
