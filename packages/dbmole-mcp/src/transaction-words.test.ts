import { describe, expect, it } from 'vitest';
import { endsWithCall, refuseTransactionControl } from './transaction-words.ts';

describe('statements about the transaction', () => {
  it.each([
    ['begin', 'BEGIN'],
    ['BEGIN WORK;', 'BEGIN'],
    ['/* one * two */ # three\n -- four\nstart\n transaction', 'START TRANSACTION'],
    ['commit and chain', 'COMMIT'],
    ['rollback to savepoint a', 'ROLLBACK'],
    ['end', 'END'],
    ['abort', 'ABORT'],
    ['savepoint a', 'SAVEPOINT'],
    ['release savepoint a', 'RELEASE'],
  ])('%s is refused', (sql, word) => {
    expect(() => refuseTransactionControl(sql)).toThrow(`${word} would have no effect`);
  });

  it.each([
    "commit prepared 'a'",
    "rollback prepared 'a'",
    'begin not atomic select 1; end',
    'update t set begin = 1',
    'start slave',
    "xa commit 'a'",
    'ending',
    "/*! begin */ insert into t values ('commit')",
  ])('%s is not', (sql) => {
    expect(() => refuseTransactionControl(sql)).not.toThrow();
  });

  it('looks at a long text once', () => {
    expect(() => refuseTransactionControl(`${'/**/'.repeat(100_000)} x`)).not.toThrow();
  });
});

describe('statements that change only the session', () => {
  it.each([
    'set a = 1',
    'set session a = 1',
    'use shop',
    ' lock tables t write',
    'listen a',
    'prepare a as select 1',
    'create temp table a (b int)',
    'create or replace temporary view a as select 1',
  ])('%s', (sql) => expect(endsWithCall(sql)).toBe(true));

  it.each([
    'set global a = 1',
    'SET @@GLOBAL.a = 1',
    'set persist a = 1',
    "set password = 'x'",
    'set default role a to b',
    "prepare transaction 'a'",
    'create table temp (a int)',
    'update t set a = 1',
    'insert into t values (1)',
  ])('not %s', (sql) => expect(endsWithCall(sql)).toBe(false));
});
