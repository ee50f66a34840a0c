import { describe, expect, it } from 'vitest';
import { formatBytes, formatIndexTable, type IndexItem, type TableWish } from './index-table.ts';

const item = (name: string, more: Partial<IndexItem> = {}): IndexItem => ({
  name,
  health: 'green',
  indices: 1,
  closed: 0,
  docs: 10,
  bytes: 1_048_576,
  aliases: [],
  ...more,
});

const days = (count: number, more: (day: number) => Partial<IndexItem> = () => ({})) =>
  Array.from({ length: count }, (_, day) => {
    const date = new Date(Date.UTC(2024, 0, day + 1)).toISOString().slice(0, 10).replaceAll('-', '.');
    return item(`logs-${date}`, more(day));
  });

function table(items: readonly IndexItem[], wish: Partial<TableWish> = {}) {
  const { rows, summary } = formatIndexTable(items, { sort: 'name', limit: 200, offset: 0, ...wish });
  const { line, body } = rows.finish();
  return { summary, line, lines: body.split('\n').slice(1) };
}

describe('the list of indices', () => {
  it('shows a line for each index, and the sums', () => {
    const { lines, summary, line } = table([item('b', { aliases: ['x', 'y'] }), item('a', { health: 'red', docs: undefined })]);
    expect(lines).toEqual(['a,red,"",1 MB,""', 'b,green,10,1 MB,"aliases x, y"']);
    expect(line).toBe('2 rows.');
    expect(summary).toBe('2 indices, 10 docs, 2 MB in all.');
  });

  it('shows one line for a series, with all sums', () => {
    const more = (day: number): Partial<IndexItem> =>
      day === 5
        ? { health: 'red' }
        : day < 2
          ? { health: 'yellow', closed: 1, docs: undefined, bytes: undefined }
          : { aliases: ['logs'] };
    const { lines, summary } = table([...days(300, more), item('orders')]);
    expect(lines).toEqual([
      'logs-2024.*,red,2980,298 MB,"300: logs-2024.01.01 … logs-2024.10.26; 1 red, 2 yellow; 2 closed; alias logs"',
      'orders,green,10,1 MB,""',
    ]);
    expect(summary).toContain(
      '301 indices, 2990 docs, 299 MB in all. A line with * is a group: pass it as index to list its members.',
    );
  });

  it('lists the members of a series that is asked for', () => {
    const items = days(10);
    expect(table([...items, item('x')], { index: 'logs-2024.01.*,x' }).lines).toHaveLength(11);
    expect(table(items, { index: 'logs-*' }).lines).toHaveLength(10);
    expect(table(items).lines).toHaveLength(1);
    expect(table(items, { index: 'logs-*', limit: 4, offset: 8 }).lines).toEqual([
      'logs-2024.01.09,green,10,1 MB',
      'logs-2024.01.10,green,10,1 MB',
    ]);
  });

  it('marks data streams and closed indices', () => {
    const stream = item('app', { backing: ['.ds-app-000001', '.ds-app-000002'], indices: 2 });
    const closed = item('old', { closed: 1, docs: undefined, bytes: undefined });
    const { lines, summary } = table([closed, stream]);
    expect(lines).toEqual(['app,green,10,1 MB,data stream of 2 indices', 'old,green,"","",closed']);
    expect(summary).toBe('3 indices, 1 data stream, 10 docs, 1 MB in all.');
  });

  it('leaves out empty columns', () => {
    const { rows } = formatIndexTable(
      [item('a', { docs: undefined, health: undefined }), item('b', { docs: undefined, health: undefined })],
      {
        sort: 'name',
        limit: 200,
        offset: 0,
      },
    );
    expect(rows.finish().body).toBe('index,size\na,1 MB\nb,1 MB');
  });

  it('sorts in descending order', () => {
    const items = [
      item('a', { docs: 1, bytes: 5 }),
      item('b', { docs: 3, bytes: 4, health: 'yellow' }),
      item('c', { docs: 2, bytes: 6 }),
    ];
    const order = (sort: TableWish['sort']) =>
      table(items, { sort })
        .lines.map((line) => line[0])
        .join('');
    expect([order('name'), order('docs'), order('size'), order('health')]).toEqual(['abc', 'bca', 'cab', 'bac']);
  });

  it('stays within its budget with thousands of unrelated indices', () => {
    const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const items = Array.from({ length: 2_000 }, (_, at) => item(`${'x'.repeat(60)}-${letters(at)}`, { aliases: ['al'] }));
    const { lines, line } = table(items, { limit: 1_000 });
    expect(lines.join('\n').length).toBeLessThan(32_000);
    expect(line).toContain(`offset=${lines.length}`);
    const many = item('a', { aliases: Array.from({ length: 500 }, (_, at) => `alias-${letters(at)}`) });
    expect(table([many]).lines[0]).toContain('and 480 more');
  });
});

it('formats sizes briefly', () => {
  expect([0, 999, 1_536, 10_485_760, 1_288_490_189, 2 ** 52].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.5 KB',
    '10 MB',
    '1.2 GB',
    '4 PB',
  ]);
});
