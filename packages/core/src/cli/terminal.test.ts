import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../testing/failure-of.ts';
import { askLine, createBusy, TypedLine } from './terminal.ts';

const stopped = { kind: 'cancelled', message: 'stopped by you' };

function ask(typed: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = askLine('Do it? ', { input, output, terminal: true });
  input.write(typed);
  return answer;
}

describe('a question', () => {
  it('is answered by a line', async () => expect(await ask('yes\r')).toBe('yes'));

  it.each(['\u0003', 'ye\u0003', '\u0004'])('is given up by %j', async (keys) => {
    expect(await failureOf(ask(keys))).toMatchObject(stopped);
  });
});

describe('what is typed unseen', () => {
  const typed = (...chunks: string[]) => {
    const line = new TypedLine();
    return { over: chunks.map((chunk) => line.take(chunk)).at(-1), text: line.text };
  };

  it('is all of the line, as it was corrected', () => {
    expect(typed('ab', 'x\u007fc', '\r')).toEqual({ over: true, text: 'abc' });
    expect(typed('\u0004')).toEqual({ over: true, text: '' });
  });

  it('is none when it is given up', () => expect(typed('ab\u0003')).toEqual({ over: true, text: undefined }));
});

describe('the sign of waiting', () => {
  it('makes place for a line, and leaves no trace', () => {
    vi.useFakeTimers();
    try {
      const written: string[] = [];
      const stderr = { isTTY: true, write: (text: string) => written.push(text) > 0 };
      const busy = createBusy(stderr);
      const end = busy.show('ask');
      vi.advanceTimersByTime(150);
      busy.hide();
      end();
      expect(written).toEqual(['\r| ask', `\r${' '.repeat(5)}\r`]);
    } finally {
      vi.useRealTimers();
    }
  });
});
