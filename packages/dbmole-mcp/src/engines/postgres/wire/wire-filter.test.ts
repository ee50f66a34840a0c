import type { CutCell } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../engine.ts';
import { createRowShape } from '../values/values.ts';
import type { RowShape } from './long-message.ts';
import { parseNotice } from './messages.ts';
import { WireFilter } from './wire-filter.ts';

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function row(cells: readonly (string | null)[]): Buffer {
  const parts = [Buffer.from([cells.length >> 8, cells.length & 255])];
  for (const cell of cells) {
    const bytes = Buffer.from(cell ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(cell === null ? -1 : bytes.length);
    parts.push(length, bytes);
  }
  return message('D', Buffer.concat(parts));
}

function error(fields: Readonly<Record<string, string>>): Buffer {
  return message(
    'E',
    Buffer.from(
      `${Object.entries(fields)
        .map(([letter, text]) => `${letter}${text}\0`)
        .join('')}\0`,
    ),
  );
}

function toShape(columns: number, keepPerCell: number): RowShape {
  const field = { name: 'c', type: 25, modifier: -1 };
  return createRowShape(new Array(columns).fill(field), keepPerCell);
}

function collect(shape: RowShape | undefined) {
  const seen: { rows: (readonly Cell[])[]; messages: [string, string][] } = { rows: [], messages: [] };
  const filter = new WireFilter({
    shape: () => shape,
    row: (cells) => seen.rows.push(cells),
    message: (type, body) => seen.messages.push([type, body.toString('latin1')]),
  });
  return { seen, filter };
}

function inChunks(bytes: Buffer, sizes: readonly number[], shape: RowShape | undefined) {
  const { seen, filter } = collect(shape);
  let at = 0;
  for (let round = 0; at < bytes.length; round++) {
    const size = sizes[round % sizes.length] ?? 1;
    filter.push(bytes.subarray(at, at + size));
    at += size;
  }
  return seen;
}

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 50 }), fc.constantFrom('', 'ü'.repeat(40_000), 'x'.repeat(70_000)));

describe('WireFilter', () => {
  it('sees the same however the stream is cut into chunks', () => {
    const cells = fc.array(fc.oneof(text, fc.constant(null)), { minLength: 3, maxLength: 3 });
    const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 4 }), sizes, (rows, chunks) => {
        const bytes = Buffer.concat([
          message('1', Buffer.alloc(0)),
          ...rows.map(row),
          error({ M: 'no', C: '22012' }),
          message('Z', Buffer.from('I')),
        ]);
        const whole = inChunks(bytes, [bytes.length], toShape(3, 20));
        expect(inChunks(bytes, chunks, toShape(3, 20))).toEqual(whole);
        expect(whole.rows).toHaveLength(rows.length);
        expect(whole.messages.map(([type]) => type)).toEqual(['1', 'E', 'Z']);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps whole what is short, and says the length of what is not', () => {
    const { rows } = inChunks(row(['x'.repeat(20), null, '', 'y'.repeat(200_000)]), [1000], toShape(4, 20));
    expect(rows).toEqual([['x'.repeat(20), null, '', { text: 'y'.repeat(20), length: 200_000, unit: 'bytes' }]]);
  });

  it('never cuts inside of a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'ü', '漢', '😀'), maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (value, keep) => {
          const cell = inChunks(row([value]), [1_000_000], toShape(1, keep)).rows[0]?.[0];
          const shown = typeof cell === 'string' ? cell : (cell as CutCell).text;
          expect(value.startsWith(shown)).toBe(true);
          expect(shown).not.toMatch(/[\ud800-\udbff]$|\ufffd/);
          expect(shown.length).toBeLessThanOrEqual(keep);
          expect(shown.length).toBeGreaterThanOrEqual(Math.min(value.length, keep) - 1);
        },
      ),
    );
  });

  it('skips unwanted rows of any length', () => {
    const bytes = Buffer.concat([
      row(['a']),
      row(['x'.repeat(300_000)]),
      message('d', Buffer.alloc(200_000)),
      message('Z', Buffer.from('I')),
    ]);
    expect(inChunks(bytes, [999], undefined)).toEqual({ rows: [], messages: [['Z', 'I']] });
  });

  it('keeps of a long error the beginning of each field', () => {
    const bytes = error({ S: 'ERROR', C: '22P02', M: `bad ${'ü'.repeat(100_000)}`, D: 'd'.repeat(50_000), P: '17' });
    for (const sizes of [[bytes.length], [7], [4096]]) {
      const [found] = inChunks(Buffer.concat([bytes, message('Z', Buffer.from('E'))]), sizes, undefined).messages;
      const fields = parseNotice(Buffer.from(found?.[1] ?? '', 'latin1'));
      expect([fields.get('C'), fields.get('P')]).toEqual(['22P02', '17']);
      expect(fields.get('M')).toMatch(/^bad ü{2000,2046}$/);
      expect(fields.get('D')).toHaveLength(4096);
      expect(found?.[1].length).toBeLessThanOrEqual(16 * 1024);
    }
    const many = error(Object.fromEntries([...'ABCDEFGHIJ'].map((letter) => [letter, letter.repeat(9_000)])));
    expect(inChunks(many, [5000], undefined).messages[0]?.[1].length).toBeLessThanOrEqual(16 * 1024);
  });

  it('refuses what cannot be a message', () => {
    for (const bytes of [
      Buffer.from('HTTP/1.1 400'),
      Buffer.from('Z\0\0\0\x03'),
      message('D', Buffer.from([0, 1, 0, 0, 0, 9, 65])),
    ])
      expect(() => inChunks(bytes, [bytes.length], toShape(1, 5))).toThrow('does not speak the PostgreSQL protocol');
  });
});
