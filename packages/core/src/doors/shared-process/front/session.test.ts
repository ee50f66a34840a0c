import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { type Link, Session } from './session.ts';

/** A process that the test plays: what it was sent, and how it answers. */
function createProcess() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received = collect(input);
  output.pause();
  const link: Link = { input, output, close: () => void output.destroy() };
  const say = (...messages: object[]) => output.write(messages.map(format).join(''));
  return { link, received, say, output, die: () => void output.destroy() };
}

function collect(stream: PassThrough): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  return () => text;
}

const format = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const initialize = { id: 1, method: 'initialize' };
const initialized = { method: 'notifications/initialized' };
const welcome = { id: 1, result: {} };
const call = (id: number) => ({ id, method: 'tools/call', params: { name: 'execute' } });

function open(...others: ReturnType<typeof createProcess>[]) {
  const first = createProcess();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const [exit, notice] = [vi.fn<(code: number) => void>(), vi.fn<(text: string) => void>()];
  const reopen = vi.fn(async () => {
    const next = others.shift();
    if (next === undefined) throw new Error('none can be started');
    return next.link;
  });
  const session = new Session({ stdin, stdout, link: first.link, reopen, exit, notice });
  return {
    first,
    session,
    exit,
    notice,
    reopen,
    shown: collect(stdout),
    end: () => stdin.end(),
    send: (one: object) => stdin.write(format(one)),
  };
}

describe('Session', () => {
  it('passes lines in both directions as they are', async () => {
    const { first, send, shown } = open();
    send(initialize);
    await expect.poll(first.received).toBe(format(initialize));
    first.say(welcome, { method: 'notifications/message' });
    await expect.poll(shown).toBe(format(welcome) + format({ method: 'notifications/message' }));
  });

  it('answers what a lost process did not, and repeats the handshake but no call', async () => {
    const second = createProcess();
    const { first, send, shown, reopen } = open(second);
    for (const message of [initialize, initialized, call(2), call(3)]) send(message);
    await expect.poll(first.received).toContain('"id":3');
    first.say(welcome, { id: 3, result: {} });
    first.output.write('{"jsonrpc":"2.0","id":2,"resu');
    await expect.poll(shown).toContain('"id":3');
    first.die();
    await expect.poll(shown).toMatch(/"id":2,"result".*E_OUTCOME_UNKNOWN.*\n$/);
    expect(reopen).not.toHaveBeenCalled();
    send(call(4));
    await expect.poll(second.received).toBe(format(initialize));
    second.say(welcome);
    await expect.poll(second.received).toBe(format(initialize) + format(initialized) + format(call(4)));
    second.say({ id: 4, result: { four: 4 } });
    await expect.poll(shown).toContain('"four":4');
    const ids = shown()
      .trimEnd()
      .split('\n')
      .map((line) => Number(JSON.parse(line).id));
    expect(ids).toEqual([1, 3, 2, 4]);
  });

  it('gets the answer to a handshake from the next process when the first ended during it', async () => {
    const second = createProcess();
    const { first, send, shown } = open(second);
    send(initialize);
    await expect.poll(first.received).toBe(format(initialize));
    first.die();
    await expect.poll(second.received).toBe(format(initialize));
    second.say(welcome);
    await expect.poll(shown).toBe(format(welcome));
  });

  it('ends when the client has ended and the process is done', async () => {
    const { first, send, exit, end } = open();
    send(initialize);
    end();
    await expect.poll(first.received).toBe(format(initialize));
    expect(exit).not.toHaveBeenCalled();
    first.output.end(format(welcome));
    await expect.poll(() => exit.mock.calls[0]).toEqual([0]);
  });

  it('ends with an error when no other process can be had', async () => {
    const { first, send, exit, notice } = open();
    first.die();
    await expect.poll(() => notice.mock.calls.length).toBe(1);
    send(call(2));
    await expect.poll(() => exit.mock.calls[0]).toEqual([1]);
    expect(notice).toHaveBeenLastCalledWith('no server can be started: none can be started');
  });
});
