import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { compareAge, parseHello, parseWelcome, readFirstLine } from './hello.ts';

const own = { protocol: 1, version: '1.2.0', program: '/p/main.js', stamp: '1:2' };

describe('compareAge', () => {
  it.each([
    ['same', {}],
    ['older', { protocol: 0, version: '9.0.0' }],
    ['newer', { protocol: 2, version: '0.1.0' }],
    ['older', { version: '1.1.9' }],
    ['older', { version: '1.2.0-beta.2' }],
    ['same', { version: '1.10.0' }],
    ['older', { stamp: '3:4' }],
    ['same', { stamp: '3:4', program: '/other/main.js' }],
    ['same', { stamp: '3:4', version: '1.3.0' }],
  ] as const)('finds a process %s with %j', (age, fields) => {
    expect(compareAge({ ...own, ...fields }, own)).toBe(age);
  });

  it('orders the numbers of a suffix by value', () => {
    expect(compareAge({ ...own, version: '1.2.0-beta.9' }, { ...own, version: '1.2.0-beta.10' })).toBe('older');
  });
});

describe('the first lines', () => {
  it('keep what they hold', () => {
    const hello = { ...own, want: 'serve', readonly: true, tools: 'read', timeout: '5s', idleMs: 10 } as const;
    expect(parseHello(JSON.stringify(hello))).toEqual(hello);
    const welcome = { ...own, pid: 7, refused: 'no' };
    expect(parseWelcome(JSON.stringify(welcome))).toEqual(welcome);
  });

  const odd = ['{"protocol":"1","want":"serve"}', '{"protocol":1,"want":"serve","readonly":"true"}', '{"protocol":1,"want":"x"}'];
  const narrowed = ['{"protocol":1,"want":"serve","tools":["read"]}', '{"protocol":1,"want":"serve","timeout":5}'];
  it.each(['', 'x', '[]', 'null', '{}', '{"protocol":1}', ...odd, ...narrowed])('are refused when they are %j', (line) => {
    expect([parseHello(line), parseWelcome(line)]).toEqual([undefined, undefined]);
  });
});

describe('readFirstLine', () => {
  it('leaves what follows in the stream', async () => {
    const stream = new PassThrough();
    stream.write('fir');
    const line = readFirstLine(stream, 5_000);
    setImmediate(() => stream.write('st\nsecond\nthird'));
    expect(await line).toBe('first');
    stream.end();
    const rest: Buffer[] = [];
    for await (const chunk of stream) rest.push(chunk);
    expect(Buffer.concat(rest).toString()).toBe('second\nthird');
  });

  it('answers nothing when the stream ends, and gives up after a time', async () => {
    const ended = new PassThrough();
    ended.end('no line');
    expect(await readFirstLine(ended, 5_000)).toBeUndefined();
    await expect(readFirstLine(new PassThrough(), 10)).rejects.toThrow('no answer within 10 ms');
    const endless = new PassThrough();
    endless.write('x'.repeat(70_000));
    await expect(readFirstLine(endless, 5_000)).rejects.toThrow('too long');
  });
});
