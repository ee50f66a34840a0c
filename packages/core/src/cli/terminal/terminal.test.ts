import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../testing/failure-of.ts';
import { askLine, askUnseen, createBusy, TypedLine } from './terminal.ts';

const stopped = { kind: 'cancelled', message: 'cancelled' };

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
  it('is asked for again from the same terminal', async () => {
    const isRaw: boolean[] = [];
    const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => isRaw.push(raw) });
    const ask = (typed: string) => {
      const answer = askUnseen('Password: ', { input, output: new PassThrough() });
      input.write(typed);
      return answer;
    };
    expect(await ask('wrong\r')).toBe('wrong');
    expect(await ask('right\r')).toBe('right');
    expect(await failureOf(ask('\u0004'))).toMatchObject(stopped);
    expect(isRaw).toEqual([true, false, true, false, true, false]);
  });

  const typed = (...chunks: string[]) => {
    const line = new TypedLine();
    return { over: chunks.map((chunk) => line.take(chunk)).at(-1), text: line.text };
  };

  it('is all of the line, as it was corrected', () => {
    expect(typed('ab', 'x\u007fc', '\r')).toEqual({ over: true, text: 'abc' });
  });

  it.each(['\u0003', '\u0004', 'ab\u0003', 'ab\u0004'])('is undefined when cancelled by %j', (keys) => {
    expect(typed(keys)).toEqual({ over: true, text: undefined });
  });
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
