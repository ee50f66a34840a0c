import { expect, it } from 'vitest';
import { respond } from '../../answer/respond.ts';
import { Failure } from '../../failure.ts';
import { Recorder } from '../recorder.ts';
import { LiveCalls, type LiveLimits } from './live-calls.ts';

const origin = { door: 'http', principal: 'token' } as const;

function start(limits?: LiveLimits) {
  const live = new LiveCalls(limits);
  const recorder = new Recorder({ program: 'thing', isTagged: false, sinks: [live] });
  const aborted: unknown[] = [];
  const begin = (args: unknown) =>
    recorder.begin({
      tool: 'query',
      args,
      about: { client: { name: 'cursor', version: '1' } },
      origin,
      abort: (why) => aborted.push(why),
    });
  /** Ends a call, and waits until it was passed on. */
  const run = async (args: unknown, text = 'done', failure?: Failure) => {
    begin(args).end({ failure, reply: failure === undefined ? respond.text(text) : respond.failure(failure) });
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { live, begin, run, aborted };
}

it('follows a call from its beginning to its end', async () => {
  const { live, begin } = start();
  const told: string[] = [];
  live.watch((id) => told.push(id));
  const record = begin({ connection: 'shop', text: 'a   b\nc', limit: 3 });
  const [{ id } = expect.unreachable()] = live.list();
  expect(live.find(id)).toMatchObject({ state: 'running', client: 'cursor 1', door: 'http', text: 'text: a b c, limit: 3' });
  record.found({ name: 'shop', readonly: false, facts: {} });
  record.begin({
    kind: 'read',
    system: 'thing',
    database: 'd',
    describe: () => ({ text: 'a ?', fingerprint: 'f', summary: 's' }),
  })({ rows: 7 });
  record.end({ failure: undefined, reply: respond.text('seven rows') });
  await new Promise((resolve) => setImmediate(resolve));
  expect(live.find(id)).toMatchObject({ state: 'ok', connection: 'shop', rows: 7, bytes: 10 });
  expect(live.show(id)).toMatchObject({
    answer: 'seven rows',
    args: [
      { name: 'connection', text: 'shop' },
      { name: 'text', text: 'a   b\nc' },
      { name: 'limit', text: '3' },
    ],
    audit: [{ verdict: 'ok', text: 'a ?', rows: 7 }],
  });
  expect(told).toEqual([id, id, id]);
});

it('shows invisible characters and no secrets', async () => {
  const { live, run } = start();
  await run({
    text: '\u001b[31m\u202Egnol',
    url: 'thing://u:Secret-1@host/x',
    password: 'Secret-2',
    nested: { api_key: 'Secret-3' },
  });
  const [call = expect.unreachable()] = live.list();
  const shown = JSON.stringify([call, live.show(call.id)]);
  expect(shown).toContain('⟦U+001B⟧[31m⟦U+202E⟧gnol');
  expect(shown).not.toMatch(/Secret-\d/);
  expect(['\u001b', '\u202e'].filter((mark) => shown.includes(mark))).toEqual([]);
});

it('cancels a call that runs, and no other', async () => {
  const { live, begin, run, aborted } = start();
  await run({});
  begin({});
  const [ended = expect.unreachable(), running = expect.unreachable()] = live.list();
  expect([live.cancel(ended.id), live.cancel('x'), live.cancel(running.id)]).toEqual([false, false, true]);
  expect(aborted).toEqual([expect.objectContaining({ kind: 'cancelled', message: 'query was cancelled by the user' })]);
});

it('says what became of each call', async () => {
  const { live, run } = start();
  await run({}, '', new Failure('refused', 'no'));
  await run({}, '', new Failure('timeout', 'late'));
  await run({}, '', new Failure('cancelled', 'gone'));
  expect(live.list().map(({ state, code }) => [state, code])).toEqual([
    ['refused', 'E_REFUSED'],
    ['error', 'E_TIMEOUT'],
    ['cancelled', 'E_CANCELLED'],
  ]);
});

it('keeps only as many calls and bytes as it may', async () => {
  const { live, run } = start({ count: 3, bytes: 100_000 });
  for (let i = 0; i < 5; i++) await run({ text: `${i}` });
  expect(live.list().map(({ text }) => text)).toEqual(['2', '3', '4']);
  for (let i = 0; i < 4; i++) await run({ text: 'x'.repeat(2_500) });
  expect(live.list()).toHaveLength(3);
  await run({ text: 'y'.repeat(50_000) });
  const large = live.list().at(-1) ?? expect.unreachable();
  expect(large.text).toMatch(/^y{300}/);
  expect(live.show(large.id)).toMatchObject({ isPartial: true, args: [], audit: [] });
  expect(live.show('x')).toBeUndefined();
});
