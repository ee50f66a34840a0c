import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { joinWrites } from './pace-writes.ts';

/** Each element is what left at once. */
function createRecorder(): { stream: Duplex; left: string[] } {
  const left: string[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, callback) {
      left.push(chunk.toString());
      callback();
    },
    writev(chunks, callback) {
      left.push(Buffer.concat(chunks.map(({ chunk }: { chunk: Buffer }) => chunk)).toString());
      callback();
    },
  });
  joinWrites(stream);
  return { stream, left };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('what is written in one turn leaves together, and the next turn by itself', async () => {
  const { stream, left } = createRecorder();
  for (const piece of ['a', 'b', 'c']) stream.write(Buffer.from(piece));
  expect(left).toEqual([]);
  await nextTurn();
  for (const piece of ['d', 'e']) stream.write(Buffer.from(piece));
  await nextTurn();
  stream.write(Buffer.from('f'));
  await nextTurn();
  expect(left).toEqual(['abc', 'de', 'f']);
});

test('an end in the same turn loses nothing', async () => {
  const { stream, left } = createRecorder();
  stream.write(Buffer.from('a'));
  stream.end(Buffer.from('b'));
  await once(stream, 'finish');
  expect(left.join('')).toBe('ab');
});

test('a writer learns that it is too much, and when a write with a callback is done', async () => {
  const left: number[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, callback) {
      left.push(chunk.length);
      setImmediate(callback);
    },
  });
  joinWrites(stream);
  const done: string[] = [];
  expect(stream.write(Buffer.from('a'))).toBe(true);
  stream.write('b', () => done.push('b'));
  expect(stream.write(Buffer.alloc(100_000))).toBe(false);
  await once(stream, 'drain');
  expect(done).toEqual(['b']);
  expect(left).toEqual([1, 1, 100_000]);
});

test('what waits is one buffer for each turn', async () => {
  const waiting: unknown[] = [];
  const stream = new Duplex({
    read() {},
    write() {},
    writev: (chunks) => waiting.push(...chunks),
  });
  joinWrites(stream);
  for (let turn = 0; turn < 3; turn++) {
    for (let piece = 0; piece < 1_000; piece++) stream.write(Buffer.alloc(4));
    await nextTurn();
  }
  expect(stream.writableLength).toBe(12_000);
  // One is being written.
  stream.cork();
  expect(Reflect.get(Reflect.get(stream, '_writableState'), 'buffered')).toHaveLength(2);
});
