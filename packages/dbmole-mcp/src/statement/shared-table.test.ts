import { defaultBudget, severalFailureRoom } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSharedTables, type SharedTable, shareRoom } from './shared-table.ts';

function fill(table: SharedTable, rows: number, length: number): void {
  table.columns([{ name: 't', type: 'text' }]);
  for (let i = 0; i < rows && table.row(['x'.repeat(length)]); i += 1);
}

const readLength = (table: SharedTable) => table.finish().line.length + table.finish().body.length;
const never = () => false;

describe('the tables of several statements', () => {
  it('fill one answer whenever one of them is cut, and never more', async () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.constantFrom(1, 40, 400, 9_000)), {
      minLength: 2,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (all) => {
        const tables = createSharedTables(all.length, { rowLimit: 1_000, growCells: true });
        for (const [i, [rows, length]] of all.entries()) fill(tables[i] ?? expect.unreachable(), rows, length);
        await shareRoom(tables, never);
        const lengths = tables.map(readLength);
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(defaultBudget);
        for (const [i, [rows, length]] of all.entries())
          if (tables[i]?.finish().nextOffset === undefined) expect(tables[i]?.finish().shownRows, `${rows} ${length}`).toBe(rows);
      }),
      { numRuns: 20 },
    );
  });

  it('give the room of a short one to those before it', async () => {
    const tables = createSharedTables(3, { rowLimit: 1_000 });
    for (const [i, rows] of [1_000, 1, 1].entries()) fill(tables[i] ?? expect.unreachable(), rows, 200);
    await shareRoom(tables, never);
    expect(readLength(tables[0] ?? expect.unreachable())).toBeGreaterThan(30_000);
  });

  it('leave room for errors', async () => {
    const tables = createSharedTables(20, { rowLimit: 1_000 });
    fill(tables[0] ?? expect.unreachable(), 1_000, 200);
    await shareRoom(tables, (i) => i > 0);
    expect(readLength(tables[0] ?? expect.unreachable())).toBeLessThanOrEqual(defaultBudget - 19 * severalFailureRoom);
  });

  it('keep no more than their share of rows that are too long to be kept', async () => {
    const tables = createSharedTables(4, { rowLimit: 1_000, growCells: true });
    const [long = expect.unreachable(), ...others] = tables;
    fill(long, 60, 100_000);
    for (const table of others) fill(table, 1, 1);
    await shareRoom(tables, never);
    expect(readLength(long)).toBeLessThanOrEqual(defaultBudget / 4);
    expect(long.finish().nextOffset).toBeGreaterThan(0);
  });
});
