import { describe, expect, it } from 'vitest';
import { commandOf, countsRows, firstWordOf, refuseUnlessRollable } from './statement-kind.ts';

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
    expect(commandOf(sql)).toBe(command);
  });

  it('takes comments that the engine executes for what they are: unknown', () => {
    expect(firstWordOf('/*!50000 DROP */ TABLE t')).toBe('');
    expect(firstWordOf('/*M! DROP */ TABLE t')).toBe('');
    expect(firstWordOf('--drop\n')).toBe('');
  });

  it('reads the beginning in time that grows with it only', () => {
    const started = performance.now();
    expect(firstWordOf(`${' '.repeat(200_000)}1`)).toBe('');
    expect(firstWordOf(`${'/**/ '.repeat(50_000)}1`)).toBe('');
    expect(firstWordOf(`/*${'/*'.repeat(200_000)}`)).toBe('');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('gives up behind more comments than a statement begins with', () => {
    expect(firstWordOf(`${'(/* a */'.repeat(100)}SELECT 1`)).toBe('SELECT');
    expect(firstWordOf(`${'(/* a */'.repeat(100_000)}SELECT 1`)).toBe('');
  });

  it('knows which ones count rows, and which can be tried out', () => {
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
