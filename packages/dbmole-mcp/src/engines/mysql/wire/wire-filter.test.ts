import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../engine.ts';
import { RowReader } from '../values/row-reader.ts';
import { createCellReader } from '../values/values.ts';
import { WireFilter } from './wire-filter.ts';

const fullPacket = 0xffffff;

/** Packets as a server sends them: what does not fit into one is continued in the next. */
function encodePackets(payloads: readonly Buffer[], firstSequence = 1): Buffer {
  const parts: Buffer[] = [];
  let sequence = firstSequence;
  for (const payload of payloads) {
    for (let at = 0, size = fullPacket; size === fullPacket; at += size) {
      size = Math.min(fullPacket, payload.length - at);
      const head = Buffer.alloc(4);
      head.writeUIntLE(size, 0, 3);
      head[3] = sequence & 0xff;
      sequence += 1;
      parts.push(head, payload.subarray(at, at + size));
    }
  }
  return Buffer.concat(parts);
}

function encodeCell(value: string | null): Buffer {
  if (value === null) return Buffer.from([0xfb]);
  const text = Buffer.from(value);
  if (text.length < 0xfb) return Buffer.concat([Buffer.from([text.length]), text]);
  const head = Buffer.alloc(9);
  head[0] = 0xfe;
  head.writeUInt32LE(text.length, 1);
  return Buffer.concat([head, text]);
}

const encodeRow = (cells: readonly (string | null)[]) => Buffer.concat(cells.map(encodeCell));
const field = (name: string) => Buffer.from(`field ${name}`);
const end = (status = 0, warnings = 0) => Buffer.from([0xfe, warnings, 0, status, 0]);
const ok = (status = 0) => Buffer.from([0x00, 3, 0, status, 0, 0, 0]);
const error = (message: string) => Buffer.concat([Buffer.from([0xff, 0x28, 0x04]), Buffer.from(`#42000${message}`)]);

interface Passed {
  sequence: number;
  payload: Buffer;
}

function createRig(columns: number, keepPerCell = 1_000, wanted = Number.POSITIVE_INFINITY) {
  const passed: Passed[] = [];
  const rows: (readonly Cell[])[] = [];
  const filter = new WireFilter((packet) => {
    expect(packet.readUIntLE(0, 3)).toBe(packet.length - 4);
    passed.push({ sequence: packet[3] ?? -1, payload: Buffer.from(packet.subarray(4)) });
  });
  const text = { name: 'c', columnType: 253, characterSet: 255, flags: 0, columnLength: 100 };
  const readers = Array.from({ length: columns }, () => createCellReader(text, keepPerCell));
  const expectQuery = () => filter.expectQuery(() => new RowReader(readers, (cells) => rows.push(cells) < wanted));
  return { filter, passed, rows, status: expectQuery(), expectQuery };
}

const header = (columns: number) => [
  Buffer.from([columns]),
  ...Array.from({ length: columns }, (_, index) => field(String(index))),
  end(),
];

