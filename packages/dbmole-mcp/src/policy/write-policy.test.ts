import { allowsNoWhere, Failure, mustAsk, refuseWrite } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { connectionSchema } from '../connection/schema.ts';
import { grammar as mysql } from '../engines/mysql/session/grammar.ts';
import { grammar as postgres } from '../engines/postgres/session/grammar.ts';
import { policyView } from './policy-view.ts';

const connection = (more: object) =>
  connectionSchema.parse({ name: 'shop', type: 'postgres', host: 'db.internal', user: 'me', ...more });

function verdictOf(writes: unknown, sql: string, alsoHolds: readonly object[] = []): string {
  try {
    const written = { what: 'statement', name: 'shop', kind: postgres.readWriteKind(sql) };
    refuseWrite({ ...connection({ writes }), alsoHolds }, written);
    return 'passes';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

const never = 'E_WRITES_NEVER';

describe('what writes allows', () => {
  it.each([
    [{ ddl: 'never' }, 'update t set a = 1', 'passes'],
    [{ ddl: 'never' }, '/* drop */ -- x\n delete from t', 'passes'],
    [{ ddl: 'never' }, 'drop table t', never],
    [{ ddl: 'never' }, 'CREATE TABLE t AS SELECT 1', never],
    [{ ddl: 'never' }, 'truncate t', never],
    [{ ddl: 'never' }, 'select * into t2 from t', never],
    [{ ddl: 'never' }, 'with a as (select 1) select * into t2 from a', never],
    [{ ddl: 'never' }, 'do $$ begin drop table t; end $$', never],
    [{ ddl: 'never' }, 'call tidy()', never],
    [{ ddl: 'never' }, 'explain analyze delete from t', never],
    [{ ddl: 'never' }, 'grant all on t to public', never],
    [{ dml: 'never' }, 'create index on t (a)', 'passes'],
    [{ dml: 'never' }, 'insert into t values (1)', never],
    [{ dml: 'never' }, 'truncate t', never],
    [{ dml: 'never' }, 'copy t from stdin', never],
    [{ dml: 'never' }, 'vacuum t', never],
    [{ dml: 'allow', ddl: 'allow' }, 'drop table t', 'passes'],
    ['allow', 'drop table t', 'passes'],
    [undefined, 'drop table t', 'passes'],
  ])('%j: %s', (writes, sql, verdict) => {
    expect(verdictOf(writes, sql)).toBe(verdict);
  });

  it('is the strictest of all policies that hold', () => {
    expect(verdictOf({ ddl: 'allow' }, 'drop table t', [{ writes: { ddl: 'never' } }])).toBe(never);
    expect(verdictOf('allow', 'insert into t values (1)', [{ writes: 'never' }])).toBe(never);
    expect(verdictOf({ ddl: 'never' }, 'drop table t', [{ writes: 'allow' }])).toBe(never);
  });

  it('is ask in production, unless a person says otherwise, and never wins over ask over allow', () => {
    const asks = (own: object, alsoHolds: readonly object[] = []) => {
      const config = { ...connection(own), alsoHolds };
      return (['dml', 'ddl', 'other'] as const).filter((kind) => mustAsk(config, kind));
    };
    const all = ['dml', 'ddl', 'other'];
    expect(asks({})).toEqual([]);
    expect(asks({ environment: 'Production' })).toEqual(all);
    expect(asks({ environment: 'staging' })).toEqual([]);
    expect(asks({ environment: 'production', writes: 'allow' })).toEqual([]);
    expect(asks({ environment: 'production', writes: { dml: 'allow' } })).toEqual(['ddl', 'other']);
    expect(asks({ writes: { ddl: 'ask' } })).toEqual(['ddl', 'other']);
    expect(asks({ writes: 'allow' }, [{ writes: 'ask' }])).toEqual(all);
    expect(asks({ writes: 'allow' }, [{ environment: 'production' }])).toEqual(all);
    expect(verdictOf('ask', 'drop table t', [{ writes: { ddl: 'never' } }])).toBe(never);
    expect([
      policyView(connection({ environment: 'production' })).writes,
      policyView(connection({ writes: { ddl: 'ask' } })).writes,
    ]).toEqual(['ask', 'dml allow, ddl ask']);
  });

  it('lets all rows change only where every policy says so', () => {
    const allows = (own: object, alsoHolds: readonly object[] = []) => allowsNoWhere({ ...connection(own), alsoHolds });
    expect([allows({}), allows({ noWhere: 'refuse' }), allows({ noWhere: 'allow' })]).toEqual([false, false, true]);
    expect([allows({ noWhere: 'allow' }, [{ noWhere: 'refuse' }]), allows({ noWhere: 'allow' }, [{ maxRows: 5 }])]).toEqual([
      false,
      false,
    ]);
    expect([policyView(connection({ noWhere: 'allow' })).noWhere, policyView(connection({})).noWhere]).toEqual([
      'allow',
      undefined,
    ]);
  });

  it('never for both is the same as readonly', () => {
    expect(connection({ writes: 'never' }).readonly).toBe(true);
    expect(connection({ writes: { dml: 'never', ddl: 'never' } }).readonly).toBe(true);
    expect(connection({ writes: { dml: 'never' } }).readonly).toBe(false);
  });

  it('is shown in a few words, and not where it says nothing', () => {
    const shown = [undefined, 'allow', 'never', { ddl: 'never' }].map((writes) => policyView(connection({ writes })).writes);
    expect(shown).toEqual([undefined, undefined, undefined, 'dml allow, ddl never']);
  });

  it.each(['/*!50000 drop table t */', '/*M! delete from t */', 'load data infile "x" into table t', 'rename user a to b'])(
    'of MySQL is not decided by %s alone',
    (sql) => {
      expect(mysql.readWriteKind(sql)).toBe(sql.startsWith('rename') ? 'ddl' : 'other');
    },
  );
});
