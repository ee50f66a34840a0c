import { describe, expect, it } from 'vitest';
import { grammar as mysql } from '../engines/mysql/session/grammar.ts';
import { grammar as postgres } from '../engines/postgres/session/grammar.ts';

const engines = { postgres, mysql };
type Case<T> = [engine: keyof typeof engines, sql: string, expected: T];

describe('the words of a statement', () => {
  it.each<Case<string | undefined>>([
    ['postgres', 'begin', 'BEGIN'],
    ['mysql', 'BEGIN WORK;', 'BEGIN'],
    ['mysql', '/* one * two */ # three\n -- four\nstart\n transaction', 'START TRANSACTION'],
    ['postgres', '/* one * two */ -- four\nstart\n transaction', 'START TRANSACTION'],
    ['postgres', 'commit and chain', 'COMMIT'],
    ['mysql', 'rollback to savepoint a', 'ROLLBACK'],
    ['postgres', 'end', 'END'],
    ['postgres', 'abort', 'ABORT'],
    ['mysql', 'savepoint a', 'SAVEPOINT'],
    ['postgres', 'release savepoint a', 'RELEASE'],
    ['postgres', "commit prepared 'a'", undefined],
    ['postgres', "rollback prepared 'a'", undefined],
    ['mysql', 'begin not atomic select 1; end', undefined],
    ['mysql', 'update t set begin = 1', undefined],
    ['mysql', 'start slave', undefined],
    ['mysql', "xa commit 'a'", undefined],
    ['postgres', 'ending', undefined],
    ['mysql', "/*! begin */ insert into t values ('commit')", undefined],
  ])('tell %s that %j begins or ends a transaction: %s', (engine, sql, word) => {
    expect(engines[engine].findTransactionWord(sql)).toBe(word);
  });

  it.each<Case<boolean>>([
    ['postgres', 'set a = 1', true],
    ['mysql', 'set session a = 1', true],
    ['mysql', 'use shop', true],
    ['mysql', ' lock tables t write', true],
    ['postgres', 'listen a', true],
    ['postgres', 'prepare a as select 1', true],
    ['postgres', 'create temp table a (b int)', true],
    ['postgres', 'create or replace temporary view a as select 1', true],
    ['mysql', 'create temporary table a (b int)', true],
    ['postgres', "set application_name = 'global'", true],
    ['mysql', 'set global a = 1', false],
    ['mysql', 'SET @@GLOBAL.a = 1', false],
    ['mysql', 'set persist a = 1', false],
    ['mysql', "set password = 'x'", false],
    ['mysql', 'set default role a to b', false],
    ['postgres', "prepare transaction 'a'", false],
    ['postgres', 'create table temp (a int)', false],
    ['mysql', 'update t set a = 1', false],
    ['postgres', 'insert into t values (1)', false],
  ])('tell %s that the effect of %j ends with its call: %s', (engine, sql, ends) => {
    expect(engines[engine].endsWithCall(sql)).toBe(ends);
  });

  it.each<Case<string | undefined>>([
    ['postgres', '-- a\nEXPLAIN (analyze) select 1', 'EXPLAIN'],
    ['postgres', 'analyse t', 'ANALYSE'],
    ['mysql', '# a\ndesc t', 'DESC'],
    ['mysql', 'show tables', 'SHOW'],
    ['postgres', 'select 1', undefined],
    ['mysql', 'with explain as (select 1) table explain', undefined],
  ])('tell %s that %j has no plan: %s', (engine, sql, word) => {
    expect(engines[engine].findUnplannedWord(sql)).toBe(word);
  });

  it.each<Case<string | undefined>>([
    ['postgres', 'from Shop."Big orders" o', 'Shop."Big orders"'],
    ['postgres', 'from `a`', undefined],
    ['mysql', 'from `a`.`b c`', '`a`.`b c`'],
  ])('tell %s the name at the position in %j: %s', (engine, sql, name) => {
    expect(engines[engine].readName(sql, 6)).toBe(name);
  });

  it('are found soon in a long text', () => {
    for (const grammar of [postgres, mysql]) {
      expect(grammar.findTransactionWord(`${'/**/'.repeat(100_000)} x`)).toBeUndefined();
      expect(grammar.isQuery(`${'-- \n'.repeat(100_000)}(((select 1`)).toBe(true);
    }
  });
});
