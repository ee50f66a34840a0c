import { describe, expect, it } from 'vitest';
import { Segment } from '../wire/segment.ts';
import { formatWrite, mayEndTransactions, parseWriteEnd } from './write.ts';

const requestOf = (sql: string) => ({ sql, params: [], timeoutMs: 1_000, keepPerCell: 100, dryRun: false });
const locateEnd = (sql: string, tag: string, copied = false) => {
  const segment = new Segment();
  if (copied) segment.message('H', Buffer.alloc(3));
  segment.message('C', Buffer.from(`${tag}\0`));
  return parseWriteEnd(segment, true, { sql, dryRun: false });
};

describe.each(['', ' ', '/* why; */ ', '-- why\n'])('a write behind %j', (before) => {
  it('a write that copies rows out is refused', () => {
    for (const copy of ['copy t to stdout', 'COPY (select 1) TO STDOUT with csv']) {
      expect(() => formatWrite(requestOf(before + copy), Buffer.alloc(0))).toThrow('is not supported');
    }
    for (const other of ["copy t to '/tmp/t'", "select 'copy t to stdout'"]) {
      expect(() => formatWrite(requestOf(before + other), Buffer.alloc(0))).not.toThrow();
    }
  });

  it('a write that may commit by itself is recognized', () => {
    expect(
      ['call p()', 'do $$ begin end $$', 'document', 'update t set a = 1'].map((sql) =>
        mayEndTransactions(requestOf(before + sql)),
      ),
    ).toEqual([true, true, false, false]);
  });

  it('a write that makes a table or view from a query is called so', () => {
    expect(locateEnd(`${before}create table t as select 1`, 'SELECT 1')).toEqual({ command: 'CREATE TABLE AS', changed: 1 });
    const view = { command: 'CREATE MATERIALIZED VIEW', changed: undefined };
    expect(locateEnd(`${before}create materialized view v as select 1`, 'SELECT 1')).toEqual(view);
  });
});

it('rows that were copied out are not rows that were changed', () => {
  expect(locateEnd("copy (select ';') to stdout", 'COPY 1', true)).toEqual({ command: 'COPY', changed: undefined });
  expect(locateEnd("copy t from '/tmp/t'", 'COPY 2')).toEqual({ command: 'COPY', changed: 2 });
});
