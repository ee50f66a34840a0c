import { respond } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { TableSink } from './table-sink.ts';

const open = (offset = 0) => new TableSink({ rowLimit: 2, offset, cellLimit: 10, cellOffset: 0 });
const shown = (sink: TableSink) => JSON.stringify(respond.table(sink.finish()));

describe('a table', () => {
  it('leaves out what was read before, and ends when it is full', () => {
    const sink = open(1);
    sink.columns([{ name: 'id', type: 'int' }]);
    expect(['1', '2', '3', '4'].map((id) => sink.row([id]))).toEqual([true, true, expect.any(Boolean), false]);
    expect(sink.hasResult).toBe(true);
    expect(shown(sink)).toContain('id\\n2\\n3"');
  });

  it('has no rows where the statement has no result', () => {
    const sink = open();
    expect(sink.hasResult).toBe(false);
    expect(shown(sink)).toContain('No rows.');
  });
});
