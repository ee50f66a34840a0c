import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineEvent, LineReader } from './line-reader.ts';

function read(chunks: readonly Buffer[], maxBytes = 1_000): LineEvent[] {
  const events: LineEvent[] = [];
  const reader = new LineReader({ bytes: maxBytes, values: 2_000 }, (event) => events.push(event));
  for (const chunk of chunks) reader.push(chunk);
  return events;
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : places[index - 1], end));
}

describe('LineReader', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(2_000)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const expected = lines.map((text) => ({ kind: 'line', text: Buffer.from(text).toString('utf8') }));
        expect(read(split(bytes, cuts))).toEqual(expected);
      }),
    );
  });

  it('drops a line that is too long, says how long it was, and reads on', () => {
    const long = `{"id":7,"x":"${'y'.repeat(5_000)}"}`;
    const bytes = Buffer.from(`first\n${long}\nlast\n`);
    const events = read(split(bytes, [3, 100, 900, 1_900, 4_000]), 1_000);
    expect(events).toEqual([
      { kind: 'line', text: 'first' },
      { kind: 'oversized', bytes: long.length, head: expect.stringContaining('{"id":7') },
      { kind: 'line', text: 'last' },
    ]);
  });

  it('drops a line with too many values, and reads on', () => {
    const list = (values: number) =>
      `{"id":7,"list":[${Array.from({ length: values }, () => '"a fairly long text"').join(',')}]}`;
    const bytes = Buffer.from(`${list(1_990)}\n${list(2_010)}\n{}\n`);
    const events = read(split(bytes, [3, 40_000, 50_000, 90_000]), 1_000_000);
    expect(events).toEqual([
      { kind: 'line', text: list(1_990) },
      { kind: 'crowded', head: expect.stringContaining('{"id":7') },
      { kind: 'line', text: '{}' },
    ]);
  });

  it('does not count what is in a text', () => {
    const line = JSON.stringify({ text: `one of (${'"\\",'.repeat(20_000)}1)` });
    expect(read([Buffer.from(`${line}\n`)], 1_000_000)).toEqual([{ kind: 'line', text: line }]);
  });

  it('keeps nothing of an endless line but its head', () => {
    const reader = new LineReader({ bytes: 1_000_000 }, () => undefined);
    const chunk = Buffer.alloc(1_000_000, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 500; count += 1) reader.push(Buffer.from(chunk));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200_000_000);
  });

  it('waits for the end of the last line', () => {
    expect(read([Buffer.from('half')])).toEqual([]);
  });
});
