import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createPromptAcks } from './pace-writes.ts';

const nextTurns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function createRig() {
  const stream = new PassThrough({ highWaterMark: 4 });
  let sent = 0;
  const arrived = createPromptAcks(stream, () => {
    sent += 1;
  });
  return { stream, arrived, count: () => sent };
}

test('sends one message for all chunks of a turn in which nothing is written', async () => {
  const { arrived, count } = createRig();
  for (const text of ['a', 'b']) arrived(Buffer.from(text));
  await nextTurns();
  expect(count()).toBe(1);
  arrived(Buffer.from('c'));
  await nextTurns();
  expect(count()).toBe(2);
});

test('sends nothing when something is written anyway, or waits to be sent', async () => {
  const { stream, arrived, count } = createRig();
  arrived(Buffer.from('a'));
  stream.write('b');
  await nextTurns();
  for (const text of ['more than fits', 'and more']) stream.write(text);
  arrived(Buffer.from('c'));
  await nextTurns();
  expect(count()).toBe(0);
});

test('sends nothing for a part of a large answer', async () => {
  const { arrived, count } = createRig();
  arrived(Buffer.alloc(64 * 1024));
  await nextTurns();
  expect(count()).toBe(0);
});
