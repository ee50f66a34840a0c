import { createProtectValue } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { Cell, Column, RowSink } from '../engine.ts';
import type { ColumnPlan } from '../guard/read-statement.ts';
import { protectColumns } from './column-sink.ts';

const email = { action: 'mask', label: 'email' } as const;
const password = { action: 'drop', label: 'password' } as const;

function show(plan: ColumnPlan, columns: readonly Column[], rows: readonly (readonly Cell[])[]) {
  const shown: { names: readonly string[]; rows: (readonly Cell[])[] } = { names: [], rows: [] };
  const sink: RowSink = {
    columns(got) {
      shown.names = got.map(({ name }) => name);
    },
    row: (cells) => shown.rows.push(cells) > 0,
  };
  const protecting = protectColumns(sink, plan, createProtectValue(Buffer.from('key')));
  protecting.columns(columns);
  for (const row of rows) protecting.row(row);
  return { ...shown, summary: protecting.summary };
}

const text = (name: string, origin?: string) => ({ name, type: 'text', origin });

describe('the sink of a statement that reaches protected columns', () => {
  it('replaces and drops columns, and says so', () => {
    const plan = { verdicts: [null, email, password, email], origins: {} };
    const columns = ['id', 'mail', 'pw', 'm2'].map((name) => text(name));
    expect(show(plan, columns, [['1', 'a@b.c', 'x', null]])).toEqual({
      names: ['id', 'mail', 'm2'],
      rows: [['1', '***', null]],
      summary: '2 columns masked by policy (email). 1 column left out by policy (password).',
    });
  });

  it('takes the stricter of what was traced and what the server reports', () => {
    const plan = { verdicts: [null, email], origins: { '7.1': email, '7.2': password, '7.3': null } };
    const columns = [text('a', '7.1'), text('b', '7.2')];
    expect(show(plan, columns, [['x', 'y']])).toMatchObject({ names: ['a'], rows: [['***']] });
  });

  it('masks what could not be traced, unless the server reports a column that is shown', () => {
    const plan = { verdicts: undefined, origins: { '7.3': null } };
    const columns = [text('a'), text('b', '7.3'), text('c', '8.1')];
    expect(show(plan, columns, [['x', 'y', 'z']])).toMatchObject({
      rows: [['***', 'y', '***']],
      summary: '2 columns masked by policy (a column of unknown source).',
    });
    const partly = { ...plan, verdicts: [null, undefined, undefined] };
    expect(show(partly, columns, [['x', 'y', 'z']]).rows).toEqual([['x', 'y', '***']]);
    expect(show({ ...plan, verdicts: [null] }, [text('a'), text('b')], [['x', 'y']]).rows).toEqual([['***', '***']]);
  });

  it('shows nothing of a cell of which the beginning is missing', () => {
    const plan = { verdicts: [{ action: 'pseudonym', label: 'note' } as const], origins: {} };
    const cell = { text: 'abc', length: 500, start: 400 };
    expect(show(plan, [text('note')], [[cell]]).rows).toEqual([['***']]);
  });
});
