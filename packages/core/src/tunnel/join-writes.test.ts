import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { joinWrites } from './join-writes.ts';

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
  for (const piece of ['a', 'b', 'c']) stream.write(piece);
  expect(left).toEqual([]);
  await nextTurn();
  for (const piece of ['d', 'e']) stream.write(piece);
  await nextTurn();
  stream.write('f');
  await nextTurn();
  expect(left).toEqual(['abc', 'de', 'f']);
});

test('an end in the same turn loses nothing', async () => {
  const { stream, left } = createRecorder();
  stream.write('a');
  stream.end('b');
  await once(stream, 'finish');
  expect(left.join('')).toBe('ab');
});

test('who writes still hears that it is too much, and of each write that it is done', async () => {
  const { stream, left } = createRecorder();
  const done: string[] = [];
  expect(stream.write('a', () => done.push('a'))).toBe(true);
  expect(stream.write(Buffer.alloc(100_000), () => done.push('b'))).toBe(false);
  await once(stream, 'drain');
  expect(done).toEqual(['a', 'b']);
  expect(left.map((text) => text.length)).toEqual([100_001]);
});
