import { expect, it } from 'vitest';
import type { Row } from './parse-table.ts';
import { type RowPage, RowWindow } from './row-window.ts';

/** A source whose answers hold ten rows at most, and what was read of it. */
function openSource(total: number) {
  const reads: string[] = [];
  const page = (offset: number, limit: number): RowPage => {
    const count = Math.max(0, Math.min(10, limit, total - offset));
    const rows = Array.from({ length: count }, (_, index): Row => [{ text: String(offset + index), mark: '' }]);
    return { rows, next: offset + count < total ? offset + count : undefined };
  };
  const read = async (offset: number, limit: number) => {
    reads.push(`${offset}+${limit}`);
    if (failing.has(offset)) throw new Error('lost');
    return page(offset, limit);
  };
  const failing = new Set<number>();
  const window = new RowWindow(page(0, 500), { read, onChange: () => undefined, maxPages: 15 });
  return { window, reads, failing };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));
const textAt = (window: RowWindow, index: number) => window.row(index)?.[0]?.text;

it('reads on while it is scrolled, and only near the end', async () => {
  const { window, reads } = openSource(1_000);
  window.want(0, 20);
  await settle();
  expect([window.count, window.isComplete]).toEqual([130, false]);
  window.want(10, 25);
  await settle();
  expect(reads).toHaveLength(12);
  for (let at = 100; at < 1_200; at += 60) {
    window.want(at, at + 20);
    await settle();
  }
  expect([window.count, window.isComplete]).toEqual([1_000, true]);
});

it('keeps a bounded number of pages, and reads again what is wanted again', async () => {
  const { window, reads } = openSource(1_000);
  for (let at = 0; at < 1_000; at += 60) {
    window.want(at, at + 20);
    await settle();
  }
  expect(window.pagesInMemory).toBeLessThanOrEqual(15);
  expect(textAt(window, 5)).toBeUndefined();
  expect(textAt(window, 975)).toBe('975');
  reads.length = 0;
  window.want(0, 15);
  await settle();
  expect(reads).toEqual(['0+10', '10+10']);
  expect(textAt(window, 5)).toBe('5');
  expect((await window.collect(18, 42)).map(([cell]) => cell?.text)).toEqual(
    Array.from({ length: 25 }, (_, i) => String(18 + i)),
  );
});

it('stops at a problem until it is told to read on', async () => {
  const { window, reads, failing } = openSource(1_000);
  failing.add(20);
  window.want(0, 20);
  await settle();
  expect([window.problem, window.count]).toEqual(['lost', 20]);
  window.want(5, 20);
  await settle();
  expect(reads).toEqual(['10+500', '20+500']);
  failing.clear();
  window.retry();
  await settle();
  expect([window.problem, window.count]).toEqual(['', 130]);
  window.close();
  window.want(100, 120);
  await settle();
  expect(window.count).toBe(130);
});
