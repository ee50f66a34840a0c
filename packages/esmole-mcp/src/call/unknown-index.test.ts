import { readHint } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../answer/answer.ts';
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
  it('offers names that resemble a missing index', async () => {
    const failure = await failureWithNames(unknown, async () => names, never);
    expect(failure).toMatchObject({ kind: 'unknown', code: 'E_UNKNOWN_INDEX', nearest: ['orders'] });
    expect(failure?.message).toContain('no such index [ordrs]');
    expect(readHint(failure, 'tools')).toContain('es_list_indices');
  });

  it('looks among aliases where an old cluster cannot resolve names', async () => {
    const asked: string[] = [];
    const ask = async ({ path }: { path: string }) => {
      asked.push(path);
      if (path !== '/_alias') return answer(400, {});
      return answer(200, { other: { aliases: { orders: {} } }, ordrz: { aliases: {} } });
    };
    expect(await failureWithNames(unknown, ask, never)).toMatchObject({ nearest: ['ordrz', 'orders'] });
    expect(asked).toEqual(['/_resolve/index/*', '/_alias']);
  });

  it('still reports a missing index when names cannot be looked up', async () => {
    const failing = () => Promise.reject(new Error('gone'));
    expect(await failureWithNames(unknown, failing, never)).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: [] });
    expect(await failureWithNames(unknown, async () => answer(403, {}), never)).toMatchObject({ nearest: [] });
  });

  it('stops looking up names when the caller cancels', async () => {
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

  it('offers no names for other errors', async () => {
    const ask = () => expect.fail('nothing is looked up');
    expect(await failureWithNames(answer(200, {}), ask, never)).toBeUndefined();
    expect(await failureWithNames(answer(403, {}), ask, never)).toMatchObject({ code: 'E_FORBIDDEN' });
    expect(await failureWithNames(answer(404, { found: false }), ask, never)).toMatchObject({ code: 'E_ENGINE' });
  });
});
