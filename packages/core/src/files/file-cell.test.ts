import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTempFolder } from '../testing/temp-folder.ts';
import { createFileCell } from './file-cell.ts';
import { type FileImage, readStamp } from './read-file.ts';

describe('createFileCell', () => {
  it.each([
    [true, 3],
    [false, 1],
  ])('reads again what has the same stamp only while that is fresh (%s)', (fresh, expected) => {
    using folder = createTempFolder();
    writeFileSync(folder.at('x'), '');
    let readings = 0;
    const open = (path: string): FileImage => {
      readings++;
      return { path, bytes: Buffer.from(String(readings)), stamp: readStamp(path) ?? '', fresh, mode: 0o600, uid: 0 };
    };
    const cell = createFileCell(folder.at('x'), open);
    const seen = new Set([cell.read(), cell.read(), cell.read()]);
    expect([readings, seen.size]).toEqual([expected, expected]);
  });

  it('answers the same object while the content is the same', () => {
    using folder = createTempFolder();
    const cell = createFileCell(folder.at('x'));
    const none = cell.read();
    expect(none).toEqual({});
    expect(cell.read()).toBe(none);
    writeFileSync(folder.at('x'), 'a');
    const first = cell.read();
    expect(first.image?.bytes.toString()).toBe('a');
    writeFileSync(folder.at('x'), 'a');
    expect(cell.read()).toBe(first);
    writeFileSync(folder.at('x'), 'b');
    expect(cell.read()).not.toBe(first);
  });
});