describe('the filter in front of the driver', () => {
  it('removes the rows and renumbers the other packets', () => {
    const rows = Array.from({ length: 300 }, (_, index) => [String(index), null]);
    const { filter, passed, rows: seen, status } = createRig(2);
    filter.push(encodePackets([...header(2), ...rows.map(encodeRow), end(1, 7)]));
    expect(seen).toEqual(rows);
    expect(passed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(passed.at(-1)?.payload).toEqual(end(1, 7));
    expect(status).toMatchObject({ inTransaction: true, warnings: 7 });
  });

  it('gives the same result wherever chunks are split', () => {
    const cell = fc.oneof(
      fc.constant(null),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constant('x'.repeat(300)),
      fc.constant('€'.repeat(90)),
    );
    const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 8 });
    fc.assert(
      fc.property(table, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 }), (rows, sizes) => {
        const { filter, passed, rows: seen } = createRig(3);
        const bytes = encodePackets([...header(3), ...rows.map(encodeRow), end()]);
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          filter.push(Buffer.from(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(seen).toEqual(rows);
        expect(passed).toHaveLength(6);
      }),
    );
  });

  it('reads a cell of several packets, also when it fills the last one exactly', () => {
    // The length before the cell takes nine bytes.
    for (const length of [fullPacket - 9, fullPacket, 2 * fullPacket - 9, 40_000_000]) {
      const { filter, passed, rows } = createRig(1, 5);
      const bytes = encodePackets([...header(1), encodeRow(['x'.repeat(length)]), encodeRow(['next']), end()]);
      for (let at = 0; at < bytes.length; at += 65_536) filter.push(bytes.subarray(at, at + 65_536));
      expect(rows).toEqual([[{ text: 'xxxxx', length, unit: 'bytes' }], ['next']]);
      expect(passed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    }
  });

  it('distinguishes a row from the end of the rows', () => {
    const { filter, rows } = createRig(1, 5);
    // Its first byte is that of the end, because the cell is long.
    filter.push(encodePackets([...header(1), encodeRow(['y'.repeat(300)]), end()]));
    expect(rows).toEqual([[{ text: 'yyyyy', length: 300, unit: 'bytes' }]]);
  });

  it('stops decoding when no more rows are wanted', () => {
    const { filter, passed, rows } = createRig(1, 5, 2);
    filter.push(encodePackets([...header(1), ...['1', '2', '3', '4'].map((text) => encodeRow([text])), end()]));
    expect(rows).toEqual([['1'], ['2']]);
    expect(passed).toHaveLength(4);
  });

  it('passes on a truncated error at any point of an answer', () => {
    for (const before of [[], header(1), [...header(1), encodeRow(['1'])]]) {
      const { filter, passed } = createRig(1);
      filter.push(encodePackets([...before, error('z'.repeat(40_000_000))]));
      expect(passed.at(-1)?.payload.length).toBe(16 * 1024);
      expect(passed.at(-1)?.payload.subarray(0, 12)).toEqual(error('zzz'));
      // What follows is no result any more.
      filter.push(encodePackets([ok()], 0));
      expect(passed.at(-1)).toEqual({ sequence: 0, payload: ok() });
    }
  });

  it('reads several results of one statement', () => {
    const { filter, passed, rows, status } = createRig(1);
    filter.push(encodePackets([...header(1), encodeRow(['a']), end(8), ...header(1), encodeRow(['b']), end(8), ok(1)]));
    expect(rows).toEqual([['a'], ['b']]);
    expect(passed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(status.inTransaction).toBe(true);
  });

  it('separates the answers of several queries that arrive together', () => {
    const { filter, passed, rows, status, expectQuery } = createRig(1);
    const [failed, last] = [expectQuery(), expectQuery()];
    const answers = [[...header(1), encodeRow(['a']), end(1, 3)], [error('no')], [...header(1), encodeRow(['b']), end(0, 4)]];
    filter.push(Buffer.concat(answers.map((payloads) => encodePackets(payloads))));
    expect(rows).toEqual([['a'], ['b']]);
    expect(passed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 1, 1, 2, 3, 4]);
    expect([status, failed, last].map(({ inTransaction, warnings }) => [inTransaction, warnings])).toEqual([
      [true, 3],
      [false, 0],
      [false, 4],
    ]);
  });

  it('passes on answers that are not results of a query', () => {
    const passed: Buffer[] = [];
    const filter = new WireFilter((packet) => passed.push(packet));
    filter.push(encodePackets([Buffer.from([10]), Buffer.from('0123456789'), Buffer.alloc(0)], 0));
    expect(passed).toEqual([
      encodePackets([Buffer.from([10])], 0),
      encodePackets([Buffer.from('0123456789')], 1),
      encodePackets([Buffer.alloc(0)], 2),
    ]);
  });

  describe('answers that the driver does not wait for', () => {
    const answered = (count: number, payloads: readonly Buffer[]) => {
      const passed: Buffer[] = [];
      const errors: (Error | undefined)[] = [];
      const filter = new WireFilter((packet) => passed.push(packet));
      filter.expectOwn(count, (error) => errors.push(error));
      for (const payload of payloads) filter.push(encodePackets([payload]));
      return { filter, passed, errors };
    };

    it('hides these answers from the driver and resolves at the last one', () => {
      expect(answered(3, [ok(), ok()])).toMatchObject({ passed: [], errors: [] });
      const { filter, passed, errors } = answered(3, [ok(), ok(), ok()]);
      expect([errors, passed]).toEqual([[undefined], []]);
      filter.push(encodePackets([ok()]));
      expect(passed).toHaveLength(1);
    });

    it('fails after the last answer when one of them is an error', () => {
      const { filter, errors } = answered(2, [error('no')]);
      expect(errors).toEqual([]);
      expect(() => filter.push(encodePackets([error('nor')]))).toThrow(/no$/);
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(/no$/) })]);
      expect(() => answered(1, [Buffer.from([1])])).toThrow('rows');
    });

    it('reads nothing after a failed answer', () => {
      const { filter, rows, passed } = createRig(1);
      filter.expectOwn(1, () => undefined);
      const behind = encodePackets([...header(1), encodeRow(['secret']), end()]);
      expect(() => filter.push(Buffer.concat([encodePackets([error('no')]), behind]))).toThrow(/no$/);
      expect([rows, passed]).toEqual([[], []]);
    });
  });

  it('refuses a packet that is too long and not an error', () => {
    const { filter } = createRig(1);
    expect(() => filter.push(encodePackets([Buffer.alloc(1_000_000, 1)]))).toThrow('far too long');
  });

  it('limits what the driver keeps of one answer', () => {
    const more = 8;
    const results = createRig(1).filter;
    expect(() => results.push(encodePackets(Array.from({ length: 100_001 }, () => ok(more))))).toThrow('too many results');
    const fields = createRig(1).filter;
    const long = encodePackets(Array.from({ length: 300 }, () => Buffer.alloc(250_000, 1)));
    expect(() => fields.push(Buffer.concat([encodePackets([Buffer.from([0xfc, 0xff, 0xff])]), long]))).toThrow('far too large');
    const { filter, passed } = createRig(1);
    for (let answer = 0; answer < 400; answer += 1) {
      filter.expectQuery(() => new RowReader([], undefined));
      filter.push(encodePackets([Buffer.from([1]), Buffer.alloc(200_000, 3), end(), end()]));
    }
    expect(passed.length).toBeGreaterThan(400);
  });

  it('refuses rows that do not fit the columns', () => {
    for (const cells of [['1'], ['1', '2', '3']]) {
      const { filter } = createRig(2);
      expect(() => filter.push(encodePackets([...header(2), encodeRow(cells), end()]))).toThrow(/a row has/);
    }
  });

  it('limits the size of a whole row', () => {
    const { filter, rows } = createRig(100, 200_000);
    filter.push(encodePackets([...header(100), encodeRow(Array.from({ length: 100 }, () => 'x'.repeat(1_000_000))), end()]));
    const kept = rows[0]?.reduce((sum, cell) => sum + (typeof cell === 'object' && cell !== null ? cell.text.length : 0), 0);
    expect(kept).toBeGreaterThan(1_000_000);
    expect(kept).toBeLessThan(17_000_000);
  });

  it('rejects further hidden statements before the last ones were answered', () => {
    const filter = new WireFilter(() => undefined);
    filter.expectOwn(1, () => undefined);
    expect(() => filter.expectOwn(1, () => undefined)).toThrow('have not been answered yet');
  });
});
