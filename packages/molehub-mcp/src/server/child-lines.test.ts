import { describe, expect, it } from 'vitest';
import { type ChildLine, ChildLines } from './child-lines.ts';

function read(maxBytes: number, chunks: readonly string[]): ChildLine[] {
  const lines: ChildLine[] = [];
  const reader = new ChildLines(maxBytes, (line) => lines.push(line));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return lines;
}

describe('ChildLines', () => {
  it('joins lines that come in parts, and splits those that come together', () => {
    expect(read(100, ['on', 'e\ntwo\nth', 'ree', '\n'])).toEqual(['one', 'two', 'three'].map((text) => ({ kind: 'line', text })));
  });

  it('keeps the two ends of a line that is too long, and the lines behind it', () => {
    const [long, next] = read(10, ['{"id":"a"', 'x'.repeat(100_000), '"id":"z"}', '\nshort\n']);
    expect(long).toMatchObject({ kind: 'oversized', bytes: 100_018 });
    expect(JSON.stringify(long)).toMatch(/\{\\"id\\":\\"a\\".*\\"id\\":\\"z\\"\}/);
    expect(next).toEqual({ kind: 'line', text: 'short' });
  });
});
