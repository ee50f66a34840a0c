import { describe, expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { failureWithNames } from './unknown-index.ts';

const answer = (status: number, json: unknown): Answer => ({
  status,
  json,
  text: '',
  cut: undefined,
  contentType: 'application/json',
  warnings: [],
  warnedBy: undefined,
  product: undefined,
});
const unknown = answer(404, { error: { type: 'index_not_found_exception', reason: 'no such index [ordrs]', index: 'ordrs' } });
const names = answer(200, { indices: [{ name: 'orders' }], aliases: [{ name: 'order-log' }], data_streams: [{ name: 'x' }] });
const never = new AbortController().signal;

describe('an index that does not exist', () => {
  it('is answered with what is called nearly so', async () => {
    const failure = await failureWithNames(unknown, async () => names, never);
    expect(failure).toMatchObject({ kind: 'unknown', code: 'E_UNKNOWN_INDEX', nearest: ['orders'] });
    expect(failure?.message).toContain('no such index [ordrs]');
    expect(failure?.hint).toContain('es_list_indices');
  });

  it('is looked for among the aliases where an old cluster cannot resolve names', async () => {
    const asked: string[] = [];
    const ask = async ({ path }: { path: string }) => {
      asked.push(path);
      if (path !== '/_alias') return answer(400, {});
      return answer(200, { other: { aliases: { orders: {} } }, ordrz: { aliases: {} } });
    };
    expect(await failureWithNames(unknown, ask, never)).toMatchObject({ nearest: ['orders', 'ordrz'] });
    expect(asked).toEqual(['/_resolve/index/*', '/_alias']);
  });

  it('is an error all the same when nothing can be looked up', async () => {
    const failing = () => Promise.reject(new Error('gone'));
    expect(await failureWithNames(unknown, failing, never)).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: [] });
    expect(await failureWithNames(unknown, async () => answer(403, {}), never)).toMatchObject({ nearest: [] });
  });

  it('is waited for no longer than the caller waits', async () => {
    const stop = new AbortController();
    const enough = new Error('enough');
    const reasons: unknown[] = [];
    const hanging = (_: object, signal: AbortSignal) =>
      new Promise<Answer>((_, reject) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        }),
      );
    const failure = failureWithNames(unknown, hanging, stop.signal);
    stop.abort(enough);
    expect(await failure).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: [] });
    expect(reasons).toEqual([enough]);
  });

  it('is not what other errors mean', async () => {
    const ask = () => expect.fail('nothing is looked up');
    expect(await failureWithNames(answer(200, {}), ask, never)).toBeUndefined();
    expect(await failureWithNames(answer(403, {}), ask, never)).toMatchObject({ code: 'E_FORBIDDEN' });
    expect(await failureWithNames(answer(404, { found: false }), ask, never)).toMatchObject({ code: 'E_ENGINE' });
  });
});
