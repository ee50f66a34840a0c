import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../testing/at-once.ts';
import { checkRoutine as checkRoutineInSteps } from './routine.ts';

const checkRoutine = (...args: Parameters<typeof checkRoutineInSteps>) => atOnce(checkRoutineInSteps(...args));

const head = 'CREATE DEFINER=`root`@`%` FUNCTION `f`(a decimal(10,2)) RETURNS int(11)\n    DETERMINISTIC\n';

function findUses(body: string, sqlMode = '', comment = ''): string {
  const { tables, calls } = checkRoutine(head + body, { sqlMode, comment });
  return [...tables.map(({ name }) => name), ...calls.map(({ path, name }) => `${[...path, name].join('.')}()`)].join(' ');
}

describe('checkRoutine', () => {
  it.each([
    ['RETURN a + 1', ''],
    ['RETURN (SELECT COUNT(*) FROM t JOIN v ON g(1) = 1)', 't v g()'],
    ['BEGIN DECLARE x INT; SELECT b, c INTO x, y FROM t; RETURN x; END', 't'],
    ['BEGIN CALL p; CALL q(1); CALL a.r(); RETURN 1; END', 'q() a.r() p() q() a.r()'],
    ['BEGIN SET x = 1, SESSION group_concat_max_len = 5, @y = @@global.z; RETURN f(1); END', 'f()'],
    ['BEGIN SET x = REPLACE(y, @@global.datadir, 1), z = IF(a, @@global.b = 2, 3); RETURN 1; END', ''],
    ['BEGIN SELECT function g INTO x FROM q; RETURN g(1); END', 'q g()'],
    ['BEGIN CREATE TEMPORARY TABLE IF NOT EXISTS x (a INT); INSERT INTO a.x (a) SELECT b FROM t; RETURN 1; END', 't'],
    ['BEGIN DECLARE start INT; SET start = 1; IF start > stop THEN RETURN clone; END IF; END', ''],
    ['BEGIN SET role = 1; RETURN 1; END', ''],
    ['BEGIN SET a = 1, role = 2; RETURN 1; END', ''],
    [
      'BEGIN DECLARE restart, shutdown INT; SET restart = 1, shutdown = restart + 1; SET x = restart; RETURN 2 * shutdown; END',
      '',
    ],
    ['BEGIN REPEAT SET i = i + 1; UNTIL (i > g(5)) END REPEAT; RETURN i; END', 'g()'],
    ['BEGIN DO (SELECT 1 FROM t); RETURN until(1); END', 't until()'],
    ['BEGIN IF a THEN RETURN 1; ELSEIF (b) THEN RETURN elsif(1); END IF; END', 'elsif()'],
    ['BEGIN DECLARE c CURSOR (a INT) FOR SELECT 1 FROM t; OPEN c(1); FOR r IN c(g(2)) DO SET x = 1; END FOR; END', 't g()'],
  ])('finds what %s leads to', (body, names) => {
    expect(findUses(body)).toBe(names);
  });

  it.each([
    ['BEGIN DECLARE EXIT HANDLER FOR open CALL p(1); RETURN 1; END', 'p() p()'],
    ['BEGIN DECLARE EXIT HANDLER FOR open p(1); RETURN 1; END', 'p()'],
    ['BEGIN DECLARE EXIT HANDLER FOR NOT FOUND OPEN c(1); RETURN 1; END', ''],
    ['BEGIN p; RETURN 1; END', ''],
    ['BEGIN IF 1 THEN BEGIN END; END IF; SELECT 1 INTO x FROM t, u v; RETURN a > b; END', 't u'],
  ])('finds the calls of handlers and blocks in %s', (body, names) => {
    expect(findUses(body)).toBe(names);
  });

  it('refuses the grammar of sql_mode ORACLE and an executable comment', () => {
    expect(() => findUses('RETURN 1', 'PIPES_AS_CONCAT,ORACLE')).toThrow('sql_mode ORACLE');
    expect(() => findUses('RETURN /*!50000 1 + */ 1')).toThrow('executable comment');
  });

  it('reads the body in its own mode', () => {
    expect(findUses("RETURN CONCAT('\\', g('x'), '')", 'NO_BACKSLASH_ESCAPES')).toBe('g()');
    expect(findUses("RETURN CONCAT('\\', g(', '')")).toBe('');
    expect(() => findUses('RETURN 1', 'NO_BACKSLASH_ESCAPES', "it's")).toThrow(/a comment with quotes/);
    expect(findUses('RETURN 1', '', "it's")).toBe('');
  });

  it.each([
    'SET GLOBAL a = 1',
    'SET a = 1, PERSIST b = 2',
    'SET @@global.a = 1',
    'SET a = 1, @@persist.b := 2',
    'SET a = CONCAT(b, c), @@GLOBAL . d = 2',
    'SET SESSION transaction_read_only = 0',
    'SET @@session.tx_read_only = 0',
    'SET SESSION TRANSACTION READ WRITE',
    'SET ROLE NONE',
    'SET @a = 1, ROLE NONE',
    'SET @a = 1, DEFAULT ROLE NONE FOR x',
    'SET @a = 1, SESSION TRANSACTION READ WRITE',
    'SET sql_slave_skip_counter = 1',
    'SET a = 1, SESSION max_relay_log_size = 8192',
    'SET DEFAULT ROLE NONE TO x',
    'SET STATEMENT a = 1 FOR SELECT 1',
    'SET RESOURCE GROUP x',
    'KILL QUERY 5',
    'SHUTDOWN',
    'RESTART',
    'IF a > (b) THEN SHUTDOWN; END IF',
    'DECLARE CONTINUE HANDLER FOR NOT FOUND RESTART',
    "PURGE BINARY LOGS TO 'x'",
    'STOP SLAVE',
    'START GROUP_REPLICATION',
    'CHANGE MASTER TO MASTER_PORT = 1',
    "CLONE LOCAL DATA DIRECTORY 'x'",
    "BINLOG 'AAAA'",
    "XA START 'x'",
    'LOCK INSTANCE FOR BACKUP',
    "SELECT 1 INTO OUTFILE 'x'",
    "SELECT 1 INTO DUMPFILE 'x'",
    'SELECT 1 INTO x FROM t LOCK IN SHARE MODE',
    'SELECT 1 INTO x FROM t FOR SHARE',
    'CREATE SERVER s FOREIGN DATA WRAPPER mysql',
    'DROP SERVER s',
    'ALTER SERVER s OPTIONS (USER 1)',
    "INSTALL COMPONENT 'x'",
    "IMPORT TABLE FROM 'x'",
    "SET x = GET_LOCK('a', 0)",
    'SET x = LAST_INSERT_ID(5)',
    'SET x = NEXT VALUE FOR s',
    'DECLARE CONTINUE HANDLER FOR NOT FOUND KILL 5',
  ])('refuses %s', (statement) => {
    const check = () => findUses(`BEGIN DECLARE x INT; ${statement}; RETURN 1; END`);
    expect(check).toThrow(Failure);
    expect(check).toThrow(expect.objectContaining({ code: 'E_NOT_A_READ' }));
  });
});
